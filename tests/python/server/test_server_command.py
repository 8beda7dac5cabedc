"""The command `mhing-server`: its options, its output, and what it says while it runs."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from server_process import Client, Server, executable


def refused(*arguments: str) -> str:
    """What it says on stderr where it does not start."""
    done = subprocess.run([executable(), *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("mhing-server: ")
    return done.stderr


def test_a_value_after_an_equals_sign(tmp_path: Path) -> None:
    arguments = [executable(), f"--bind=ipc://{tmp_path}/a=b", "--sessions=3", "--tables", "2"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"ready ipc://{tmp_path}/a=b\n"
        process.terminate()
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bind"], "--bind: its value is missing"),
        (["--bind="], "--bind: its value is missing"),
        (["--bind", ""], "--bind: its value is missing"),
        (["--state="], "--state: its value is missing"),
        (["--open-seeds=yes"], "--open-seeds: it takes no value"),
        (["--tables=0"], "--tables: '0' is not a whole number from 1 to"),
        (["--tables=1x"], "--tables: '1x'"),
        (["--tables=99999999999999999999"], "--tables: '99999999999999999999'"),
        (["--table=1"], "no option '--table=1'"),
        (["--tabless=1"], "no option '--tabless=1'"),
        (["--"], "no option '--'"),
        (["="], "no option '='"),
        ([""], "no option ''"),
        (["tcp://127.0.0.1:1"], "no option 'tcp://127.0.0.1:1': options begin with --"),
        (["--a\nb"], "no option '--a?b'"),
        (["--bots", "clever"], "--bots: no bot 'clever' for "),
        (["--bots", "search:5 search:many"], "--bots: bot search: 'many' is no budget"),
        (["--bots", "search:5", "--bots=search:6"], '--bots "search:5 search:6"'),
        (["--bots", "search:5," + "x" * 60], "--bots: a name has more than 64 bytes"),
    ],
)
def test_options_that_cannot_be(arguments: list[str], words: str) -> None:
    assert words in refused(*arguments)


def test_folders_are_made_where_all_else_is_right(tmp_path: Path) -> None:
    for option in ("--state", "--records"):
        assert "--bind" in refused(option, str(tmp_path / "new"), "--bind", "nowhere")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--help", "--version", "--keygen"])
@pytest.mark.parametrize("where", [">&-", ">/dev/full"])
def test_output_that_is_closed_or_full(option: str, where: str) -> None:
    command = ["sh", "-c", f"exec '{executable()}' {option} {where}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    words = "mhing-server: standard output cannot be written to\n"
    assert (done.returncode, done.stderr) == (2, words)


def test_streams_that_are_closed(tmp_path: Path) -> None:
    """Nothing that is printed gets into a client's connection."""
    command = f"exec '{executable()}' --bind ipc://{tmp_path}/socket --figures 1 <&- >&- 2>&-"
    with subprocess.Popen(["sh", "-c", command]) as process:
        while not (tmp_path / "socket").exists():
            assert process.poll() is None
            time.sleep(0.01)
        with Client(f"ipc://{tmp_path}/socket") as client:
            assert client.hello()[0] == "ok"
            for _ in range(12):
                assert client("ping")[0] == "ok"
                time.sleep(0.1)
        process.terminate()
    assert process.returncode == 0


def test_figures_are_printed_where_they_have_changed(tmp_path: Path) -> None:
    with Server(tmp_path, "--figures", "1") as server:
        time.sleep(2.5)  # in which nobody comes
        with Client(server.endpoint) as client:
            assert client.hello()[0] == "ok"
            assert client("ping")[0] == "ok"
            assert server.process.stdout is not None
            first = server.process.stdout.readline()
            assert " sessions 1, " in first
            time.sleep(2.5)  # in which nothing is asked
            assert client("ping")[0] == "ok"
            second = server.process.stdout.readline()
            requests = [int(line.split("requests ")[1].split(",")[0]) for line in (first, second)]
            assert requests[0] < requests[1]
