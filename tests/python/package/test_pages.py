"""The tables, worked examples and rule numbers of RULES.md agree with the core."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from golden import has_folder
from reference import rummy_melds
from reference.general_mhing import SEQUENCES, parts_of
from rules.citing import rules_of

import mhing

rule = rules_of("mhing")

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[3]
PAGES = {
    game: (ROOT / f"envs/{game}/RULES.md").read_text(encoding="utf-8")
    for game in mhing.games()
    if has_folder(game)
}


def table(page: str, header: str) -> list[list[str]]:
    """The rows of the one table that begins with this header, without their back quotes."""
    (found,) = re.findall(re.escape(header) + r".*\n\|[-:| ]+\|\n((?:\|.*\n)+)", PAGES[page])
    return [
        [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]
        for line in found.splitlines()
    ]


@pytest.fixture(params=PAGES)
def game(request: pytest.FixtureRequest) -> mhing.Game:
    return mhing.Game(request.param)


def test_the_rules_come_with_the_package(game: mhing.Game) -> None:
    assert game.rules_text() == PAGES[game.id]
    game.id = "chess"
    with pytest.raises(LookupError, match="chess: the game was built without"):
        game.rules_text()


@rule("R9.2")
def test_options(game: mhing.Game) -> None:
    rows = [(name, values, default) for name, values, default, _ in table(game.id, "| option |")]
    assert rows == [
        (option["name"], values(option), word(option["default"]))
        for option in game.describe()["options"]
    ]


def values(option: dict[str, object]) -> str:
    kind, choices = option["kind"], option.get("choices")
    if kind == "int":
        return f"{option['low']} to {option['high']}"
    return "off, on" if kind == "bool" else ", ".join(choices)  # type: ignore[arg-type]


def word(value: object) -> str:
    return ("off", "on")[value] if isinstance(value, bool) else str(value)


@rule("R9.1")
def test_presets(game: mhing.Game) -> None:
    header = "| preset |"
    rows = table(game.id, header) if game.presets else []
    assert [tuple(row[:2]) for row in rows] == [
        (preset.name, preset.settings) for preset in game.presets
    ]
    assert rows or header not in PAGES[game.id]


@rule("R10.1")
def test_actions(game: mhing.Game) -> None:
    rows = table(game.id, "| numbers | action |")
    assert [row[0] for row in rows] == [
        str(a.first) if a.count == 1 else f"{a.first}-{a.first + a.count - 1}" for a in game.actions
    ]
    for row, action in zip(rows, game.actions, strict=True):
        for text in row[2].split(", "):
            assert 0 <= game.action_id(text) - action.first < action.count


@rule("R1.5")
def test_cards(game: mhing.Game) -> None:
    """The first and the last text of each row stand at its numbers."""
    labels = game.labels["cards"]
    for numbers, _, text in table(game.id, "| type | cards | text |"):
        first, _, last = numbers.partition("-")
        named = text.split()
        assert labels[int(first)] == named[0]
        assert labels[int(last or first)] == named[-1]
        at = [labels.index(each) for each in named if each != "..."]
        assert at == sorted(at)


@pytest.mark.parametrize(
    ("page", "header"),
    [("mhing", "| credits | combination |"), ("general_mhing", "| points | name |")],
)
def test_names_of_what_scores(page: str, header: str) -> None:
    names = [row[1] for row in table(page, header)]
    assert sorted(names) == sorted(mhing.Game(page).labels["parts"])


@rule("R7.1")
def test_points() -> None:
    for row in table("mhing", "| credits | points | credits |"):
        for credits, points in zip(row[::2], row[1::2], strict=True):
            first, _, last = credits.partition("-")
            for number in range(int(first), int(last or first) + 1):
                assert mhing.points(number) == int(points)


HANDS = table("mhing", "| hand | melds on the table |")


@pytest.mark.parametrize("row", HANDS, ids=lambda row: row[0])
@rule("R7.3")
def test_worked_examples(row: list[str]) -> None:
    hand, melds, flowers, parts, credits, points = row
    score = mhing.score_hand(hand, melds.split(), int(flowers or 0))
    assert score is not None
    assert " + ".join(f"{n} for {name}" for name, n in score.parts) == parts.replace("none", "")
    assert (score.credits, score.points) == (int(credits), int(points))


@pytest.mark.parametrize(
    "row", table("general_mhing", "| sequences | points by name |"), ids=lambda row: row[0]
)
def test_worked_examples_of_sequences(row: list[str]) -> None:
    sequences, names, points = row
    parts = parts_of(SEQUENCES[text] for text in sequences.split())
    assert " + ".join(f"{number} {name}" for name, number in parts.items()) == names
    assert sum(parts.values()) == int(points)
    score = mhing.score_sequences(sequences.split())
    assert (score.points, dict(score.parts)) == (int(points), parts)


@pytest.mark.parametrize(
    "row", table("mexican_rummy", "| cards left | round |"), ids=lambda row: f"{row[0]} in {row[1]}"
)
def test_worked_examples_of_cards_left(row: list[str]) -> None:
    cards, objective, points = row
    assert rummy_melds.points_of(cards.split(), int(objective)) == int(points)


def cited(pattern: str) -> dict[str, set[str]]:
    """By file: the numbers of the rules that it names."""
    return {
        str(path): set(re.findall(r"\bR\d+(?:\.\d+)?\b", path.read_text(encoding="utf-8")))
        for path in ROOT.glob(pattern)
    }


@pytest.mark.parametrize("page", PAGES)
def test_rules_that_are_cited_exist(page: str) -> None:
    """Every number stands before one rule, and every cited rule exists."""
    rules = re.findall(r"^\*\*(R\d+\.\d+)\*\*", PAGES[page], re.MULTILINE)
    assert len(set(rules)) == len(rules)
    known = {*rules, *(rule.partition(".")[0] for rule in rules)}
    for source, numbers in cited(f"envs/{page}/**/*.[cdhm]*").items():
        assert numbers <= known, f"{source} cites {sorted(numbers - known)}"


def test_rules_that_tests_cite_exist() -> None:
    known = set(re.findall(r"\bR\d+(?:\.\d+)?\b", "".join(PAGES.values())))
    for source, numbers in cited("tests/**/*.py").items():
        assert numbers <= known, f"{source} cites {sorted(numbers - known)}"


@rule("R11.1")
def test_a_state_as_data(game: mhing.Game) -> None:
    keys = [row[0] for row in table(game.id, "| key |")]
    assert keys == list(game.new_state(1).to_dict())
    assert keys == list(game.new_state(1).play_out("greedy", 1).to_dict())
