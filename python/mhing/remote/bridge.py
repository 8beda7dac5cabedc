"""A bridge to tables for programs without ZeroMQ: JSON lines on standard input and output."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Sequence
from typing import IO, Any

from mhing.remote.bot import Bot, Turn


class Program(Bot):
    """A bot that is another program.

    It reads one JSON object a line, each with a ``"type"``, and writes one line for every
    ``"turn"``, in their order:

    - ``start``: what :meth:`Bot.started` gets, and ``description``: all there is to know about the
      game, as :meth:`mhing.Game.describe` returns it.
    - ``turn``: ``turn``, its number; ``left`` (milliseconds); ``legal``, the actions' texts, and
      ``ids``; ``observation``, its fields by name as nested lists; ``events`` (see :class:`Turn`).
      The answer is an action's id or text, bare or as ``{"action": ...}``.
    - ``round``, ``end``: what :meth:`Bot.round` and :meth:`Bot.ended` get. ``refused``: ``code``
      and ``text``, why an answer was not taken. They want no answer.

    Args:
        name: how others see the player.
        command: the program and its arguments.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, name: str, command: Sequence[str]) -> None:
        super().__init__(name)
        self._program = command[0]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input: IO[str] = self._process.stdin
        self._output: IO[str] = self._process.stdout

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the program, which may take a second for that by itself."""
        with contextlib.suppress(OSError):
            self._input.close()
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()

    def act(self, turn: Turn) -> int | str:
        """Asks the program."""
        fields = {name: array.tolist() for name, array in turn.fields.items()}
        self._tell(
            "turn", turn=turn.number, left=turn.left, legal=list(turn.texts),
            ids=turn.legal_actions, observation=fields, events=turn.events,
        )  # fmt: skip
        line = self._output.readline()
        if not line:
            raise self._end()
        return _action(line.strip())

    def started(self, start: dict[str, Any]) -> None:
        """Tells the program."""
        self._tell("start", **start, description=self.game.describe())

    def round(self, numbers: dict[str, Any]) -> None:
        """Tells the program."""
        self._tell("round", **numbers)

    def ended(self, end: dict[str, Any]) -> None:
        """Tells the program."""
        self._tell("end", **end)

    def refused(self, code: str, text: str) -> None:
        """Tells the program, and whoever reads the log."""
        super().refused(code, text)
        self._tell("refused", code=code, text=text)

    def _tell(self, type: str, **content: Any) -> None:
        try:
            self._input.write(json.dumps({"type": type, **content}) + "\n")
            self._input.flush()
        except BrokenPipeError:
            raise self._end() from None

    def _end(self) -> RuntimeError:
        return RuntimeError(
            f"{self._program}: it has ended before the series was over, "
            f"with exit code {self._process.wait()}"
        )


def _action(line: str) -> int | str:
    """The action that a line means: JSON, or else a text as it stands."""
    try:
        answer = json.loads(line)
    except ValueError:
        return line
    if isinstance(answer, dict):
        answer = answer.get("action")
    return answer if isinstance(answer, int | str) and not isinstance(answer, bool) else line
