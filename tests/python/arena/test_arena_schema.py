"""The JSON Schemas of results: they take them, and nothing that is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mhing import arena
from mhing.arena import suite
from mhing.cli import main

pytest.importorskip("jsonschema")

from result_schema import REPORT, RESPONSE, spoilt, validator

SUITE = Path(__file__).parents[3] / "benchmarks/suite"

pytestmark = pytest.mark.once


def last_legal(observation: Any, mask: Any, info: Any) -> int:
    return int(mask.nonzero()[0][-1])


class Clumsy:
    """A player whose answers are no moves, and that says what they cost."""

    usage: ClassVar = {"prompt_tokens": 5}

    def __call__(self, *_: Any) -> str:
        return "nonsense"


def results() -> list[dict[str, Any]]:
    """Results that together have every key with a value."""
    clumsy = {"it": Clumsy(), "other": last_legal}
    made = [
        arena.play(clumsy, "leduc", deals=30, field="greedy", seed=1, retries=1),
        arena.play([last_legal, "random"], "leduc", deals=1, first_seed=3),
        arena.play(["greedy", "random"], deals=100, seed=1, until_significant=True),
        arena.play(["greedy", "random"], "leduc", deals=20, seed=1, estimator="paired"),
    ]
    return [json.loads(json.dumps(one.to_dict())) for one in made]


def test_results_are_as_the_schema_says_and_no_others() -> None:
    texts: set[str] = set()
    for result in results():
        validator().validate(result)
        for what, wrong in spoilt(result):
            texts.add(what)
            assert not validator().is_valid(wrong), what
    assert len(texts) > 150


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("deals", -1),
        ("deals", 1.5),
        ("level", 0.9),
        ("intervals", "sometimes"),
        ("seed", 2**64),
        ("players", []),
        ("options", {"a": None}),
    ],
)
def test_values_have_bounds(key: str, wrong: Any) -> None:
    result = results()[0]
    assert not validator().is_valid(result | {key: wrong})


def test_every_key_is_explained_and_met() -> None:
    whole: Any = validator().schema
    first, *_, paired = results()
    assert [*whole["properties"]] == [*first]
    for name, one in (
        ("player", first["players"][0]),
        ("pair", first["pairs"][0]),
        ("latency", first["players"][0]["latency"]),
        ("paired", paired["paired"]),
    ):
        assert [*whole["$defs"][name]["properties"]] == [*one]


STORED = [
    *((path, REPORT) for path in sorted(SUITE.glob("*.json"))),
    *((path, RESPONSE) for path in sorted(SUITE.glob("exploit/*.json"))),
]
"""Reports of the suite, and what was found against their agents."""


@pytest.mark.parametrize(("path", "name"), STORED, ids=lambda one: getattr(one, "stem", one))
def test_stored_results_are_as_their_schemas_say(path: Path, name: str) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    if name == REPORT and found["mhing benchmark"] < suite.VERSION:
        assert not validator(name).is_valid(found)
        return
    validator(name).validate(found)
    for what, wrong in spoilt(found):
        assert not validator(name).is_valid(wrong), what


def test_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openskill")
    assert main(["arena", "greedy", "random", "--deals", "5", "--json", "--ratings"]) == 0
    result = json.loads(capsys.readouterr().out)
    validator().validate(result)
    assert result["players"][0]["rating"]
    assert not any(validator().is_valid(wrong) for _, wrong in spoilt(result))
