"""Standard input, output and error of a command, whatever they are connected to.

They may be closed, full, read no longer, or unable to hold the characters that are printed.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any, TextIO, cast

_PLAIN = "mhing.plain"  # the error handler's name
_PLAINER = {"─": "-", "│": "|", **dict.fromkeys("┌┬┐├┼┤└┴┘", "+"), "±": "+-"}
_LONGEST = 400  # characters of a message; what the user gave may be of any length


class OutputError(Exception):
    """Standard output cannot be written to; the text says why."""


class OutputUnread(OutputError):
    """The reader of standard output has closed it."""


def _plainer(error: UnicodeError) -> tuple[str, int]:
    """Write characters that an encoding lacks by others that look alike, or ``?``."""
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    return "".join(_PLAINER.get(character, "?") for character in lacking), error.end


codecs.register_error(_PLAIN, _plainer)


class _Output:
    """Standard output, whose errors differ in type from those of other files."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Like that of the stream, but for the errors."""
        with self._errors():
            return self._stream.write(text)

    def flush(self) -> None:
        """The same."""
        with self._errors():
            self._stream.flush()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _discard(self._stream)
            kind = OutputUnread if isinstance(error, BrokenPipeError) else OutputError
            raise kind(f"standard output: {error.strerror}") from None


def _discard(stream: TextIO) -> None:
    """Let all that a stream still holds vanish, or the interpreter would fail to write it."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """Around a command: what it prints has left the process at the end, or OutputError is raised.

    Of a closed standard input nothing is read, and what goes to a closed standard error is lost.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115  for the rest of the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        raise OutputError("standard output: it is closed")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_PLAIN)
    before, output = sys.stdout, _Output(sys.stdout)
    sys.stdout = cast(TextIO, output)
    try:
        yield
    finally:  # also where --help ends the process
        sys.stdout = before
        output.flush()


def as_shown(text: str) -> str:
    """The text as standard output shows it, which may lack some of its characters."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, _PLAIN).decode(encoding)


def say(text: str, end: str = "\n") -> None:
    """Write to standard error, as far as that can be written to."""
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        _discard(sys.stderr)


def one_line(message: str) -> str:
    """The message in one line of bearable length, with control characters as escapes."""
    line = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in message
    )
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    return line
