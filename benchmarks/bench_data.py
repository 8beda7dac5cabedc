"""Games as data: playing without writing, writing Parquet, and what pyarrow does without us.

    OMP_NUM_THREADS=1 taskset -c 0 .venv/bin/python benchmarks/bench_data.py [games]

Rates are decisions per second of CPU time, of all threads together, medians of interleaved rounds
of the same run; 4,000 games of Mhing each by default. The floors: the same decisions played without
writing; and what was played before written by us, by pyarrow as lists and as bytes, and columns of
random numbers of the same types and sizes, which do not compress. It needs pyarrow, and writes
into the folder for temporary files.

The last table is of prompts for language models, of games of `greedy`: a twentieth as many games,
written as lines of JSON, alone and with the values of bots. Their floor is Python's json module,
which writes the rows without values when they are there.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet as pq
import report
from numpy.typing import NDArray
from report import Cell, Table, figure

from mhing import data
from mhing.data import parquet
from mhing.data.pages import Writer

ROUNDS = 5
GAMES = ("mhing", "general_mhing", "mexican_rummy")
JUDGES = (None, "expert", "net")
GOAL = 20_000
"""Prompts a second that nobody judges."""


def random_batch(batch: data.Batch) -> data.Batch:
    """Columns like these, of random bytes."""
    draw = np.random.default_rng(1)
    return {
        name: np.frombuffer(draw.bytes(array.nbytes), array.dtype).reshape(array.shape)
        for name, array in batch.items()
    }


def schema_of(games: data.Games) -> pyarrow.Schema:
    """The schema of their files."""
    return parquet._schema(parquet._settings(games))


def write(batches: list[data.Batch], games: data.Games, path: Path) -> None:
    """Writes columns that are there, as `write_parquet` does."""
    with open(path, "wb") as file:
        writer = Writer(file, schema_of(games))
        for batch in batches:
            writer.write(batch)
        writer.close()


def write_by_pyarrow(batches: list[data.Batch], games: data.Games, path: Path, lists: bool) -> None:
    """The same by pyarrow, with the settings that are best there: as lists, or as bytes."""
    fields = [*schema_of(games)]
    seen = [field.name for field in fields if hasattr(field.type, "list_size")]
    if not lists:
        fields = [
            field.with_type(pyarrow.binary(field.type.list_size)) if field.name in seen else field
            for field in fields
        ]
    schema = pyarrow.schema(fields)
    single = [field.name for field in fields if field.name not in seen]
    split = {f"{name}.list.element": "BYTE_STREAM_SPLIT" for name in seen} if lists else None
    with pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        use_dictionary=single,
        write_statistics=single,
        column_encoding=split,
    ) as writer:
        for batch in batches:
            arrays = [in_arrow(batch[field.name], field.type) for field in fields]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def in_arrow(array: NDArray[Any], kind: Any) -> pyarrow.Array:
    """A column of pyarrow."""
    if array.ndim == 1:
        return pyarrow.array(array)
    if hasattr(kind, "list_size"):
        return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(array.reshape(-1)), type=kind)
    return pyarrow.Array.from_buffers(kind, len(array), [None, pyarrow.py_buffer(array)])


def record(path: Path, games: data.Games) -> None:
    """Plays and writes."""
    path.unlink(missing_ok=True)
    data.write_parquet(path, games)


def works(games: data.Games, path: Path) -> dict[str, Callable[[], object]]:
    """The measurements, by name; the file that is read is the one recorded before."""
    batches = [*games.batches()]
    noise = [random_batch(batch) for batch in batches]
    return {
        "played": lambda: sum(len(batch["action"]) for batch in games.batches()),
        "written": lambda: write(batches, games, path),
        "pyarrow, as lists": lambda: write_by_pyarrow(batches, games, path, True),
        "pyarrow, as bytes": lambda: write_by_pyarrow(batches, games, path, False),
        "random numbers": lambda: write(noise, games, path),
        "recorded": lambda: record(path, games),
        "read by pyarrow": lambda: pq.read_table(path),
        "read": lambda: [*data.Parquet(path).batches()],
    }


def measure(bot: str, count: int, folder: Path) -> Table:
    """The table of one bot's games."""
    path = folder / "games.parquet"
    games = data.Games("mhing", bot, games=count)
    decisions = sum(len(block.episodes.actions) for block in games.blocks())
    all_works = works(games, path)
    seconds: dict[str, list[float]] = {name: [] for name in all_works}
    sizes: dict[str, Cell] = dict.fromkeys(all_works)
    for _ in range(ROUNDS):
        for name, work in all_works.items():
            begun = time.process_time()
            work()
            seconds[name].append(time.process_time() - begun)
            if not name.startswith(("played", "read")):
                sizes[name] = figure(path.stat().st_size / decisions)
    rows = [
        [name, figure(decisions / statistics.median(times)), sizes[name]]
        for name, times in seconds.items()
    ]
    title = f"{bot}, {decisions:,} decisions"
    return Table(["what is done", "decisions a second", "bytes a decision"], rows, title)


def write_lines(rows: list[dict[str, Any]], path: Path) -> None:
    """Writes rows that are there, as lines of JSON."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_anew(made: data.Prompts, path: Path) -> None:
    """Plays, judges and writes."""
    path.unlink(missing_ok=True)
    data.card_path(path).unlink(missing_ok=True)
    data.write_prompts(path, made)


def prompts(count: int, folder: Path) -> Table:
    """A line for each game, by who judges."""
    rates: dict[str, dict[str, list[float]]] = {}
    path = folder / "prompts.jsonl"
    for game in GAMES:
        games = data.Games(game, "greedy", games=count)
        alone, *judged = (data.Prompts(games, bot=judge) for judge in JUDGES)
        rows = [*alone.rows()]
        works: dict[str, tuple[Callable[[], object], int]] = {
            "json": (partial(write_lines, rows, path), len(rows))
        }
        for judge, made in zip(JUDGES, (alone, *judged), strict=True):
            number = sum(1 for _ in made.rows())
            works[judge or "alone"] = (partial(write_anew, made, path), number)
        times: dict[str, list[float]] = {}
        for _ in range(ROUNDS):
            for name, (work, number) in works.items():
                begun = time.process_time()
                work()
                times.setdefault(name, []).append(number / (time.process_time() - begun))
        rates[game] = times
    lines: list[list[Cell]] = []
    for game, times in rates.items():
        floor, plain, *rest = (figure(statistics.median(one)) for one in times.values())
        lines.append([game, plain, GOAL, *rest, floor])
    return Table(["prompts a second", "alone", "goal", *filter(None, JUDGES), "json"], lines)


def tables(count: int) -> list[Table]:
    """A table for each bot, and that of prompts."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(bot, count, Path(folder)) for bot in ("random", "greedy")]
        return [*rows, prompts(max(1, count // 20), Path(folder))]


if __name__ == "__main__":
    report.run(__doc__, tables, 4000, "games")
