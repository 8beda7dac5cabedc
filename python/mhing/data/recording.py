"""The files that go with a recording: its card, and Croissant metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from mhing._support.files import digest
from mhing._support.ids import changed
from mhing.data.columns import COLUMNS, Column
from mhing.data.parquet import Parquet
from mhing.records import Record
from mhing.words import plural

FOLDER = "data"
"""Beside the card: the folder of the recording's files."""

LICENCE = "MIT"
"""The licence of games between the package's bots, unless their owner chooses another."""

_PARQUET = "application/x-parquet"

_TYPES = {"int": "cr:Int", "uint": "cr:UInt", "float": "cr:Float"}

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "conformsTo": "dct:conformsTo",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{name: {"@id": f"cr:{name}", "@type": "@json"} for name in ("data", "examples")},
    **{
        name: f"cr:{name}"
        for name in (
            "arrayShape", "citeAs", "column", "equivalentProperty", "extract", "field",
            "fileObject", "fileProperty", "fileSet", "format", "includes", "isArray",
            "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
            "references", "regex", "repeated", "replace", "samplingRate", "separator", "source",
            "subField", "transform",
        )
    },
}  # fmt: skip
"""The standard's context; readers warn about any other."""


def title(recorded: Parquet) -> str:
    """Return a heading: the game and the players."""
    return f"{recorded.game.title}: games of {', '.join(recorded.players)}"


def command(recorded: Parquet) -> str:
    """Return the command that makes the same rows again, with the same files of players."""
    settings = recorded.settings
    options = "".join(f" --option {one}" for one in changed(recorded.game))
    return (
        f"mhing record {settings['game']} --bots {','.join(recorded.players)} "
        f"--games {settings['games']} --seed {settings['seed']}{options} --out {FOLDER}/"
    )


def card(recorded: Parquet, licence: str = LICENCE) -> str:
    """Return the card of a recording, in Markdown, with examples that load it.

    Args:
        recorded: the recording.
        licence: its licence, as an SPDX identifier.
    """
    settings = recorded.settings
    rows = "\n".join(f"| `{one.name}` | {one.type} | {one.meaning} |" for one in COLUMNS)
    return f"""\
# {title(recorded)}

{len(recorded):,} decisions of {plural(settings["games"], "game")} of {recorded.game.title} with
{settings["num_seats"]} players, played by programs; rules version {settings["rules_version"]},
mhing {settings["version"]}. Licence: {licence}.

## Load it

With pandas, with Hugging Face's `datasets`, and with `mhing`, which unpacks the observations:

```python
import pandas

frame = pandas.read_parquet("{FOLDER}")
```

```python
import datasets

rows = datasets.load_dataset("parquet", data_files="{FOLDER}/*.parquet", split="train")
```

```python
from mhing import data

recorded = data.Parquet("{FOLDER}")
for batch in recorded.batches():
    fields = recorded.game.unpack(batch["observation"])
```

## Columns

| column | type | meaning |
|---|---|---|
{rows}

Observations are of {settings["observation_size"]} numbers, masks of {settings["num_actions"]}. The
metadata of the files name all fields and actions, and `croissant.json` describes the columns.

## Make it again

    {command(recorded)}

## Limits

- The players' mistakes are in it: it shows how they play, not how one should.
- All rows together tell more than a seat may know, by their order and by `seed`: use neither as
  input of a player.
- Game k has the seed {settings["seed"]} + k. Measure on other deals.
"""


def card_of_records(name: str, games: Sequence[Record], licence: str = "") -> str:
    """Return the card of a file of records, in Markdown, which says what they say.

    Args:
        name: of the file.
        games: those in it.
        licence: its licence, as an SPDX identifier; empty: none is named.
    """
    tables = Counter(
        f"{one.game.title}, {plural(one.game.num_seats, 'seat')}, rules version "
        f"{one.game.rules_version}"
        + (f", {', '.join(changed(one.game))}" if changed(one.game) else "")
        for one in games
    )
    players = Counter(player for one in games for player in one.players)
    deciders = Counter(move.by for one in games for move in one.moves)
    over = sum(bool(one.returns) for one in games)
    return f"""\
# {name.rpartition(".")[0]}

{plural(len(games), "recorded game")}, {over:,} of them played to the end.

Licence: {licence or "none is named"}

| table | games |
|---|---:|
{_rows(tables)}

| player | seats |
|---|---:|
{_rows(players)}

| decided by | moves |
|---|---:|
{_rows(deciders)}

## Load it

```python
from mhing.records import records

for record in records("{FOLDER}/{name}"):
    print(record.game, record.players, len(record.moves), record.returns)
```

## Limits

- The players' mistakes are in it: it shows how they play, not how one should.
- The seed of a game tells all its cards: do not use it as input of a player.
- Names of players are as they were recorded, and so is the time of each game and move.
- It was not recorded who the players are, nor by which choice these games are here.
"""


def _rows(counted: Counter[str]) -> str:
    return "\n".join(f"| {name} | {count:,} |" for name, count in sorted(counted.items()))


def croissant(recorded: Parquet, licence: str = LICENCE) -> dict[str, Any]:
    """Return the metadata of a recording as JSON-LD, by Croissant 1.1.

    Args:
        recorded: the recording; its files are in the folder `FOLDER` beside the metadata.
        licence: its licence, as an SPDX identifier.
    """
    files = [
        {
            "@type": "cr:FileObject",
            "@id": f"{FOLDER}/{path.name}",
            "name": path.name,
            "contentUrl": f"{FOLDER}/{path.name}",
            "encodingFormat": _PARQUET,
            "sha256": digest(path),
        }
        for path in recorded.files
    ]
    sizes = {
        "observation": recorded.settings["observation_size"],
        "action_mask": recorded.settings["num_actions"],
    }
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": recorded.settings["game"],
        "description": title(recorded),
        "license": f"https://spdx.org/licenses/{licence}.html",
        "version": "1.0.0",
        "distribution": [
            *files,
            {
                "@type": "cr:FileSet",
                "@id": "files",
                "name": "files",
                "encodingFormat": _PARQUET,
                "includes": f"{FOLDER}/*.parquet",
            },
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "decisions",
                "name": "decisions",
                "field": [_field(column, sizes) for column in COLUMNS],
            }
        ],
    }


def _field(column: Column, sizes: dict[str, int]) -> dict[str, Any]:
    kind = column.type.rstrip("0123456789")
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"decisions/{column.name}",
        "name": column.name,
        "description": column.meaning,
        "dataType": f"{_TYPES[kind]}{column.type.removeprefix(kind)}",
        "source": {"fileSet": {"@id": "files"}, "extract": {"column": column.name}},
    }
    if column.name in sizes:
        field |= {"isArray": True, "arrayShape": str(sizes[column.name])}
    return field
