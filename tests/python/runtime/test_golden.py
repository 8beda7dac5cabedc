"""Golden files: playthroughs, compared line by line, and the layout of every game.

ctest compares the signatures. Games that only some builds have may lack golden files.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import golden
import pytest
from golden import GOLDEN, command, lines, plan_of, registered, spec_path

import mhing

PLAYTHROUGHS = [path for path in golden.playthroughs() if path.parent.name in mhing.games()]
SPECS = [path for path in sorted((GOLDEN / "spec").glob("*")) if path.stem in mhing.games()]


def how(game_id: str) -> str:
    return f"if the change is meant: {command(game_id)}"


@pytest.mark.parametrize("game_id", registered())
def test_every_registered_game_has_golden_files(game_id: str) -> None:
    """While a game is being written it needs none: a skip, which CI takes for a failure."""
    has = {
        "playthrough": bool(golden.playthroughs(game_id)),
        "spec": spec_path(game_id).exists(),
        "signature": game_id in golden.signatures(),
    }
    missing = " and no ".join(kind for kind, is_there in has.items() if not is_there)
    if missing:
        pytest.skip(f"{game_id} has no {missing}: {command(game_id)}")


def test_golden_files_belong_to_games() -> None:
    games = {path.parent.name for path in golden.playthroughs()}
    games |= {path.stem for path in (GOLDEN / "spec").glob("*")} | set(golden.signatures())
    gone = {game for game in games if not golden.has_folder(game)}
    assert not gone, f"tests/golden: no folder of envs/ is named {', '.join(gone)}"


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_playthrough(path: Path) -> None:
    assert plan_of(path).game == path.parent.name
    written = path.read_text(encoding="utf-8").splitlines()
    decision = ""
    for number, (expected, line) in enumerate(zip_longest(written, lines(plan_of(path))), 1):
        if expected is not None and expected.startswith("--"):
            decision = expected
        assert line == expected, f"{path.name}:{number} ({decision}); {how(path.parent.name)}"


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_spec(path: Path) -> None:
    written = json.loads(path.read_text(encoding="utf-8"))
    assert mhing.Game(path.stem).describe() == written, how(path.stem)


# ---- The command that writes them ----------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for golden files instead of the real one."""
    (tmp_path / "signature.txt").write_text(golden.SIGNATURES.read_text())
    monkeypatch.setattr(golden, "GOLDEN", tmp_path)
    monkeypatch.setattr(golden, "SIGNATURES", tmp_path / "signature.txt")
    monkeypatch.setattr(golden, "BYTES", tmp_path / "bytes.txt")
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(sys, "argv", ["golden.py", *line.split()])
    golden.main()


def test_the_command_writes_all_golden_files_of_a_game(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game without any gets a playthrough of at least SHORT decisions. The rest stays."""
    kept = golden.signatures()
    monkeypatch.setattr(golden, "measure_signatures", lambda games: dict.fromkeys(games, "0123"))
    monkeypatch.setattr(golden, "measure_bytes", lambda games: [f"4567 {game}\n" for game in games])
    golden.BYTES.write_text("1 general_mhing\n2 mhing\n")
    run(monkeypatch, "general_mhing")
    written = (folder / "playthroughs/general_mhing/default.txt").read_text()
    assert len(re.findall("^action ", written, re.MULTILINE)) >= golden.SHORT
    assert golden.signatures() == kept | {"general_mhing": "0123"}
    assert golden.BYTES.read_text() == "2 mhing\n4567 general_mhing\n"
    spec = json.loads((folder / "spec/general_mhing.json").read_text())
    assert spec == mhing.Game("general_mhing").describe()
    run(monkeypatch, "general_mhing")
    assert (folder / "playthroughs/general_mhing/default.txt").read_text() == written


def test_one_more_playthrough_keeps_its_plan(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(monkeypatch, "--add general_mhing/win --seed 5 --odd 9 --bot random --option reward=win")
    path = folder / "playthroughs/general_mhing/win.txt"
    plan = golden.Plan("general_mhing", 5, "random", 9, 1, {"reward": "win"})
    assert plan_of(path) == plan
    assert path.read_text().splitlines() == list(lines(plan))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("chess", "there is no folder envs/chess"),
        ("--add chess/x", "there is no folder envs/chess"),
        ("--add mhing", "write GAME/NAME"),
        ("--add mhing/x --option colour=red", "option 'colour' is unknown"),
        ("--add mhing/x --bot nobody", "nobody"),
        ("--add mhing/x --odd 0", "--odd 0"),
    ],
)
def test_bad_input_is_one_line(line: str, words: str) -> None:
    done = subprocess.run(
        [sys.executable, golden.__file__, *line.split()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
