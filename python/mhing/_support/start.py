"""Ctrl-C before and after the command ``mhing`` runs: it ends the process without a traceback.

Reading the package takes half a second. This module comes first in it, and it changes nothing in a
process that is not the installed command.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath


def _is_command() -> bool:
    """Return whether the installed command reads the package, or ``python -m mhing`` does.

    A process that it starts has its arguments, but not its file. Under nohup Ctrl-C stays ignored.
    """
    script = getattr(sys.modules["__main__"], "__file__", None) or ""
    if sys.argv[:1] == ["-m"]:  # whose file is not known yet; before its arguments is its name
        script = sys.orig_argv[-len(sys.argv)].removeprefix("-m")
    name = PurePath(script).name.removesuffix(".exe").removesuffix("-script.py")
    return name == "mhing" and signal.getsignal(signal.SIGINT) is signal.default_int_handler


_quiet = _is_command()
if _quiet:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def heeded() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt until the end, as in any other program."""
    if not _quiet:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
