"""Games as data: every decision of many games, in columns of NumPy and in files.

>>> from mhing import data
>>> games = data.Games("mhing", ["expert", "greedy"], games=100, seed=1)
>>> for batch in games.batches():
...     print(batch["observation"].shape[1:], batch["action"].dtype)
(659,) int32

Files of these: :func:`write_parquet`, :func:`write_jsonl`, :func:`write_minari`;
:class:`Parquet` reads the first kind, :func:`mhing.records.records` the second. The command is
``mhing record``.
"""

from mhing.data.columns import COLUMNS, Batch, Column
from mhing.data.games import Games
from mhing.data.jsonl import write_jsonl
from mhing.data.minari import write_minari
from mhing.data.parquet import PIECE, Parquet, write_parquet

__all__ = [
    "COLUMNS",
    "PIECE",
    "Batch",
    "Column",
    "Games",
    "Parquet",
    "write_jsonl",
    "write_minari",
    "write_parquet",
]
