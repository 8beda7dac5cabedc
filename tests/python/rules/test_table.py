"""Every numbered rule has a test that names it, and every name is that of a rule."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rules.citing import ROOT, TESTS, cited_rules, games, numbered_rules

every_game = pytest.mark.parametrize("game", games())


@pytest.mark.slow
@every_game
def test_every_rule_has_a_test(game: str) -> None:
    table = cited_rules(game)
    missing = [number for number in numbered_rules(game) if number not in table]
    assert missing == [], (
        f"tests/python/rules/test_{game}*.py: no test has @rule({missing[0]!r}); any file of"
        f" tests/python may have one: rule = rules_of({game!r})"
    )


@pytest.mark.slow
@every_game
def test_every_citation_is_of_a_rule(game: str) -> None:
    assert sorted(set(cited_rules(game)) - set(numbered_rules(game))) == []


@pytest.mark.slow
def test_pytest_selects_by_rule() -> None:
    """`-k R4.4` selects the tests that the table has."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-k",
        "R4.4",
        "-p",
        "no:xdist",
    ]
    run = subprocess.run(
        [*command, str(TESTS / "rules")], capture_output=True, text=True, check=False, cwd=ROOT
    )
    chosen = {line.split("[")[0] for line in run.stdout.splitlines() if "::" in line}
    expected = {
        test
        for game_id in games()
        for test in cited_rules(game_id).get("R4.4", [])
        if test.startswith("tests/python/rules/")
    }
    assert chosen == expected
    assert expected
