"""The rooms of single games in the package, and that nothing outside of them names a game."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import mhing
from mhing import by_game

PACKAGE = Path(mhing.__file__).parent
ROOMS = PACKAGE / "by_game"
ENVS = Path(__file__).parents[3] / "envs"
PARTS = ("cards", "commands", "sheet", "showcase", "terms")


def rooms() -> list[str]:
    return sorted(path.name for path in ROOMS.iterdir() if (path / "__init__.py").exists())


def trees() -> Iterator[tuple[str, ast.Module]]:
    """The modules outside of the rooms."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if ROOMS not in path.parents:
            name = str(path.relative_to(PACKAGE))
            yield name, ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("game", rooms())
def test_a_room_is_a_games_and_has_parts(game: str) -> None:
    assert (ENVS / game).is_dir(), f"by_game/{game}: there is no game envs/{game}"
    assert {part for part in PARTS if (ROOMS / game / f"{part}.py").exists()}, (
        f"by_game/{game}: none of {', '.join(PARTS)}, so nothing in it is ever loaded"
    )
    if (ROOMS / game / "cards.py").exists():
        cards = by_game.cards(game)
        assert isinstance(cards, by_game.Cards)
        assert cards.notation
    if (ROOMS / game / "commands.py").exists():
        commands = by_game.commands(game)
        assert [*inspect.signature(getattr(commands, "add")).parameters] == ["commands"]  # noqa: B009
    if (ROOMS / game / "terms.py").exists():
        assert isinstance(by_game.terms(game), by_game.Synonyms)
    if (ROOMS / game / "showcase.py").exists():
        showcase = by_game.showcase(game)
        assert isinstance(showcase, by_game.Showcase)
        notes = showcase.notes()
        assert isinstance(notes.columns(), dict)
        assert isinstance(notes.figures(), dict)


def test_a_game_without_a_room_has_no_parts() -> None:
    for part in (by_game.commands, by_game.showcase):
        assert part("no_such_game") is None
    assert by_game.cards("no_such_game") is by_game.PLAIN


def test_nothing_outside_the_rooms_looks_into_one() -> None:
    for name, tree in trees():
        for node in ast.walk(tree):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            inside = [module for module in modules if module.startswith("mhing.by_game.")]
            assert not inside, f"{name}, line {node.lineno}: it imports {inside[0]}"  # type: ignore[attr-defined]


SUITE = "arena/suite.py"
"""The fixed tasks of the benchmark are of particular games."""


@pytest.mark.slow
def test_nothing_outside_the_rooms_names_a_game() -> None:
    """Examples in texts may; the package's own name, which a game has too, stands for a default
    game once.
    """
    others = {path.parent.name for path in ENVS.glob("*/*.def")} - {"mhing"}
    assert others
    defaults = []
    for name, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value in others and name != SUITE:
                pytest.fail(f"{name}, line {node.lineno}: it names the game {node.value}")
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "Game":
                named = [each for each in node.args if isinstance(each, ast.Constant)]
                assert not named, f"{name}, line {node.lineno}: it names the game {named[0].value}"
            if isinstance(node, ast.Assign) and "DEFAULT_GAME" in ast.unparse(node.targets[0]):
                defaults.append((name, ast.literal_eval(node.value)))
    assert defaults == [("game.py", mhing.Game().id)]
