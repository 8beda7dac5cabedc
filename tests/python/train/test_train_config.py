"""Settings in files: keys and schema, what is refused, and runs repeated by their own file."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from result_schema import CONFIG, spoilt, validator
from small_runs import TUNE, one_thread  # noqa: F401  a fixture

import mhing
from mhing.cli import main, make_parser
from mhing.cli.manual import commands_of
from mhing.train import run as training
from mhing.train.config import (
    PACKAGED,
    packaged,
    plain,
    read,
    schema,
    settings_of,
    to_toml,
)
from mhing.train.folder import RunFolder
from mhing.train.learner import Settings

Capture = pytest.CaptureFixture[str]

EVERY_FEATURE = tuple(feature.name for feature in mhing.Game("mhing").features)

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"

ABOUT_THE_CALL = {
    "help", "config", "out", "resume", "curve", "json", "profile", "list-configs",
}  # fmt: skip
"""Options of the command that are no settings."""


def settings(line: str, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings with which the command begins a run."""
    seen: list[Settings] = []

    def start(_: Path, given: Settings) -> None:
        seen.append(given)
        raise ValueError("no further")

    monkeypatch.setattr(training, "start", start)
    assert main(["train", *line.split()]) == 2
    return seen[0]


def refused(line: str, capsys: Capture) -> str:
    assert main(["train", *line.split()]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    return err


# ---- The declaration ----------------------------------------------------------------------------


def test_the_published_schema_is_that_of_the_declaration() -> None:
    """`python -m mhing.train.config` prints it."""
    published = PACKAGED.parent / "config.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == schema()


def test_the_keys_are_the_options_of_the_command() -> None:
    (train,) = (one.parser for one in commands_of(make_parser()) if one.name == "train")
    options = {
        name.removeprefix("--")
        for one in train._actions
        for name in one.option_strings
        if name.startswith("--")
    }
    assert options - ABOUT_THE_CALL == {*schema()["properties"]} - {"sweep"}
    assert options > ABOUT_THE_CALL


def test_what_the_schema_refuses_is_refused() -> None:
    """By the package, which needs no library for it, and by one that checks schemas."""
    good = {
        "game": "leduc", "players": 2, "opponents": ["greedy"], "minutes": 1, "seed": 0,
        "option": {"max_raises": 1}, "tune": {"rows": 8.0, "clip": 0.1},
    }  # fmt: skip
    validator(CONFIG).validate(good)
    read(to_toml(good).encode(), "good")
    wrong = [*spoilt(good), ("low", good | {"seed": -1}), ("high", good | {"seed": 1 << 16})]
    wrong += [("bool", good | {"seed": True}), ("text", good | {"opponents": [1]})]
    wrong += [("tune", good | {"tune": {"colour": 1}}), ("whole", good | {"tune": {"rows": 1.5}})]
    count = 0
    for what, value in wrong:
        if not validator(CONFIG).is_valid(value):
            count += 1
            with pytest.raises(ValueError, match=r"^wrong: "):
                read(to_toml(value).encode(), "wrong")
        else:
            assert " has no " in what or what.startswith("['option'"), what
    assert count > 20


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("learning_rat = 1", "learning_rat: there is no such setting; it is none of game, option"),
        ("oponents = []", "oponents: there is no such setting; did you mean opponents?"),
        ("[tune]\nlearning_rat = 1", "tune.learning_rat: there is no such setting; did you mean l"),
        ('minutes = "5"', "minutes: '5' is not a number from 0 to 525600"),
        ("minutes = nan", "minutes: nan is not a number from 0"),
        ("seed = 1.5", "seed: 1.5 is not a whole number from 0 to 65535"),
        ('opponents = "greedy"', "opponents: 'greedy' is not a list, such as"),
        ("opponents = [1]", "opponents: 1 is not a text"),
        ("option = 1", "option: 1 is not a table of names and values"),
        ("[option]\nhints = 0.5", "option.hints: 0.5 is not true, false or a whole number or a t"),
        ("minutes = = 5", "wrong.toml: Invalid value (at line 1, column 11)"),
        ('players = 3\n[option]\nnum_players = 2', "players: 3 here, but 2 by option.num_players"),
        ('game = "chess"', "'chess'"),
        ("seed = 2", 'game: it is not said; name it, such as game = "mhing" in the file'),
        ('rules = "boxed"', "game: it is not said"),
        ('game = "leduc"\nsteps = 9\nminutes = 1', "steps: the length is given in minutes as well"),
        ('game = "leduc"\n[sweep]\nseed = { low = 1, high = 2 }', "or run mhing sweep"),
    ],
)  # fmt: skip
def test_files_that_are_refused(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.toml").write_text(text)
    assert words in refused("--config wrong.toml --out run", capsys)
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mhing-fited", "the package has no such settings; did you mean mhing-fitted?"),
        ("chess", "the package has no such settings; it is none of general_mhing-fitted, "),
        ("mine", "the package has no such settings; for the file write mine.toml"),
        ("mine.yaml", "mine.yaml: settings are files in TOML; end its name in .toml"),
        ("nowhere.toml", "nowhere.toml: No such file or directory"),
    ],
)
def test_files_that_are_not_there(
    name: str, words: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("")
    assert words in refused(f"--config {name}", capsys)


def test_python_3_10_needs_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 0))
    monkeypatch.setitem(sys.modules, "tomli", None)
    with pytest.raises(ModuleNotFoundError, match="tomli is missing: pip install"):
        read(b"", "file")


# ---- Options over files -------------------------------------------------------------------------

FILE = """
game = "mhing"
players = 3
opponents = ["greedy", "expert"]
steps = 70
seed = 4
sees = "observation"
teacher = "none"

[option]
seven_pairs = true
lay_down = true

[tune]
rows = 64
clip = 0.3
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", {"steps": 70, "seed": 4, "teacher": None, "opponents": ("greedy", "expert")}),
        ("--steps 9 --seed 0", {"steps": 9, "seed": 0}),
        ("--minutes 2", {"steps": 0, "minutes": 2.0}),
        ("--tune rows=8 --tune epochs=1", {"tuning": {"rows": 8, "clip": 0.3, "epochs": 1}}),
        ("--opponents random", {"opponents": ("random",)}),
        ("--teacher greedy", {"teacher": "greedy"}),
    ],
)
def test_options_of_the_command_come_before_the_file(
    line: str, expected: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE)
    found = settings(f"--config {path} {line}", monkeypatch)
    assert {name: getattr(found, name) for name in expected} == expected


def test_blanks_around_names_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Settings] = []
    monkeypatch.setattr(training, "start", lambda _, given: seen.append(given) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["train", "mhing", "--skip", "expert, laid", "--opponents", "greedy ,expert"])
    assert (seen[0].skip, seen[0].opponents) == (("expert", "laid"), ("greedy", "expert"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", {"num_players": 3, "seven_pairs": True, "lay_down": True, "hints": True}),
        ("--players 2 --option seven_pairs=off", {"num_players": 2, "seven_pairs": False}),
        ("--rules boxed", {"lay_down": False, "seven_pairs": True}),
        ("--option hints=off --reward win", {"hints": False, "reward": "win"}),
    ],
)
def test_options_of_the_game_come_before_those_of_the_file(
    line: str, expected: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE)
    found = settings(f"--config {path} {line}", monkeypatch).options
    assert {name: found[name] for name in expected} == expected


def test_a_file_for_the_game_that_the_command_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("seed = 7")
    found = settings(f"leduc --config {path}", monkeypatch)
    assert (found.game, found.seed) == ("leduc", 7)
    assert settings("--seed 7", monkeypatch).game == "mhing"


# ---- Settings in Python -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"game": None}, TypeError, "game: None is not a text"),
        ({"options": ["hints"]}, TypeError, "options: ['hints'] is not a table of names and val"),
        ({"options": {"hints": 0.5}}, TypeError, "options.hints: 0.5 is not true, false or a wh"),
        ({"method": 3}, TypeError, "method: 3 is not a text"),
        ({"tuning": {"rows": "8"}}, TypeError, "tuning.rows: '8' is not a number"),
        ({"minutes": "5"}, TypeError, "minutes: '5' is not a number from 0 to 525600"),
        ({"minutes": float("nan")}, ValueError, "minutes: nan is not a number from 0"),
        ({"steps": True}, TypeError, "steps: True is not a whole number"),
        ({"steps": -1}, ValueError, "steps: -1 is not a whole number from 0"),
        ({"opponents": "greedy"}, TypeError, "opponents: 'greedy' is not a list, such as"),
        ({"opponents": ("greedy", 1)}, TypeError, "opponents: 1 is not a text"),
        ({"skip": "expert"}, TypeError, "skip: 'expert' is not a list, such as"),
        ({"skip": ("expert", "exp")}, ValueError, "skip: mhing has no feature 'exp', but dist"),
        ({"game": "leduc", "skip": ["a"]}, ValueError, "skip: leduc has no feature 'a'"),
        ({"skip": ("laid", "laid")}, ValueError, "skip: laid is named twice"),
        ({"skip": EVERY_FEATURE}, ValueError, "skip: these are all features of mhing; leave one"),
        ({"skip": ["laid"], "sees": "observation"}, ValueError, "skip: features are skipped, but"),
        ({"teacher": False}, TypeError, "teacher: False is not a text"),
        ({"sees": 1}, TypeError, "sees: 1 is not a text"),
        ({"against": ["greedy"]}, TypeError, "against: ['greedy'] is not a text"),
        ({"seed": 1.5}, TypeError, "seed: 1.5 is not a whole number from 0 to 65535"),
        ({"seed": 1 << 16}, ValueError, "seed: 65536 is not a whole number from 0 to 65535"),
        ({"threads": 0}, ValueError, "threads: 0 is not a whole number from 1"),
        ({"workers": 0}, ValueError, "workers: 0 is not a whole number from 1 to 256"),
        ({"ray": None}, TypeError, "ray: None is not a text"),
        ({"device": 0}, TypeError, "device: 0 is not a text"),
        ({"deals": 1}, ValueError, "deals: 1 is not a whole number from 2"),
        ({"log": {"a": "b"}}, TypeError, "log: {'a': 'b'} is not a list"),
    ],
    ids=str,
)  # fmt: skip
def test_settings_that_are_refused(
    given: dict[str, Any], error: type[Exception], words: str
) -> None:
    """As in files: before anything is made of them, by the name of the argument."""
    with pytest.raises(error, match=f"^{re.escape(words)}"):
        Settings(**given)


def test_every_setting_is_tried_above() -> None:
    (marked,) = test_settings_that_are_refused.pytestmark  # type: ignore[attr-defined]
    tried = {name for given, *_ in marked.args[1] for name in given}
    assert tried == {one.name for one in fields(Settings)}


@pytest.mark.parametrize(
    ("tuning", "words"),
    [
        ({"clip": float("nan")}, "clip: nan is not a number from 0 to 2147483647"),
        ({"clip": float("inf")}, "clip: inf is not a number from 0 to"),
        ({"clip": -0.1}, "clip: -0.1 is not a number from 0 to"),
        ({"rows": float("nan")}, "rows: nan is not a whole number from 1 to 2147483647"),
        ({"rows": float("inf")}, "rows: inf is not a whole number from 1 to"),
        ({"rows": 8.5}, "rows: 8.5 is not a whole number from 1 to"),
    ],
    ids=str,
)
def test_numbers_of_a_method_that_are_refused(tuning: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=f"^tuning: {re.escape(words)}"):
        Settings("leduc", tuning=tuning).make_learner()


def test_numbers_of_numpy_and_lists_become_plain() -> None:
    settings = Settings(
        "leduc", seed=np.uint8(3), minutes=np.float32(2.5), opponents=["a"], tuning={"rows": 8.0}
    )  # type: ignore[arg-type]
    assert settings == Settings("leduc", seed=3, minutes=2.5, opponents=("a",), tuning={"rows": 8})
    assert (type(settings.seed), type(settings.minutes)) == (int, float)
    assert Settings("leduc", workers=0, ray="local").workers == 0


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"gaem": "leduc"}, ValueError, "gaem: there is no such setting; did you mean game?"),
        ({"game": "leduc", "seed": "1"}, TypeError, "seed: '1' is not a whole number"),
        ({"game": "leduc", "tune": {"rows": "8"}}, TypeError, "tuning.rows: '8' is not a number"),
        ({}, ValueError, "game: it is not said"),
    ],
)
def test_values_that_are_refused(given: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(words)}"):
        settings_of(given)


def test_the_way_back() -> None:
    """Texts of all kinds are read as they were written."""
    settings = Settings(
        "leduc", {"max_raises": 1}, "ppo", {"rows": 16.0, "clip": 1e-05}, steps=5,
        opponents=('net:a "b"\\c\x7f\n', "ä"), against="self", sees="observation", ray="local",
        workers=0,
    )  # fmt: skip
    again = settings_of(read(to_toml(plain(settings)).encode(), "file"))
    assert replace(again, options=settings.options) == settings
    assert again.options == {"num_players": 2, "max_raises": 1}


@pytest.mark.slow
def test_a_run_is_repeated_by_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit, by the file that its folder has, whatever options began it."""
    monkeypatch.chdir(tmp_path)
    line = f"--steps 2000 --deals 20 --seed 3 --option max_raises=1 --out one {TUNE}"
    assert main(f"train leduc {line}".split()) == 0
    assert main(["train", "--config", "one/settings.toml", "--out", "other"]) == 0
    texts = [Path(name, "settings.toml").read_text() for name in ("one", "other")]
    assert texts[0] == texts[1]
    one, other = ((Path(name, "policy.onnx").read_bytes()) for name in ("one", "other"))
    assert one == other
    logs = [RunFolder.open(name).lines() for name in ("one", "other")]
    for lines in logs:
        for row in lines:
            for name in [name for name in row if name.startswith("seconds")]:
                del row[name]
    assert logs[0] == logs[1]


# ---- The files of the package -------------------------------------------------------------------

NAMES = [one.name for one in packaged()]


def test_all_games_have_settings_that_can_be_listed(capsys: Capture) -> None:
    assert {name.partition("-")[0] for name in NAMES} == {"mhing", "general_mhing", "mexican_rummy"}
    assert main(["train", "--list-configs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", *NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_settings_of_the_package_are_those_that_were_measured(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command of the results, or of a net's card, begins the same run; they have the figures."""
    (about,) = (one for one in packaged() if one.name == name)
    figures, file = re.fullmatch(r"(.+): (\w+\.json)", about.measured).groups()  # type: ignore[union-attr]
    results = (BENCHMARKS / "results" / file).read_text(encoding="utf-8")
    cards = (BENCHMARKS / "CARDS.md").read_text(encoding="utf-8")
    found = re.findall(r"[-+]?[\d.]+ ± [\d.]+", figures)
    assert found
    assert all(f'"{one}"' in results for one in found)
    commands = re.findall(r"[`\"]mhing train ([^`\"]+)", results + cards)
    assert settings(f"--config {name}", monkeypatch) in [
        settings(one, monkeypatch) for one in commands
    ]
