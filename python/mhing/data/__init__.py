"""Games as data: every decision of many games, in columns of NumPy and in files.

>>> from mhing import data
>>> games = data.Games("mhing", ["expert", "greedy"], games=100, seed=1)
>>> for batch in games.batches():
...     print(batch["observation"].shape[1:], batch["action"].dtype)
(659,) int32

Files of these: :func:`write_parquet`, :func:`write_jsonl`, :func:`write_minari`;
:class:`Parquet` reads the first kind, :func:`mhing.records.records` the second. For language models
:func:`write_prompts` writes :class:`Prompts`. The command is ``mhing record``.
"""

from mhing.data.columns import COLUMNS, Batch, Column
from mhing.data.games import Games
from mhing.data.jsonl import write_jsonl
from mhing.data.minari import write_minari
from mhing.data.parquet import PIECE, Parquet, write_parquet
from mhing.data.prompts import Prompts, card_path, write_prompts

__all__ = [
    "COLUMNS",
    "PIECE",
    "Batch",
    "Column",
    "Games",
    "Parquet",
    "Prompts",
    "card_path",
    "write_jsonl",
    "write_minari",
    "write_parquet",
    "write_prompts",
]
