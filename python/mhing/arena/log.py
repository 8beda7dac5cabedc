"""The log of a tournament: JSON lines, from which it continues after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mhing._support.files import sole_writer
from mhing.arena.deals import Deal, Forfeit
from mhing.arena.paired import RAW, Estimates
from mhing.players import Player
from mhing.players.seating import changed, check_marks

SEED = "seed"
"""The key of a tournament's secret seed, in the first line."""

PAIRED = "paired"
"""The key there of the paired estimator's settings; other estimators have none."""

_MODE = 0o600
_DAMAGE = (ValueError, KeyError, TypeError, OverflowError, RecursionError)


class Sizes(NamedTuple):
    """The sizes of the parts of a deal."""

    players: int
    field: int
    """Players that are none of these."""
    seats: int
    tally: int
    estimates: bool
    """Estimates are among them."""


@contextmanager
def open_log(path: str | Path, tournament: dict[str, Any], sizes: Sizes) -> Iterator[Log]:
    """A log that only this tournament writes to; arguments and errors are those of :class:`Log`.

    Only its owner may read it: deals to come follow from its seed.

    Raises:
        BlockingIOError: another one writes to it.
    """
    with sole_writer(Path(path), _MODE), closing(Log(path, tournament, sizes)) as log:
        yield log


def seed_of(path: str | Path) -> int | None:
    """The secret seed of the tournament whose log this is; None: there is none."""
    with suppress(*_DAMAGE, OSError):
        if Path(path).is_file():
            with open(path, "rb") as file:
                seed = json.loads(file.readline())[SEED]
            return seed if type(seed) is int else None
    return None


class Log:
    """A file with a line for each deal, after one that says which tournament it is.

    What a kill has cut short is left out: the last line if it has no end, and a block of deals that
    is not there as a whole, so that the deals are played together as they would have been.

    Args:
        path: the file, which must exist, and may be empty.
        tournament: what must be the same for every run that continues it.
        sizes: of its deals.

    Raises:
        ValueError: the file is no such log, or that of another tournament.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: str | Path, tournament: dict[str, Any], sizes: Sizes) -> None:
        self._path, self._sizes = Path(path), sizes
        self._head = _line(tournament)
        if not self._path.is_file():
            raise ValueError(f"log: {self._path} is no file")
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        first, *self._lines = whole.splitlines(keepends=True) or [b""]
        if not self._head.startswith(first or data):
            raise ValueError(f"log: {self._path} {_difference(first, tournament)}")
        self._path.chmod(_MODE)
        self._file = open(self._path, "r+b")  # noqa: SIM115  see close()

    def check_players(self, players: Iterable[Player]) -> None:
        """Refuse to continue with a player that cannot be told from another one: ValueError."""
        if self._lines:
            check_marks(players, f"log: {self._path} has deals")

    def __len__(self) -> int:
        """The number of deals."""
        return len(self._lines)

    def begin(self, deals: int) -> None:
        """Keep so many deals, after which others are written."""
        del self._lines[deals:]
        self._file.write(self._head)
        self._file.seek(len(self._head) + sum(map(len, self._lines)))
        self._file.truncate()
        self._file.flush()

    def deal(self, number: int) -> Deal:
        """Return a deal that the log has."""
        try:
            return _read(number, json.loads(self._lines[number]), self._sizes)
        except _DAMAGE as error:
            raise ValueError(f"log: {self._path}: line {number + 2} is no deal {number}") from error

    def write(self, deals: Iterable[Deal]) -> None:
        """Add deals."""
        self._file.write(b"".join(_line(_written(deal)) for deal in deals))
        self._file.flush()

    def close(self) -> None:
        """Bring it all to the disk."""
        with self._file:
            os.fsync(self._file.fileno())


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"


def _written(deal: Deal) -> dict[str, Any]:
    content: dict[str, Any] = {
        "deal": deal.number,
        "rewards": deal.rewards.tolist(),
        "rounds": deal.rounds.tolist(),
        "tally": deal.tally.tolist(),
    }
    if deal.estimates:
        content |= {key: one.tolist() for key, one in deal.estimates._asdict().items()}
    if deal.forfeits:
        content["forfeits"] = [[one.player, one.seat, one.reason] for one in deal.forfeits]
    if deal.illegal:
        content["illegal"] = [*map(list, deal.illegal.items())]
    return content


def _read(number: int, content: dict[str, Any], sizes: Sizes) -> Deal:
    if content["deal"] != number:
        raise ValueError

    def by_seat(key: str) -> NDArray[np.float64]:
        return _array(content[key], np.float64, (sizes.players, sizes.seats))

    deal = Deal(
        number,
        by_seat("rewards"),
        _array(content["rounds"], np.int64, (sizes.players,)),
        _array(content["tally"], np.int64, (sizes.players, sizes.tally)),
        tuple(Forfeit(*one) for one in content.get("forfeits", ())),
        Estimates(*map(by_seat, Estimates._fields)) if sizes.estimates else None,
        dict(content.get("illegal", ())),
    )
    for one in deal.forfeits:
        if [type(value) for value in (one.player, one.seat, one.reason)] != [int, int, str]:
            raise TypeError
        if not (0 <= one.player < sizes.players + sizes.field and 0 <= one.seat < sizes.seats):
            raise ValueError
    for player, answers in deal.illegal.items():
        if [type(player), type(answers)] != [int, int]:
            raise TypeError
        if not (0 <= player < sizes.players + sizes.field and answers > 0):
            raise ValueError
    return deal


def _array(content: Any, dtype: type, shape: tuple[int, ...]) -> NDArray[Any]:
    """Numbers as they were written; int64 takes no others than whole ones."""
    array = np.array(content)
    if array.shape != shape or array.dtype.kind not in "if" or not np.isfinite(array).all():
        raise ValueError
    return array.astype(dtype, casting="safe")


def _difference(line: bytes, tournament: dict[str, Any]) -> str:
    """The difference between a log's first line and this tournament's."""
    with suppress(*_DAMAGE):
        logged = {PAIRED: None, **json.loads(line)}
        for key, value in {PAIRED: None, **tournament}.items():
            if (begun := logged[key]) != value:
                if key == PAIRED:
                    words = changed("estimator", _estimator(begun), _estimator(value))
                else:
                    words = changed(key, begun, value)
                return f"was begun with {words}; take another file"
    return "is no log of a tournament"


def _estimator(paired: list[Any] | None) -> str:
    """The estimator with its settings, as a text; logs of earlier versions have no worlds."""
    names = "baseline {}", "{} play-outs", "{} worlds"
    return RAW if paired is None else ", ".join(["paired", *names[: len(paired)]]).format(*paired)
