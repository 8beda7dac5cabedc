"""Bots that tests seat at a server's tables."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mhing.records import Record
from mhing.remote import Bot, Turn

GREEDY = ["greedy"] * 3


class First(Bot):
    """Takes the first legal action, and keeps all that it was told."""

    def __init__(self, name: str = "first") -> None:
        super().__init__(name)
        self.turns: list[Turn] = []
        self.heard: list[tuple[str, Any]] = []

    def act(self, turn: Turn) -> int | str:
        self.turns.append(turn)
        return turn.legal_actions[0]

    def started(self, start: dict[str, Any]) -> None:
        self.heard.append(("start", start))

    def round(self, numbers: dict[str, Any]) -> None:
        self.heard.append(("round", numbers))

    def ended(self, end: dict[str, Any]) -> None:
        self.heard.append(("end", end))

    def refused(self, code: str, text: str) -> None:
        super().refused(code, text)
        self.heard.append(("refused", code))

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.heard]


@contextmanager
def playing(bots: Sequence[Bot], endpoint: str, **terms: Any) -> Iterator[None]:
    """The bots play at table ``t``, each in a thread; ends when they have."""
    wanted = {"table": "t", "pause": 0, **terms}
    threads = [threading.Thread(target=bot.play, args=(endpoint,), kwargs=wanted) for bot in bots]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(20)


def read_records(folder: Path, table: str = "*") -> list[Record]:
    """Those of a table, or of all, by the numbers of their games."""
    found = [Record(path) for path in folder.glob(f"{table}-*.jsonl")]
    return sorted(found, key=lambda record: int(record.header["number"]))
