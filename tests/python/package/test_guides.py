"""Guides for newcomers: true to the options of a table, and to the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from golden import has_folder

import mhing
from mhing.web.session import rules_of

pytestmark = pytest.mark.once

ENVS = Path(__file__).parents[3] / "envs"
GAMES = [game for game in mhing.games() if has_folder(game)]


def rows(page: str, first: str) -> list[list[str]]:
    """The rows of the table whose header begins like this, without what they are explained by."""
    found = re.findall(re.escape(first) + r".*\n\|[-:| ]+\|\n((?:\|.*\n)+)", page)
    assert len(found) == 1
    return [
        [re.split("[:,] (?!jack|queen)", cell.strip())[0] for cell in line.strip("|").split("|")]
        for line in found[0].splitlines()
    ]


def rules(game_id: str) -> str:
    return mhing.Game(game_id).rules_text()


def variants(game_id: str) -> Iterator[dict[str, Any]]:
    """One option changed in each, with either kind of episode where there are two."""
    described = mhing.Game(game_id).describe()["options"]
    kinds = [{"episode": "round"}, {"episode": "game"}]
    has_kinds = any(option["name"] == "episode" for option in described)
    for kind in kinds if has_kinds else [{}]:
        for option in described:
            values = {
                "int": lambda one: [one["low"], one["low"] + 1, one["high"]],
                "bool": lambda _: [False, True],
                "choice": lambda one: one["choices"],
            }[option["kind"]](option)
            yield from (kind | {option["name"]: value} for value in values)


@pytest.mark.parametrize("game_id", GAMES)
def test_a_guide_fits_all_options(game_id: str) -> None:
    written = (ENVS / game_id / "GUIDE.md").read_text(encoding="utf-8")
    assert written.count("<!--") == 2 * len(re.findall(r"<!-- if [^>]+ -->", written))
    for options in variants(game_id):
        try:
            game = mhing.Game(game_id, **options)
        except ValueError:  # they exclude each other
            continue
        guide = game.guide_text()
        assert not re.search(r"[{}\0]|<!--|\n\n\n", guide), options
        assert not re.search(r"\b(?<!round )1 [a-z]+s\b", guide), options
        assert guide.startswith(f"# How to play {game.title}\n")
        assert guide.endswith(".\n")
        assert rules_of(game) == f"{guide}\n\n{game.rules_text()}"


def test_a_guide_has_conditions_that_some_table_meets() -> None:
    for game_id in GAMES:
        written = (ENVS / game_id / "GUIDE.md").read_text(encoding="utf-8")
        described = {option["name"]: option for option in mhing.Game(game_id).describe()["options"]}
        for name, value in re.findall(r"(\w+)!?=(\S+)", written):
            option = described[name]
            if option["kind"] == "int":
                assert option["low"] <= int(value) <= option["high"]
            else:
                assert value in option.get("choices", ["off", "on"])


def test_a_game_without_a_guide_has_its_rules() -> None:
    game = mhing.Game("mhing")
    game.id = "chess"
    with pytest.raises(LookupError, match=r"chess: the game was built without GUIDE\.md"):
        game.guide_text()
    assert rules_of(game) == "Mhing came without its rules."


# ---- What single games say ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said", "unsaid"),
    [
        ({}, "a single round", "lay sequences and triplets from your hand"),
        ({"rules": "jmhing"}, "lay sequences and triplets from your hand", "chips"),
        ({"seven_pairs": True}, "*Seven pairs* are complete", "chips"),
        ({}, "For 4 players", "*Seven pairs*"),
        ({"episode": "game", "target": 300}, "The first with 300 points wins.", "a single round"),
        ({"episode": "game", "rounds": 7}, "After 7 rounds the most points win.", "chips"),
        ({"episode": "game", "scoring": "chips"}, "After 100 rounds the most chips", "the most p"),
    ],
)
def test_the_guide_of_mhing(options: dict[str, Any], said: str, unsaid: str) -> None:
    guide = mhing.Game("mhing", **options).guide_text()
    assert said in guide
    assert unsaid not in guide


def test_mhing_scores_as_its_rules_say() -> None:
    guide = mhing.Game("mhing", seven_pairs=True).guide_text()
    credits = [(number, name) for number, name, _ in rows(rules("mhing"), "| credits | comb")]
    shown = [(number, name) for number, name in rows(guide, "| credits | for")]
    assert sorted(shown) == sorted(credits)
    assert "| 5 | seven pairs" not in mhing.Game("mhing").guide_text()
    points = [
        cells[n : n + 2]
        for cells in rows(rules("mhing"), "| credits | points | cr")
        for n in (0, 2, 4)
    ]
    assert all(pair in points for pair in rows(guide, "| credits | points"))


def test_other_games_score_as_their_rules_say() -> None:
    guide, book = mhing.Game("general_mhing").guide_text(), rules("general_mhing")
    names = [cells[:2] for cells in rows(book, "| points | name")]
    assert rows(guide, "| points | for") == names
    guide, book = mhing.Game("mexican_rummy").guide_text(), rules("mexican_rummy")
    assert rows(guide, "| cards left in your hand") == rows(book, "| cards | points each")
    rounds = [cells[:3] for cells in rows(book, "| round | objective")]
    assert rows(guide, "| round | objective") == rounds
