"""A bridge to tables for programs without ZeroMQ: JSON lines on standard input and output."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import queue
import shlex
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from mhing.remote.answers import find
from mhing.remote.bot import Bot
from mhing.remote.player import Turn

_log = logging.getLogger(__name__)

_GRACE = 0.1  # seconds to wait after a deadline for an answer in flight
_LONGEST = 1 << 16  # characters of a line, after which another one begins
_WRONG = 100  # lines in a turn that are no answers, after which none is expected
_REPORTED = 20  # of them in all turns
_REMEMBERED = 10_000  # lines of errors of programs that have ended


@dataclass
class Shown:
    """The errors of programs that have ended, which are not shown again for others."""

    lines: set[bytes] = field(default_factory=set)
    again: int = 0
    """Lines that came again."""


class Program(Bot):
    """A bot that is another program.

    It reads one JSON object a line, each with a ``"type"``, and writes one for every ``"turn"``:

    - ``start``: what :meth:`Bot.started` gets, and ``description``: all there is to know about the
      game, as :meth:`mhing.Game.describe` returns it.
    - ``turn``: ``turn``, its number among those to this program; ``left`` (milliseconds);
      ``legal``, the actions' texts, and ``ids``; ``observation``, its fields by name as nested
      lists; ``words``, the same in sentences; ``events`` (see :class:`Turn`).
      The answer is ``{"turn": 7, "action": ...}`` with that number and an action's id or text.
      A text may differ in case, spaces and final punctuation.
    - ``round``, ``end``: what :meth:`Bot.round` and :meth:`Bot.ended` get. They want no answer.
    - ``refused``: ``code`` and ``text``, why an answer was not taken. In the arena an answer that
      is illegal is refused with more: its ``turn``, the ``nearest`` legal action, all that are
      ``legal``, their ``ids``, and how many ``retries`` are left: if there are any, the next
      message is the question again, with another number; otherwise the game is lost, and the
      program hears how it ends.

    If no answer comes in time, the game continues, and the program hears that it is late. An
    answer that comes even later is dropped with a warning, as are lines that are no answers: 100 in
    a turn end it, and the first 20 are reported; its errors are for people, and go where ours do.

    Args:
        name: how others see the player.
        command: the program and its arguments.
        written: the command as it was written, for errors; None: as it is.
        folder: where it runs; None: here.
        environment: its variables; None: all that there are here.
        shown: errors that are not passed on; those of the program join them when it ends.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        written: str | None = None,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        shown: Shown | None = None,
    ) -> None:
        super().__init__(name)
        self._shown = shown or Shown()
        self._program = written or shlex.join(command)
        self.turn = 0
        """The number of its last question."""
        self.launched = time.monotonic()
        """The time at which it was started, by `time.monotonic`."""
        self.is_new = True
        """It has not answered yet."""
        self._owes = False  # the answer to its last question
        self.wrong = ""
        """The line that it wrote last when it was asked last, if that was no answer."""
        self._strange = 0  # lines that are no answers
        self._limit = math.inf  # by which it has to end
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, bufsize=1, errors="replace", cwd=folder, env=environment,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input: IO[str] = self._process.stdin
        self._output: IO[str] = self._process.stdout
        self._lines: queue.Queue[str] = queue.Queue(_WRONG)  # "": there are no more
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._errors = b""  # the end of those so far
        self._teller = threading.Thread(target=self._tell, daemon=True)
        self._teller.start()

    def __enter__(self) -> Program:
        return self

    def hang_up(self) -> None:
        """Tell the program to end, for which it has a second."""
        if not self._input.closed:
            self._limit = time.monotonic() + 1
            with contextlib.suppress(OSError):
                self._input.close()

    def __exit__(self, *_: object) -> None:
        """End the program, which may take a second for that by itself."""
        self.hang_up()
        try:
            self._process.wait(max(self._limit - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        limit = time.monotonic() + 1  # a child of the program may still hold its output
        while self._reader.is_alive() and time.monotonic() < limit:
            with contextlib.suppress(queue.Empty):
                self._lines.get(timeout=0.01)
        self._reader.join(0)
        self._teller.join(max(limit - time.monotonic(), 0))

    def act(self, turn: Turn) -> int | str:
        """Ask the program.

        Raises:
            RuntimeError: it has ended, writes lines without end that are no answers, or begins with
            one that is a move without a turn.
        """
        fields = {name: array.tolist() for name, array in turn.fields.items()}
        self.turn, self._owes, self.wrong = turn.number, True, ""
        self._send(
            "turn", turn=turn.number, left=turn.left, legal=list(turn.texts),
            ids=turn.legal_actions, observation=fields, words=turn.words(), events=turn.events,
        )  # fmt: skip
        limit = time.monotonic() + turn.left / 1000 + _GRACE
        for _ in range(_WRONG):
            if (line := self._next(limit)) is None:
                return ""  # the server has played on by then, and says so
            if (action := self._taken(line)) is not None:
                found = find(action, turn.texts) if isinstance(action, str) else None
                return action if found is None else found
            is_first, self.wrong = self.is_new and not self.wrong, line[:80]
            if is_first and _is_move(line, turn):
                raise RuntimeError(f"{self._program}: {self.complaint}")
            self._report()
        raise RuntimeError(f"{self._program}: it wrote {_WRONG} lines that are no answers")

    def _report(self) -> None:
        """Log the line that is no answer, unless there were too many of them."""
        self._strange += 1
        if self._strange <= _REPORTED:
            more = "; no more such lines are reported" * (self._strange == _REPORTED)
            _log.warning("%s: %s%s", self.name, self.complaint, more)

    @property
    def complaint(self) -> str:
        """A sentence about the line that is no answer, and what would be one."""
        expected = json.dumps({"turn": self.turn, "action": "..."})
        return f"it wrote {self.wrong!r}, which is no answer; one to this question is {expected}"

    def is_in_step(self) -> bool:
        """Return whether it runs, and has answered its last question by now, perhaps too late."""
        try:
            for _ in range(_WRONG):
                if not self._owes or (line := self._next(0)) is None:
                    break
                self._taken(line)
        except RuntimeError:
            return False
        return not self._owes and self._process.poll() is None

    def _taken(self, line: str) -> int | str | None:
        """The answer to the last question, if a line is one."""
        number, action = _answer(line)
        if number != self.turn or action is None:
            return None
        self.is_new = self._owes = False
        return action

    def started(self, start: dict[str, Any]) -> None:
        """Pass it on to the program."""
        self._send("start", **start, description=self.game.describe())

    def round(self, numbers: dict[str, Any]) -> None:
        """Pass it on to the program."""
        self._send("round", **numbers)

    def ended(self, end: dict[str, Any]) -> None:
        """Pass it on to the program."""
        self._send("end", **end)

    def refused(self, code: str, text: str) -> None:
        """Pass it on to the program, and log it."""
        super().refused(code, text)
        self.refuse(code, text)

    def refuse(self, code: str, text: str, **more: Any) -> None:
        """Tell the program why its answer was not taken."""
        self._send("refused", code=code, text=text, **more)

    def idle(self) -> None:
        """Raise RuntimeError if the program has ended: nobody need ask it to find that out."""
        if self._process.poll() is not None:
            raise self._end()

    def _read(self) -> None:
        """Take the program's lines as they come, in a thread."""
        with self._output:
            while line := self._output.readline(_LONGEST):
                self._lines.put(line)
        self._lines.put("")

    def _tell(self) -> None:
        """Pass the program's errors on as they come, in a thread."""
        errors: Any = self._process.stderr
        shown = self._shown
        with errors:
            written = errors.buffer
            while some := (written.readline if shown.lines else written.read1)(_LONGEST):
                self._errors = (self._errors + some)[-_LONGEST:]
                if some in shown.lines:
                    shown.again += 1
                    continue
                with contextlib.suppress(OSError):
                    os.write(2, some)
        if len(shown.lines) < _REMEMBERED:
            shown.lines.update(self._errors.splitlines(keepends=True))

    def _next(self, limit: float) -> str | None:
        """The next line; None: none comes until then."""
        try:
            line = self._lines.get(timeout=max(limit - time.monotonic(), 0))
        except queue.Empty:
            return None
        if not line:
            raise self._end()
        return line.strip()

    def _send(self, type: str, **content: Any) -> None:
        try:
            self._input.write(json.dumps({"type": type, **content}) + "\n")
            self._input.flush()
        except BrokenPipeError:
            raise self._end() from None

    def _end(self) -> RuntimeError:
        try:
            how = f"ended before the series was over, with exit code {self._process.wait(1)}"
        except subprocess.TimeoutExpired:
            how = "closed its output before the series was over"
        self._teller.join(1)
        last = self._errors.decode(errors="replace").strip().rpartition("\n")[2].strip()
        said = f"; its last error is: {last[-200:]}" if last else ""
        return RuntimeError(f"{self._program}: it has {how}{said}")


def _is_move(line: str, turn: Turn) -> bool:
    """Return whether a line is a legal move by its text or id, in JSON or not, without a turn."""
    number, action = _answer(line)
    said = line if number is not None or action is None else str(action)
    return find(said, turn.texts) is not None or said in map(str, turn.legal_actions)


def command_words(command: str) -> list[str]:
    """A command line's words, as a shell reads them; ValueError unless they name a program."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"{command}: {error}") from None
    if not words:
        raise ValueError("exec: names no program; write exec:COMMAND, such as exec:./bot")
    if shutil.which(words[0]) is None:
        reason = "there is no such program"
        if os.path.isfile(words[0]):
            reason = "it may not be executed; chmod +x allows that, or name what runs it first"
        raise ValueError(f"{words[0]} cannot be started: {reason}")
    return words


def _answer(line: str) -> tuple[int | None, int | str | None]:
    """The turn that a line names, and its action; None where there is none."""
    try:
        answer = json.loads(line)
    except ValueError:
        return None, None
    if not isinstance(answer, dict):
        return None, None
    turn, action = answer.get("turn"), answer.get("action")
    is_action = isinstance(action, int | str) and not isinstance(action, bool)
    return turn if type(turn) is int else None, action if is_action else None
