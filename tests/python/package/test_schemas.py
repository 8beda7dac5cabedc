"""The schemas of descriptions, records and models: they take real output, and nothing wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jsonschema")

import pages
from result_schema import spoilt, validator

import mhing
from mhing import data
from mhing.cli import main

pytestmark = pytest.mark.once

PACKAGE = Path(mhing.__file__).parent
DESCRIPTION, RECORD, MODELS = "description", "record", "models/models"


def test_the_page_lists_every_schema() -> None:
    page = pages.texts()["python/docs/pages/tutorials/models.md"]
    for path in PACKAGE.rglob("*.schema.json"):
        assert f"`mhing/{path.relative_to(PACKAGE).as_posix()}`" in page


def described() -> Iterator[dict[str, Any]]:
    for game in mhing.games():
        yield mhing.Game(game).describe()
        hints = {"hints": True} if "hints" in mhing.Game(game).options else {}
        yield mhing.Game(game, **hints).describe()
    yield mhing.Game("mhing", episode="game", reward="win", num_players=6).describe()


def test_descriptions() -> None:
    for description in described():
        validator(DESCRIPTION).validate(description)


@pytest.mark.parametrize("game", ["leduc", "general_mhing"])
def test_descriptions_that_are_wrong(game: str) -> None:
    description = mhing.Game(game).describe()
    optional = {"[] has no features"}
    takes_more = ("['labels']", "'bounds'", "'role'", "'default'", "'value'")
    for what, wrong in spoilt(_short(description)):
        if what not in optional and not any(one in what for one in takes_more):
            assert not validator(DESCRIPTION).is_valid(wrong), what


def _short(description: dict[str, Any]) -> dict[str, Any]:
    """A description with the first rows of each list: others are no different."""
    labels = {name: texts[:2] for name, texts in description["labels"].items()}
    short = {name: it[:2] if isinstance(it, list) else it for name, it in description.items()}
    return short | {"labels": labels}


def test_what_describe_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "leduc", "--json"]) == 0
    validator(DESCRIPTION).validate(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("game", mhing.games())
def test_records(game: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    data.write_jsonl(path, data.Games(game, ["greedy", "random"], games=2))
    lines = [*map(json.loads, path.read_text(encoding="utf-8").splitlines())]
    for line in lines:
        validator(RECORD).validate(line)
    assert {*map(len, lines)} >= {3, 5}


RECORDED = [
    {"format": 1, "game": "mhing", "rules_version": 0, "options": {"hints": False}, "seed": 7,
     "table": "t", "number": 0, "games": 1, "players": ["ann", "greedy"],
     "time": "2026-11-21T07:39:06Z"},
    {"seat": 3, "action": 30, "text": "discard N", "by": "late", "ms": 0},
    {"returns": [0, 2.5], "substituted": [0, 0], "numbers": {"round": 0, "scores": [0, 4]}},
    {"abandoned": True},
]  # fmt: skip


@pytest.mark.parametrize("line", RECORDED, ids=lambda line: next(iter(line)))
def test_lines_that_are_wrong(line: dict[str, Any]) -> None:
    validator(RECORD).validate(line)
    validator(RECORD).validate(line | {"later": 1})
    optional = ("has more", "has no table", "has no time", "has no round", "has no scores")
    for what, wrong in spoilt(line):
        if not what.endswith((*optional, "has no hints")):
            assert not validator(RECORD).is_valid(wrong), what
    for key, wrong in (("seed", 2**64), ("by", "nobody"), ("format", 2), ("seat", -1)):
        assert key not in line or not validator(RECORD).is_valid(line | {key: wrong})


def test_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    validator(MODELS).validate(found)
    for what, wrong in spoilt(found[:1]):
        if "'options'" not in what:
            assert not validator(MODELS).is_valid(wrong), what
