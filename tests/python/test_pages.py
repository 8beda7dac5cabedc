"""README.md and RULES.md say what is so: code, links, tables, worked examples, rule numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mhing

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "envs/mhing/RULES.md").read_text(encoding="utf-8")


def table(header: str) -> list[list[str]]:
    """The rows of the one table that begins with this header, without their back quotes."""
    (found,) = re.findall(re.escape(header) + r".*\n\|[-:| ]+\|\n((?:\|.*\n)+)", PAGE)
    return [
        [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]
        for line in found.splitlines()
    ]


@pytest.fixture(scope="module")
def game() -> mhing.Game:
    return mhing.Game("mhing")


def test_options(game: mhing.Game) -> None:
    rows = [(name, values, default) for name, values, default, _ in table("| option |")]
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


def test_presets(game: mhing.Game) -> None:
    assert [tuple(row[:2]) for row in table("| preset |")] == [
        (preset.name, preset.settings) for preset in game.presets
    ]


def test_actions(game: mhing.Game) -> None:
    rows = table("| numbers | action |")
    assert [row[0] for row in rows] == [
        str(a.first) if a.count == 1 else f"{a.first}-{a.first + a.count - 1}" for a in game.actions
    ]
    for row, action in zip(rows, game.actions, strict=True):
        for text in row[2].split(", "):
            assert 0 <= game.action_id(text) - action.first < action.count


def test_cards(game: mhing.Game) -> None:
    texts = [text for row in table("| type | cards | text |") for text in row[2].split()]
    labels = game.labels["cards"]
    named = [text for text in texts if text != "..."]
    assert [text for text in labels if text in named] == named
    assert labels.index("9m") == 26


def test_credit_names(game: mhing.Game) -> None:
    names = [row[1] for row in table("| credits | combination |")]
    assert sorted(names) == sorted(game.labels["parts"])


def test_points() -> None:
    for row in table("| credits | points | credits |"):
        for credits, points in zip(row[::2], row[1::2], strict=True):
            first, _, last = credits.partition("-")
            for number in range(int(first), int(last or first) + 1):
                assert mhing.points(number) == int(points)


@pytest.mark.parametrize("row", table("| hand | melds on the table |"), ids=lambda row: row[0])
def test_worked_examples(row: list[str]) -> None:
    hand, melds, flowers, parts, credits, points = row
    score = mhing.score_hand(hand, melds.split(), int(flowers or 0))
    assert score is not None
    assert " + ".join(f"{n} {name}" for name, n in score.parts) == parts.replace("none", "")
    assert (score.credits, score.points) == (int(credits), int(points))


def test_rules_that_are_cited_exist() -> None:
    """Every number stands before one rule, and whoever cites a rule cites one of them."""
    rules = re.findall(r"^\*\*(R\d+\.\d+)\*\*", PAGE, re.MULTILINE)
    assert len(set(rules)) == len(rules)
    known = {*rules, *(rule.partition(".")[0] for rule in rules)}
    sources = [*ROOT.glob("envs/mhing/*.[ch]"), ROOT / "envs/mhing/RULES.md"]
    sources += [*ROOT.glob("envs/mhing/tables/*.c"), *ROOT.glob("tests/**/*.py")]
    for source in sources:
        cited = set(re.findall(r"\bR\d+(?:\.\d+)?\b", source.read_text(encoding="utf-8")))
        assert cited <= known, f"{source.name} cites {sorted(cited - known)}"


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """All of it but the training, which needs another package."""
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if "MaskablePPO" not in line]
    names: dict[str, object] = {}
    exec("\n".join(lines), names)
    assert "credits=17, points=512" in capsys.readouterr().out
    shapes = re.findall(r'fields\["(\w+)"\] +# (\(.*?\))', README)
    assert shapes
    for name, shape in shapes:
        assert str(names["fields"][name].shape) == shape  # type: ignore[index]


@pytest.mark.parametrize("page", ["README.md", "envs/mhing/RULES.md"])
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8")):
        assert target.startswith("https://") or ((ROOT / page).parent / target).exists(), target


def test_a_state_as_data(game: mhing.Game) -> None:
    keys = [row[0] for row in table("| key |")]
    assert keys == list(game.new_state(1).to_dict())
    assert keys == list(game.new_state(1).play_out("greedy", 1).to_dict())
