"""Decisions as prompts for language models: what a seat reads, and what each of its moves is worth.

>>> from mhing.data import Games, Prompts
>>> prompts = Prompts(Games("general_mhing", "greedy", games=2, seed=1), bot="expert")
>>> row = next(prompts.rows())
>>> [message["role"] for message in row["prompt"]]
['system', 'user']
>>> row["regrets"][row["moves"].index(row["best"])]
0.0

Decisions that the judge does not judge are left out.
"""

from __future__ import annotations

import errno
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, TextIO, TypeAlias

import numpy as np

from mhing._lib import episodes
from mhing._lib.games import SEARCH
from mhing._support.files import completed, part_of, sole_writer
from mhing._support.interrupts import each, held
from mhing.arena.suite import SEEDS
from mhing.data.card import card
from mhing.data.columns import Column, in_columns
from mhing.data.games import Block, Games, Progress
from mhing.data.jsonl import opened
from mhing.data.parquet import pyarrow_parquet
from mhing.decision import PROBABILITY
from mhing.judge import Judge, judges
from mhing.players import Given
from mhing.text.texts import Texts

Row: TypeAlias = dict[str, Any]

SPLITS = {"train": 0.8, "validation": 0.1, "test": 0.1}
"""The share of the deals in each."""

COLUMNS = (
    Column("prompt", "messages", "the messages to a model: the rules, and what the seat sees"),
    Column("moves", "texts", "its legal moves, as replies name them"),
    Column("played", "text", "the move that was played"),
    Column("player", "text", "the player that played it"),
    Column("split", "text", "train, validation or test, by the seed alone: see split_of"),
    Column("seat", "int8", "the seat that is asked"),
    Column(
        "seed", "uint64", "the seed of the deal, which reveals all cards: never a model's input"
    ),
    Column("game", "int64", "the game's number, from 0"),
    Column("decision", "int32", "the number of the seat's decisions in this game before it"),
)
"""The columns, in their order."""

JUDGED = (
    Column("values", "numbers", "the judge's expectation of what the seat earns by each move from "
           "here to the end of the round; null where it does not judge"),
    Column("regrets", "numbers", "the value of the judge's move less that of each, never below 0"),
    Column("best", "text", "the judge's move"),
    Column("completion", "messages", "the reply that plays it, for supervised fine-tuning"),
)  # fmt: skip
"""Further columns where a bot judges."""

SEARCHED = (
    Column("intervals", "numbers", "half widths of the 95 % intervals of the differences between "
           "each value and that of the move from which the search set out"),
)  # fmt: skip
"""And where a search does."""

_AT_ONCE = 200
"""Games whose rows are made at once; of a search a single one, since it takes its time."""

_GROUP = 4096
"""Rows of a group in a Parquet file."""


class _Judged(NamedTuple):
    """A judge's findings about the legal moves of a decision, in the order of their ids."""

    values: list[float]
    best: int
    """The place of the judge's move."""
    intervals: list[float] | None = None


class Prompts:
    """Decisions of games as prompts.

    Args:
        games: who plays, and which deals.
        texts: the form of the texts; None: that of ``Texts(games.game)``.
        bot: who says what each move is worth: a bot that judges moves, such as ``"expert"``,
            ``"net"`` or ``"search:200"``; None: nobody does.

    Raises:
        ValueError: the texts are of another game; or there is no such bot, or it has no values of
            moves.
    """

    def __init__(self, games: Games, texts: Texts | None = None, bot: Given | None = None) -> None:
        self.games, self.game = games, games.game
        self.texts = Texts(self.game) if texts is None else texts
        if self.texts.game != self.game:
            raise ValueError(f"texts: they are of {self.texts.game}, and the games of {self.game}")
        self.bot = None if bot is None else self._checked(bot)
        """The name of the bot that judges."""
        self._searches = self.bot is not None and self.bot.startswith(SEARCH)
        self.columns = (
            *COLUMNS,
            *(JUDGED if self.bot else ()),
            *(SEARCHED if self._searches else ()),
        )
        """The columns of a row."""
        self._said = [*map(self.game.action_text, range(self.game.num_actions))]
        self.system = {"role": "system", "content": self.texts.system()}
        """The first message of every prompt."""

    def _checked(self, bot: Given) -> str:
        judge = Judge(self.game, bot)
        judge.check()
        if judge.unit == PROBABILITY:
            names = ", ".join(judges(self.game))
            raise ValueError(f"bot: {judge.name} has no values of moves; name one of {names}")
        return judge.name

    def rows(self) -> Iterator[Row]:
        """Yield the rows, by the names of `columns`, in the order of the games.

        Raises:
            ValueError: a player has failed, or answered with what is no legal action.
        """
        for _, rows in self.pieces():
            yield from rows

    def pieces(self) -> Iterator[tuple[int, list[Row]]]:
        """Yield the rows of some games at a time, after the number of games that are done."""
        return each(self._pieces())

    def _pieces(self) -> Iterator[tuple[int, list[Row]]]:
        step = 1 if self._searches else _AT_ONCE
        for block in self.games.played():
            count = len(block.episodes.seeds)
            for begin in range(0, count, step):
                part = block.part(begin, min(begin + step, count))
                yield part.first + len(part.episodes.seeds), self._rows(part)

    def _rows(self, block: Block) -> list[Row]:
        """The rows of some games."""
        games, game = self.games, self.game
        judge = None if self.bot is None or self._searches else game.bot_index(self.bot)
        made, _ = episodes.decisions(
            game._handle, block.episodes, games.num_threads, numbers=True, judge=judge
        )
        count = made.masks.sum(1, np.int64).tolist()
        findings: Iterator[_Judged | None]
        if self._searches:
            findings = self._searched(block)
        elif judge is not None:
            findings = map(_judged, map(np.ndarray.tolist, made.values), count)
        else:
            findings = iter([None] * len(count))
        said = self.texts.observations(
            made.observations, made.seats, made.masks, made.numbers, made.seats
        )  # fmt: skip
        columns = in_columns(made, block.episodes, block.first, len(games.players))
        names = ("action", "player", "seat", "seed", "game", "decision")
        facts = zip(*(columns[name].tolist() for name in names), strict=True)
        players, moves = [player.name for player in games.players], self._said
        legal = [moves[action] for action in np.nonzero(made.masks)[1].tolist()]
        rows, end = [], 0
        for text, size, found, fact in zip(said, count, findings, facts, strict=True):
            begin, end = end, end + size
            if found is not None and not isfinite(found.values[found.best]):
                continue
            action, player, seat, seed, number, decision = fact
            row: Row = {
                "prompt": [self.system, {"role": "user", "content": text}],
                "moves": legal[begin:end],
                "played": moves[action],
                "player": players[player],
                "split": split_of(seed),
                "seat": seat,
                "seed": seed,
                "game": number,
                "decision": decision,
            }
            rows.append(row if found is None else row | self._worth(row["moves"], found))
        return rows

    def _worth(self, moves: list[str], found: _Judged) -> Row:
        """The further columns of a decision that is judged."""
        top, best = found.values[found.best], moves[found.best]
        worth: Row = {
            "values": [*map(_known, found.values)],
            "regrets": [_known(max(top - value, 0.0)) for value in found.values],
            "best": best,
            "completion": [{"role": "assistant", "content": f"Answer: {best}"}],
        }
        if found.intervals is not None:
            worth["intervals"] = [*map(_known, found.intervals)]
        return worth

    def _searched(self, block: Block) -> Iterator[_Judged]:
        """The findings of a search at each decision of some games."""
        assert self.bot
        starts = block.episodes.starts.tolist()
        for number, seed in enumerate(block.episodes.seeds.tolist()):
            state = self.game.new_state(seed)
            for place in range(starts[number], starts[number + 1]):
                found = state.search(self.bot, 0, self.games.num_threads)
                best = found.actions.tolist().index(found.action)
                yield _Judged(found.compared.tolist(), best, found.gain_halves.tolist())
                state.apply(int(block.episodes.actions[place]))


def _judged(values: list[float], count: int) -> _Judged:
    """A bot's values of so many moves; it plays one of the largest."""
    known = [value if isfinite(value) else -np.inf for value in values[:count]]
    return _Judged(values[:count], known.index(max(known)))


def _known(value: float) -> float | None:
    return value if isfinite(value) else None


@lru_cache
def split_of(seed: int) -> str:
    """The split of a deal, which follows from its seed: all its decisions are in the same one.

    Deals of the benchmark, whose seeds are 2**63 or more, are in ``"test"``: nobody trains on them.

    >>> [split_of(seed) for seed in (0, 2, 13, 2**63)]
    ['train', 'train', 'train', 'test']
    """
    if seed >= SEEDS:
        return "test"
    digest = blake2b(seed.to_bytes(8, "little"), digest_size=8, person=b"split").digest()
    place = int.from_bytes(digest, "little") / 2**64
    for name, share in SPLITS.items():
        place -= share
        if place < 0:
            return name
    return name


# ---- Files ---------------------------------------------------------------------------------------


def write_prompts(
    path: str | Path | TextIO, prompts: Prompts, progress: Progress | None = None
) -> None:
    """Write a new file of prompts, and beside it a card that says what they are.

    A path that ends with ``.parquet`` becomes a Parquet file, which gets its name when it is
    complete; any other one has lines of JSON, and so has a file that is open, such as standard
    output, which gets no card. The card of ``prompts.jsonl`` is ``prompts.md``. Ctrl-C keeps the
    rows that there are, with the card, and is raised then. A kill leaves the lines of JSON that
    were written.

    Args:
        path: where.
        prompts: what is written.
        progress: is called with the number of games that are done.

    Raises:
        FileExistsError: the file or its card exists.
        ValueError: a player has failed, or answered with what is no legal action.
        ModuleNotFoundError: pyarrow is missing (extra ``mhing[data]``), for Parquet.
        OSError: the disk is full, or something else went wrong there.
    """
    rows_of, interrupt, done = Counter[str](), None, 0
    with held(), _writer(path, prompts) as write:
        try:
            for done, rows in prompts.pieces():
                write(rows)
                rows_of.update(row["split"] for row in rows)
                if progress:
                    progress(done)
        except KeyboardInterrupt as error:
            if not rows_of:
                raise
            interrupt = error
    if isinstance(path, str | Path):
        text = card(Path(path).name, prompts, {name: rows_of[name] for name in SPLITS}, done)
        with open(card_path(path), "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    if interrupt:
        raise interrupt


def card_path(path: str | Path) -> Path:
    """The place of the card of a file."""
    return Path(path).with_suffix(".md")


_Write: TypeAlias = Callable[[list[Row]], None]


def _writer(path: str | Path | TextIO, prompts: Prompts) -> AbstractContextManager[_Write]:
    if isinstance(path, str | Path):
        for one in (Path(path), card_path(path)):
            if one.exists():
                raise FileExistsError(errno.EEXIST, "it already exists", str(one))
        if Path(path).suffix == ".parquet":
            return _parquet(Path(path), prompts)
    return _lines(path, prompts)


@contextmanager
def _lines(path: str | Path | TextIO, prompts: Prompts) -> Iterator[_Write]:
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    begin = f'{{"prompt": [{encode(prompts.system)}, '  # the same in all, and most of each
    begin += '{"role": "user", "content": '  # a text alone is encoded faster than in a dict

    def line(prompt: list[dict[str, str]], **rest: Any) -> str:
        return f"{begin}{encode(prompt[1]['content'])}}}], {encode(rest)[1:]}\n"

    with opened(path) as file:

        def write(rows: list[Row]) -> None:
            file.write("".join(line(**row) for row in rows))
            file.flush()

        yield write


@contextmanager
def _parquet(path: Path, prompts: Prompts) -> Iterator[_Write]:
    parquet, arrow = pyarrow_parquet(), import_module("pyarrow")
    schema, waiting = _schema(arrow, prompts), list[Row]()
    with (
        sole_writer(part_of(path)),
        completed(path) as file,
        parquet.ParquetWriter(file, schema, compression="zstd") as writer,
    ):

        def write(rows: list[Row], least: int = _GROUP) -> None:
            waiting.extend(rows)
            while len(waiting) >= least:
                group = arrow.Table.from_pylist(waiting[:_GROUP], schema)
                writer.write_table(group)
                del waiting[:_GROUP]

        yield write
        while waiting:
            write([], 1)


def _schema(arrow: Any, prompts: Prompts) -> Any:
    message = arrow.struct([("role", arrow.string()), ("content", arrow.string())])
    types = {
        "messages": arrow.list_(message),
        "texts": arrow.list_(arrow.string()),
        "numbers": arrow.list_(arrow.float64()),
        "text": arrow.string(),
    }
    return arrow.schema(
        [
            arrow.field(
                one.name,
                types.get(one.type) or getattr(arrow, one.type)(),
                nullable=False,
                metadata={"meaning": one.meaning},
            )
            for one in prompts.columns
        ]
    )
