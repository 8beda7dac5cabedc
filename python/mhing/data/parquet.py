"""Decisions in Parquet files, and back: one row a decision, in files that explain themselves."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import one_of, positive, whole
from mhing._support.extras import install
from mhing._support.files import completed, part_of, sole_writer
from mhing._support.interrupts import held
from mhing.data.columns import COLUMNS, Batch
from mhing.data.games import Games, Progress
from mhing.data.pages import CREATOR, Writer, read_lists
from mhing.game import Game
from mhing.players.seating import changed, check_marks

PIECE = 1000
"""Games in a file of a folder."""

KEPT = 32
"""Groups of rows that stay in memory when single decisions are read."""

ENDING = ".parquet"

_KEY = b"mhing"  # of the metadata
_FORMAT = 1
_OWN = {"first", "count"}  # what differs between the files of a folder


def write_parquet(
    path: str | Path,
    games: Games,
    *,
    piece: int = PIECE,
    progress: Progress | None = None,
) -> None:
    """Write the decisions of games: to a new file, or to many files in a folder.

    A path that ends with ``.parquet`` is a file. It gets this name when it is complete. A kill
    leaves a hidden file, such as ``.games.parquet.part``, which the next run overwrites. Ctrl-C
    completes it with the games that were over, and is raised then.

    Any other path is a folder, made if there is none, for files ``games-000000.parquet`` and so on.
    Each gets its name when it is complete and on the disk. After a kill the same call continues
    after the last of them, and the folder is the same in the end.

    The files are the same, byte for byte, for every number of threads.

    Args:
        path: where.
        games: what is played.
        piece: games in a file of a folder.
        progress: is called with the number of games that are done.

    Raises:
        FileExistsError: the file exists.
        BlockingIOError: another call is writing there.
        ValueError: the folder holds something else; or games already, and a player is an object
            without an attribute `identity`, see :data:`mhing.players.Policy`; or one has failed.
        ModuleNotFoundError: pyarrow is missing (extra ``mhing[data]``).
        OSError: the disk is full, or something else went wrong there.
    """
    pyarrow_parquet()
    piece = positive(piece, "piece")
    place, settings = Path(path), _settings(games)
    if place.suffix == ENDING:
        with sole_writer(part_of(place)):
            if place.exists():
                part_of(place).unlink()
                raise FileExistsError(errno.EEXIST, "it already exists", str(place))
            _write(place, games, settings, 0, games.count, progress)
        return
    place.mkdir(parents=True, exist_ok=True)
    with sole_writer(place):
        written = [first for first, _ in _pieces(place, settings | {"piece": piece})]
        if written:
            check_marks(games.players, f"{place} has games")
        for first in range(0, games.count, piece):
            last = min(first + piece, games.count)
            if first not in written:
                name = place / f"games-{first:06}{ENDING}"
                _write(name, games, settings | {"piece": piece}, first, last, progress)
            elif progress:
                progress(last)


class Parquet:
    """The decisions of a file, or of all files of a folder, that :func:`write_parquet` wrote.

    Args:
        path: the file or the folder.

    Raises:
        ValueError: it is no such file, or the folder holds none, or files of several recordings.
        ModuleNotFoundError: pyarrow is missing (extra ``mhing[data]``).
        OSError: there is no such file.

    >>> write_parquet("five.parquet", Games("mhing", ["expert", "greedy"], games=5))
    >>> recorded = Parquet("five.parquet")
    >>> recorded.players
    ['expert', 'greedy']
    >>> for batch in recorded.batches(["observation", "action"]):
    ...     print(batch["observation"].shape[1:])
    (659,)

    It also is a map-style dataset of PyTorch: ``recorded[i]`` is decision i, and
    ``torch.utils.data.DataLoader(recorded, 256)`` gives batches. The :data:`KEPT` groups of about
    16,000 decisions that were read last stay in memory. To shuffle more than these, shuffle what
    :meth:`batches` yields.
    """

    def __init__(self, path: str | Path) -> None:
        place = Path(path)
        files = sorted(place.glob(f"*{ENDING}")) if place.is_dir() else [place]
        if not files:
            raise ValueError(f"{place} holds no files {ENDING}")
        self.settings: dict[str, Any] = _settings_of(files[0])
        """The metadata: game, options, players, first seed, the observation's fields and more."""
        for other in files[1:]:
            found = _settings_of(other)
            for key in self.settings.keys() - _OWN:
                if found.get(key) != (first := self.settings[key]):
                    words = f"{other} has {key} {found.get(key)!r}, and {files[0]} has {first!r}"
                    raise ValueError(f"{words}; give one of them"[:500])
        self.game = Game(self.settings["game"], **self.settings["options"])
        self.players: list[str] = [name for name, _ in self.settings["players"]]
        """Their names, by the numbers of the column `player`."""
        self.files = files
        """Its files, in their order."""
        self._groups: list[tuple[Path, int]] = []
        """Groups of rows: the file, and the number there."""
        rows = []
        for file in files:
            metadata = pyarrow_parquet().read_metadata(file)
            for group in range(metadata.num_row_groups):
                self._groups.append((file, group))
                rows.append(metadata.row_group(group).num_rows)
        self._starts = np.cumsum([0, *rows])
        self._kept: dict[int, Batch] = {}

    def __len__(self) -> int:
        """The number of decisions."""
        return int(self._starts[-1])

    def __getitem__(self, number: int) -> Batch:
        """Decision `number`, from 0 (or from the end, if negative): an array for each column.

        Raises:
            IndexError: there is no such decision.
            TypeError: it is not a whole number.
        """
        place = whole(number, "number")
        if not -len(self) <= place < len(self):
            raise IndexError(f"number: {place} is not from {-len(self)} to {len(self) - 1}")
        place %= len(self)
        group = int(np.searchsorted(self._starts, place, side="right")) - 1
        if group not in self._kept:
            if len(self._kept) == KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[group] = self._read(*self._groups[group], None)
        columns = self._kept[group]
        at = place - self._starts[group]
        return {name: np.array(array[at]) for name, array in columns.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}

    def batches(self, columns: list[str] | None = None) -> Iterator[Batch]:
        """The decisions in their order, as :meth:`mhing.data.Games.batches` yields them.

        Args:
            columns: which are wanted; None: all.

        Raises:
            ValueError: there is no such column.
        """
        for name in columns or ():
            one_of("columns", name, [column.name for column in COLUMNS])
        for path, group in self._groups:
            yield self._read(path, group, columns)

    def _read(self, path: Path, group: int, columns: list[str] | None) -> Batch:
        """Return columns of a group of rows."""
        wanted = [one.name for one in COLUMNS if columns is None or one.name in columns]
        batch: Batch = {}
        with pyarrow_parquet().ParquetFile(path) as file:
            if file.metadata.created_by == CREATOR:
                batch = _lists(path, file.metadata.row_group(group), wanted, self.settings)
            table = file.read_row_group(group, [name for name in wanted if name not in batch])
        batch |= {name: _numpy(table[name], name) for name in table.column_names}
        return {name: batch[name] for name in wanted}


def pyarrow_parquet() -> Any:
    """The module pyarrow.parquet."""
    try:
        return import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"pyarrow is missing: {install('data')}") from error


# ---- What a file says of itself ------------------------------------------------------------------


def _settings(games: Games) -> dict[str, Any]:
    game = games.game
    table = game.describe()
    return {
        "mhing record": _FORMAT,
        "version": version("mhing"),
        "game": game.id,
        "rules_version": table["rules_version"],
        "options": game.options,
        "players": [[player.name, player.identity] for player in games.players],
        "seed": games.seed,
        "games": games.count,
        "lists": True,  # earlier versions wrote bytes
        "num_seats": game.num_seats,
        "num_actions": game.num_actions,
        "observation_size": game.observation_size,
        "columns": {column.name: column.meaning for column in COLUMNS},
        "observation": [asdict(field) for field in game.observation_fields],
        "actions": [asdict(actions) for actions in game.actions],
    }


def _settings_of(path: Path) -> dict[str, Any]:
    """The settings of a file; ValueError if it has none."""
    parquet = pyarrow_parquet()
    try:
        metadata = parquet.read_metadata(path).metadata or {}
    except import_module("pyarrow").ArrowInvalid as error:
        raise ValueError(f"{path} is no Parquet file: {error}") from None
    settings: dict[str, Any] = json.loads(metadata.get(_KEY, b"{}"))
    if settings.get("mhing record") != _FORMAT:
        raise ValueError(f"{path} was not written by mhing record, or by a later version of it")
    return settings


def _pieces(folder: Path, settings: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """The first and last place of the games in each file; ValueError for other files."""
    for path in sorted(folder.iterdir()):
        if path.name.endswith(f"{ENDING}.part"):
            continue
        if path.suffix != ENDING:
            raise ValueError(f"{folder} holds {path.name}; take a separate folder")
        found = _settings_of(path)
        for key in ("lists", "piece", *settings):
            if found.get(key) != json.loads(json.dumps(settings.get(key))):
                words = changed(key, found.get(key), settings.get(key))
                raise ValueError(f"{path} was begun with {words}; take another folder")
        yield found["first"], found["first"] + found["count"]


# ---- Files ---------------------------------------------------------------------------------------


def _write(
    path: Path,
    games: Games,
    settings: dict[str, Any],
    first: int,
    last: int,
    progress: Progress | None,
) -> None:
    """Write a file of the games from `first` up to `last`.

    A file that stands alone is also complete with those that were over at Ctrl-C, and says so.
    """
    schema = _schema(settings | {"first": first, "count": last - first})
    interrupt, done = None, first
    with held(), completed(path) as file:
        writer = Writer(file, schema)
        with _Behind() as behind:
            try:
                for block in games.blocks(first, last):
                    behind.do(writer.write, games.columns(block))
                    done = block.first + len(block.episodes.seeds)
                    if progress:
                        progress(done)
            except KeyboardInterrupt as error:
                if "piece" in settings or done == first:
                    raise
                interrupt = error
                cut_short = {"games": done, "first": first, "count": done}
                writer.schema = _schema(settings | cut_short)
        writer.close()
    if interrupt:
        raise interrupt


class _Behind:
    """A separate thread that writes what this one plays, one piece of work at a time."""

    def __enter__(self) -> _Behind:
        self._thread = ThreadPoolExecutor(1)
        self._work: Future[Any] | None = None
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        with self._thread:
            if self._work and kind is None:
                self._work.result()

    def do(self, work: Any, *arguments: Any) -> None:
        """Begin a piece of work when the one before is done; raise what that has raised."""
        if self._work:
            self._work.result()
        self._work = self._thread.submit(work, *arguments)


def _sizes(settings: dict[str, Any]) -> dict[str, int]:
    """The columns whose entries are lists, and the lengths of these."""
    return {"observation": settings["observation_size"], "action_mask": settings["num_actions"]}


def _schema(settings: dict[str, Any]) -> Any:
    arrow = import_module("pyarrow")
    sizes, fields = _sizes(settings), []
    for column in COLUMNS:
        kind = getattr(arrow, column.type)()
        if column.name in sizes:
            kind = arrow.list_(arrow.field("element", kind, nullable=False), sizes[column.name])
        meaning = {"meaning": column.meaning}
        fields.append(arrow.field(column.name, kind, nullable=False, metadata=meaning))
    return arrow.schema(fields, {_KEY: json.dumps(settings)})


def _lists(path: Path, group: Any, wanted: list[str], settings: dict[str, Any]) -> Batch:
    """Return those of the wanted columns whose entries are lists; `group` has their places."""
    batch = {}
    types = {column.name: column.type for column in COLUMNS}
    with open(path, "rb") as file:
        for place, (name, size) in enumerate(_sizes(settings).items()):
            if name in wanted:
                chunk = group.column(place)
                file.seek(chunk.dictionary_page_offset)
                try:
                    rows = read_lists(file.read(chunk.total_compressed_size), size)
                except (IndexError, KeyError, OSError, ValueError) as error:
                    raise ValueError(f"{path}: its column {name} is damaged") from error
                batch[name] = rows.view(types[name])
    return batch


def _numpy(column: Any, name: str) -> NDArray[Any]:
    """Return a column as a new array; a column with many numbers has a line for each row."""
    arrow = import_module("pyarrow")
    (array,) = column.chunks  # a row group is read as one
    if arrow.types.is_fixed_size_binary(array.type):  # of an earlier version
        size, kind = array.type.byte_width, {one.name: one.type for one in COLUMNS}[name]
        data = np.frombuffer(array.buffers()[1], kind, len(array) * size, array.offset * size)
        return np.array(data.reshape(-1, size))
    if arrow.types.is_fixed_size_list(array.type):
        return np.array(array.flatten()).reshape(-1, array.type.list_size)
    return np.array(array)
