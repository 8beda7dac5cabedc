"""The command ``mhing`` as it is installed: :mod:`mhing.cli`, with a quiet Ctrl-C at any time.

Reading the package takes half a second, in which Ctrl-C would end in a traceback from anywhere.
This module is outside of it, because it has to be there first.
"""

from __future__ import annotations

import signal


def main() -> int:
    """Runs the command line and returns the exit code."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not so under nohup
    if heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from mhing import cli  # noqa: PLC0415

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return cli.main()
    finally:
        if heeded:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
