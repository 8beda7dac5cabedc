"""The command's documentation: help, a page for man, and completion in real shells."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from select import select

import pytest
from terminals import read_terminal

from mhing.cli import main, make_parser
from mhing.cli.completion import SHELLS
from mhing.cli.manual import commands_of

pytestmark = pytest.mark.once

Capture = pytest.CaptureFixture[str]


def printed(capsys: Capture, *words: str) -> str:
    """The output of a command that ends as --help does."""
    try:
        status = main(words)
    except SystemExit as end:
        status = int(end.code or 0)
    assert status == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", [one.name for one in commands_of(make_parser())])
def test_help_of_a_command_is_that_of_its_option(command: str, capsys: Capture) -> None:
    assert printed(capsys, "help", command) == printed(capsys, command, "--help")


def test_help_of_nothing_is_that_of_everything(capsys: Capture) -> None:
    assert printed(capsys, "help") == printed(capsys, "--help")


def test_analyze_is_analyse(capsys: Capture) -> None:
    assert printed(capsys, "help", "analyze") == printed(capsys, "analyse", "--help")


@pytest.mark.parametrize(
    "name", ["GeneralMhing-v0", "mhing:GeneralMhing-v0", "general_mhing_v0", "General_Mhing"]
)
def test_a_game_has_the_names_of_its_environments(name: str, capsys: Capture) -> None:
    assert printed(capsys, "describe", name) == printed(capsys, "describe", "general_mhing")
    assert printed(capsys, "describe", "--game", name) == printed(capsys, "describe", name)


# ---- The page for man ---------------------------------------------------------------------------


def test_the_page_for_man_has_the_help_of_every_command(tmp_path: Path, capsys: Capture) -> None:
    if not shutil.which("groff"):
        pytest.skip("not installed: groff")
    page = tmp_path / "mhing.1"
    page.write_text(printed(capsys, "--print-man"), encoding="utf-8")
    shown = subprocess.run(
        ["groff", "-man", "-ww", "-Tascii", "-P-cbou", "-rLL=80n", page],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stderr == ""
    words = " ".join(shown.stdout.split())
    for one in commands_of(make_parser()):
        assert f"mhing {one.name} usage: mhing {one.name}" in words
        examples = re.findall(r"^  mhing .+$", one.parser.epilog or "", re.MULTILINE)
        assert examples
        for example in examples:
            assert " ".join(example.split()) in words


# ---- Completion ---------------------------------------------------------------------------------

COMPLETED = [
    ("mhing ar", {"arena"}),
    ("mhing --pr", {"--print-completion", "--print-man"}),
    ("mhing --print-completion f", {"fish"}),
    ("mhing help tr", {"train"}),
    ("mhing arena --fi", {"--field", "--first-seed"}),
    ("mhing arena gree", {"greedy"}),
    ("mhing arena --field exp", {"expert"}),
    ("mhing describe gen", {"general_mhing"}),
    ("mhing describe --game mex", {"mexican_rummy"}),
    ("mhing replay --look dar", {"dark", "dark-safe"}),
    ("mhing replay min", {"mine.jsonl"}),
    ("mhing arena --log min", {"mine.jsonl"}),
    ("mhing describe mine.", set()),
    ("mhing train --config mhing-f", {"mhing-fitted", "mhing-fitted-points"}),
    ("mhing exploit --config min", {"mine.jsonl"}),
    ("mhing publish general_mhing/wi", {"general_mhing/win"}),
    ("mhing publish min", {"mine.jsonl"}),
]


def in_bash(script: Path, line: str) -> set[str]:
    """The offers of bash: the function of the script is called as `complete` calls it."""
    *_, before, word = words = line.split(" ")
    done = subprocess.run(
        ["bash", "--norc", "-c",
         'compopt() { :; }; source "$1"; shift; before=$1 word=$2; shift 2; COMP_WORDS=("$@") '
         'COMP_CWORD=$(($# - 1)); _mhing mhing "$word" "$before"; printf "%s\\n" "${COMPREPLY[@]}"',
         "bash", script, before, word, *words],
        cwd=script.parent, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return {*done.stdout.split()}


def in_fish(script: Path, line: str) -> set[str]:
    """The offers of fish."""
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
        cwd=script.parent, env=os.environ | {"HOME": str(script.parent)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {offer.partition("\t")[0] for offer in done.stdout.splitlines()}


def in_zsh(script: Path, line: str) -> set[str]:
    """The offers of zsh, which lists them in a terminal once Tab was typed twice."""
    process, file = pty.fork()
    if process == 0:
        os.chdir(script.parent)
        os.execvpe("zsh", ["zsh", "-f", "-i"], os.environ | {"TERM": "dumb", "COLUMNS": "200"})
    try:
        typed(
            file, "PS1=; autoload -U compinit; compinit -u -D; zstyle ':completion:*' verbose no\n"
        )
        typed(file, f"source {script}; setopt no_auto_menu; echo ready''now\n", until="readynow")
        shown = typed(file, f"{line}\t", until=line, seconds=0.5) + typed(file, "\t", seconds=0.5)
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
        os.close(file)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|.\x08|\x07", "", shown)
    stem = line.rpartition(" ")[2]
    return {word.rstrip("=") for word in plain.split() if word.startswith(stem)} - {stem}


def typed(file: int, text: str, until: str = "", seconds: float = 0.0) -> str:
    """The output of a terminal after a text was typed: up to some words, and until it is silent."""
    os.write(file, text.encode())
    shown, limit = "", time.monotonic() + 20
    while time.monotonic() < limit and (until not in shown or select([file], [], [], seconds)[0]):
        shown += read_terminal(file).decode()
    return shown


ASKED: dict[str, Callable[[Path, str], set[str]]] = {
    "bash": in_bash,
    "zsh": in_zsh,
    "fish": in_fish,
}


@pytest.fixture
def script(tmp_path: Path, capsys: Capture) -> Callable[[str], Path]:
    (tmp_path / "mine.jsonl").touch()

    def write(shell: str) -> Path:
        if not shutil.which(shell):
            pytest.skip(f"not installed: {shell}")
        path = tmp_path / f"completion.{shell}"
        path.write_text(printed(capsys, "--print-completion", shell), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_completion(shell: str, script: Callable[[str], Path]) -> None:
    path = script(shell)
    offered = {line: ASKED[shell](path, line) for line, _ in COMPLETED}
    assert offered == dict(COMPLETED)


@pytest.mark.slow
@pytest.mark.parametrize(("line", "offers"), [one for one in COMPLETED if len(one[1]) > 1])
def test_completion_in_zsh(line: str, offers: set[str], script: Callable[[str], Path]) -> None:
    assert in_zsh(script("zsh"), line) >= offers  # beside what they have in common


def test_zsh_reads_its_script(script: Callable[[str], Path]) -> None:
    subprocess.run(["zsh", "-n", script("zsh")], check=True)


def test_every_shell_that_is_offered_is_tried() -> None:
    assert {*ASKED} == {*SHELLS}
