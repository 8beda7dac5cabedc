"""The files that go with a recording: its card, and Croissant metadata."""

from __future__ import annotations

from typing import Any

from mhing._support.files import digest
from mhing._support.ids import changed
from mhing.data.columns import COLUMNS, Column
from mhing.data.parquet import Parquet
from mhing.words import plural

FOLDER = "data"
"""Beside the card: the folder of the recording's files."""

LICENCE = "MIT"
"""Of games between the package's bots, unless their owner chooses another."""

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
"""That of the standard, or readers warn."""


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
