"""Games as data: playing without writing, writing Parquet, and what pyarrow does without us.

    OMP_NUM_THREADS=1 taskset -c 0 .venv/bin/python benchmarks/bench_data.py [games]

Rates are decisions per second of CPU time, of all threads together, medians of interleaved rounds
of the same run; 4,000 games of Mhing each by default. The floors: the same decisions played without
writing; and pyarrow writing what was played before, or columns of random numbers of the same types
and sizes, which do not compress. It needs pyarrow, and writes into the folder for temporary files.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow.parquet as pq
import report
from report import Cell, Table, figure

from mhing import data
from mhing.data import parquet

ROUNDS = 5


def random_batch(batch: data.Batch) -> data.Batch:
    """Columns like these, of random bytes."""
    draw = np.random.default_rng(1)
    return {
        name: np.frombuffer(draw.bytes(array.nbytes), array.dtype).reshape(array.shape)
        for name, array in batch.items()
    }


def write(batches: list[data.Batch], games: data.Games, path: Path) -> None:
    """Writes columns that are there, as `write_parquet` does."""
    schema = parquet._schema(parquet._settings(games, False))
    with pq.ParquetWriter(path, schema, **parquet._encoding(False)) as writer:
        for batch in batches:
            writer.write_table(parquet._table(batch, schema))


def record(path: Path, games: data.Games, compression: str, lists: bool) -> None:
    """Plays and writes."""
    path.unlink(missing_ok=True)
    encoding = parquet._encoding(lists) | {"compression": compression}
    with mock.patch.object(parquet, "_encoding", return_value=encoding):
        data.write_parquet(path, games, lists=lists)


def works(games: data.Games, path: Path) -> dict[str, Callable[[], object]]:
    """What is measured, by name."""
    batches = [*games.batches()]
    noise = [random_batch(batch) for batch in batches]
    found: dict[str, Callable[[], object]] = {
        "played only": lambda: sum(len(batch["action"]) for batch in games.batches()),
        "written only": lambda: write(batches, games, path),
        "random numbers written only": lambda: write(noise, games, path),
    }
    for compression in ("none", "lz4", "snappy", "zstd"):
        found[f"recorded, {compression}"] = partial(record, path, games, compression, False)
    found["read, zstd"] = lambda: [*data.Parquet(path).batches()]
    found["recorded as lists, zstd"] = lambda: record(path, games, "zstd", True)
    found["read as lists"] = lambda: [*data.Parquet(path).batches()]
    return found


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
            if "written" in name or "recorded" in name:
                sizes[name] = figure(path.stat().st_size / decisions)
    rows = [
        [name, figure(decisions / statistics.median(times)), sizes[name]]
        for name, times in seconds.items()
    ]
    title = f"{bot}, {decisions:,} decisions"
    return Table(["what is done", "decisions a second", "bytes a decision"], rows, title)


def tables(count: int) -> list[Table]:
    """A table for each bot."""
    with tempfile.TemporaryDirectory() as folder:
        return [measure(bot, count, Path(folder)) for bot in ("random", "greedy")]


if __name__ == "__main__":
    report.run(__doc__, tables, 4000, "games")
