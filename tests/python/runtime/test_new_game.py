"""The command that copies the template: a game that compiles and plays at once."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from golden import registered

pytestmark = pytest.mark.once
ROOT = Path(__file__).parents[3]

SMOKE = """
#include <stdio.h>
#include "mh.h"

int main(void)
{
    static char text[65536];
    char message[MH_MESSAGE_SIZE] = "";
    uint64_t state[1024];
    struct mh_game *game = NULL;
    if (mh_game_new("whist", "", message, &game) != MH_OK || mh_game_count() != 1) {
        fprintf(stderr, "%s", message);
        return 1;
    }
    mh_game_describe(game, text, sizeof text);
    printf("%s\\n", text);
    printf("%s\\n", mh_sprite_at(mh_sprite_count() - 1)->name);
    for (uint64_t seed = 0; seed < 50; seed++) {
        double returns[MH_MAX_SEATS];
        mh_state_reset(game, state, seed, message);
        mh_state_play_out(game, state, (const int32_t[MH_MAX_SEATS]){0}, seed);
        mh_state_returns(game, state, returns);
        printf("%g %g\\n", returns[0], returns[1]);
    }
    mh_game_free(&game);
    return 0;
}
"""
"""Prints what a game says of itself, the last sprite, then the returns of 50 episodes."""

IN_SHORT = [f"tests/python/{name}" for name in ("runtime", "rules", "words", "text", "secrets")]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what builds the core."""
    for name in ("csrc", "envs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("CMakeLists.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(
        ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("c", "golden")
    )
    return tmp_path


def new_game(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, tree / "envs/new_game.py", *words],
        capture_output=True,
        text=True,
        check=False,
    )


def run(tree: Path, *words: str) -> str:
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def smoke(tree: Path, *settings: str) -> list[str]:
    """Builds the core alone, without a warning, and what SMOKE prints with it."""
    (tree / "tests/c/core").mkdir(parents=True)
    (tree / "tests/c/core/test_smoke.c").write_text(SMOKE)
    (tree / "tests/golden").mkdir()
    run(tree, "cmake", "-S", ".", "-B", "build", "-DMHING_WERROR=ON", "-DMHING_SERVER=OFF",
        "-DCMAKE_BUILD_TYPE=Debug", *settings)  # fmt: skip
    run(tree, "cmake", "--build", "build", "--target", "test_smoke", "--parallel", "2")
    return run(tree, "build/test_smoke").splitlines()


def environment_beside(folder: Path) -> str:
    """The interpreter of a new environment that also finds what this one has."""
    run(folder.parent, sys.executable, "-m", "venv", "--without-pip", str(folder))
    (own,) = folder.glob("lib/python*/site-packages")
    packages = [path for path in sys.path if Path(path).name == own.name]
    (own / "beside.pth").write_text("\n".join(packages))
    return str(folder / "bin/python")


def in_other_words(text: str) -> str:
    return text.replace("leduc", "whist").replace("Leduc poker", "Hearts and Whist")


@pytest.mark.slow
def test_a_copy_compiles_and_plays_as_the_template(tree: Path) -> None:
    done = new_game(tree, "whist", "Hearts and Whist")
    assert (done.returncode, done.stderr) == (0, "")
    assert "tests/python/rules/test_whist.py\n" in done.stdout
    assert "pytest tests/python -k whist" in done.stdout
    assert (tree / "envs/games.def").read_text().endswith("\nMH_GAME(whist)\n")
    files = {path.name for path in (tree / "envs/whist").iterdir()}
    assert files == {in_other_words(path.name) for path in (tree / "envs/leduc").iterdir()}
    for path in (tree / "envs/whist").iterdir():
        text = path.read_text()
        assert "leduc" not in text.lower()
        assert "new_game" not in text
    (tree / "envs/games.def").write_text("MH_GAME(whist)\n")  # the others take long to compile
    rules_test = (tree / "tests/python/rules/test_whist.py").read_text()
    assert 'rules_of("whist")' in rules_test
    assert "leduc" not in rules_test.lower()
    text, sprite, *returns = smoke(tree)
    assert sprite.startswith("playing-")
    described = json.loads(text)
    spec = json.loads(in_other_words((ROOT / "tests/golden/spec/leduc.json").read_text()))
    assert described.pop("layout") != spec.pop("layout")
    assert described == spec
    assert len(set(returns)) > 5


@pytest.mark.slow
def test_a_copy_that_is_not_registered_is_built_on_demand(tree: Path, tmp_path: Path) -> None:
    """Also when its folder lies elsewhere, and so is its art."""
    registered = (tree / "envs/games.def").read_text()
    done = new_game(tree, "whist", "Whist", "--extra")
    assert done.returncode == 0
    assert "MHING_EXTRA_GAMES=whist" in done.stdout
    assert (tree / "envs/games.def").read_text() == registered
    shutil.move(tree / "envs/whist", tmp_path / "elsewhere/whist")
    drawn = '<g id="whist-pass" data-size="8 8"><circle r="4" fill="#ffffff"/></g>'
    (tmp_path / "elsewhere/whist/art.svg").write_text(f"<svg>{drawn}</svg>")
    (tree / "envs/games.def").write_text("")
    text, sprite, *_ = smoke(tree, f"-DMHING_EXTRA_GAMES={tmp_path}/elsewhere/whist")
    assert json.loads(text)["title"] == "Whist"
    assert sprite == "whist-pass"


@pytest.mark.slow
def test_a_copy_passes_the_tests_of_all_games(
    tree: Path, tmp_path: Path, full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole package, with the new game in it, installed beside this one.

    All tests that name the game with --full; else the folders that hold games to their contract, in
    two variants of the game and without the slow ones.
    """
    if not full and os.environ.get("CI") != "true":
        pytest.skip("takes minutes: with --full, and in CI")
    if find_spec("_editable_skbc_mhing"):
        pytest.skip("an editable mhing hides any other")
    shutil.copytree(ROOT / "python", tree / "python")
    shutil.copytree(ROOT / "tests", tree / "tests", dirs_exist_ok=True)
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    assert new_game(tree, "whist", "Whist").returncode == 0
    python = environment_beside(tmp_path / "venv")
    run(tree, sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps",
        "--ignore-installed", str(tree), "-C", "cmake.define.MHING_SERVER=ON",
        "-C", "cmake.define.MHING_EXTRA_GAMES=leduc")  # fmt: skip
    monkeypatch.setenv("CI", "")
    chosen = ["tests/python"] if full else [*IN_SHORT, "--few", "-m", "not slow"]
    out = run(tree, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "whist", *chosen)
    assert int(re.findall(r"(\d+) passed", out)[-1]) > (500 if full else 150)


@pytest.mark.slow
def test_the_package_has_the_registered_games_only(tree: Path) -> None:
    """The template exists to be copied, and in builds that ask for it."""
    assert "leduc" not in registered()
    assert "EXTRA_GAMES" not in (tree / "pyproject.toml").read_text()
    run(tree, "cmake", "-S", ".", "-B", "build", "-DMHING_SERVER=OFF", "-DCMAKE_BUILD_TYPE=Debug")
    compiled = (tree / "build/compile_commands.json").read_text()
    assert all(f"envs/{game}/" in compiled for game in registered())
    assert "envs/leduc/" not in compiled
    assert "MH_GAME" not in (tree / "build/generated/extra_games.def").read_text()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("Whist", "W"), "use a-z, 0-9 and _"),
        (("1st", "W"), "use a-z, 0-9 and _"),
        (("../whist", "W"), "use a-z, 0-9 and _"),
        (("", "W"), "use a-z, 0-9 and _"),
        (("w" * 24, "W"), "it has 24 letters"),
        (("switch", "W"), "a word or a header of C"),
        (("string", "W"), "a word or a header of C"),
        (("lambda", "W"), "a word of Python"),
        (("mhing", "W"), "envs/mhing exists"),
        (("leduc", "W"), "envs/leduc exists"),
        (("rummy", "W"), "rummy (envs/mexican_rummy/mexican_rummy.h)"),
        (("mh_whist", "W"), "begin with mh_"),
        (("whist", 'the "W"'), "title"),
        (("whist", "Wh\u00efst"), "title"),
        (("whist", ""), "title"),
    ],
)
def test_names_that_cannot_be_are_refused_in_one_line(words: tuple[str, str], reason: str) -> None:
    done = new_game(ROOT, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (ROOT / "envs" / "whist").exists()
