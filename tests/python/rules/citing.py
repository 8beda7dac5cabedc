"""Tests by the numbered rules that they hold a game to.

A test that fails where a rule is broken names it:

    rule = rules_of("mhing")

    @rule("R4.4")
    def test_a_triplet_beats_a_sequence() -> None: ...

`pytest tests/python -k R4.4` runs the tests of a rule, and this file prints the table of them all:

    python tests/python/rules/citing.py          every game
    python tests/python/rules/citing.py mhing    one game
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "tests" / "python"

Table = dict[str, list[str]]
"""For each rule the tests that name it, as pytest takes them."""


def rules_of(game_id: str) -> Callable[..., pytest.MarkDecorator]:
    """The decorator of a game's tests: it takes the numbers of rules in its RULES.md."""

    def rule(*numbers: str) -> pytest.MarkDecorator:
        return pytest.mark.rule(game_id, *numbers)

    return rule


def numbered_rules(game_id: str) -> list[str]:
    """The numbers of all rules of a game, in their order."""
    text = (ROOT / "envs" / game_id / "RULES.md").read_text(encoding="utf-8")
    return re.findall(r"^\*\*(R\d+\.\d+)\*\*", text, re.MULTILINE)


def cited_rules(game_id: str) -> Table:
    """The tests of a game's rules, from the decorators in the files: nothing is imported or run."""
    table: Table = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for number, test in _citations(path, game_id):
            table.setdefault(number, []).append(test)
    return table


def _citations(path: Path, game_id: str) -> Iterator[tuple[str, str]]:
    """The rules that a file's tests name, if it names any of this game."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and _is_rules_of(node.value, game_id)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in tree.body if names else ():
        if not isinstance(node, ast.FunctionDef):
            continue
        for call in node.decorator_list:
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id in names
            ):
                for argument in call.args:
                    yield ast.literal_eval(argument), f"{path.relative_to(ROOT)}::{node.name}"


def _is_rules_of(value: ast.expr, game_id: str) -> bool:
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "rules_of"
        and ast.literal_eval(value.args[0]) == game_id
    )


def games() -> list[str]:
    """The games that have numbered rules."""
    return sorted(path.parent.name for path in (ROOT / "envs").glob("*/RULES.md"))


def main() -> int:
    """Prints the table; the result is 2 for a game that there is not."""
    chosen = sys.argv[1:] or games()
    for game_id in chosen:
        if game_id not in games():
            print(f"citing: no game '{game_id}'; there are {', '.join(games())}", file=sys.stderr)
            return 2
        table = cited_rules(game_id)
        print(f"{game_id}")
        for number in numbered_rules(game_id):
            print(f"  {number:6} {'  '.join(table.get(number, ['no test']))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
