"""The command `mhing-server`: its options, its output, and what it says while it runs."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from server_process import Client, Server, executable


def refused(*arguments: str) -> str:
    """The line on stderr of a server that does not start."""
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
        (["--log", "xml"], "--log: 'xml' is neither text nor json"),
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


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_lines_of_json(tmp_path: Path) -> None:
    """Each line is one object with the time, on the stream where its text would be; the page lists
    the events and their fields."""
    page = (Path(__file__).parents[3] / "csrc/server/OPERATING.md").read_text(encoding="utf-8")
    events = page.partition("| event | fields | |")[2]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", events, re.MULTILINE)
    fields = {event: re.findall(r"`(\w+)`", names) for event, names in rows}
    (shown,) = re.findall(r'^(\{.*"event": "figures".*\})$', page, re.MULTILINE)
    fields["figures"] = [*json.loads(shown)][2:]
    pair = subprocess.check_output([executable(), "--keygen"], text=True)
    (tmp_path / "secret").touch(0o600)
    (tmp_path / "secret").write_text(pair)
    (tmp_path / "allow").write_text("")
    command = [
        executable(), "--bind", f"ipc://{tmp_path}/socket", "--log=json", "--figures=1",
        "--curve-secret", str(tmp_path / "secret"), "--allow", str(tmp_path / "allow"),
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        lines = [process.stdout.readline()]
        process.send_signal(signal.SIGHUP)
        lines.append(process.stdout.readline())
        (tmp_path / "allow").unlink()
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        process.send_signal(signal.SIGUSR1)
        out, err = process.communicate(timeout=30)
        lines += out.splitlines()
    heard = [json.loads(line) for line in lines]
    assert [line["event"] for line in heard] == ["ready", "keys", "draining"]
    assert (heard[0]["endpoint"], heard[1]["listed"]) == (f"ipc://{tmp_path}/socket", 0)
    (error,) = [json.loads(line) for line in err.splitlines()]
    assert "allow" in error["text"]
    for line in (*heard, error):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line["time"])
        assert [*line][2:] == fields[line["event"]]


@pytest.mark.slow
def test_figures_in_json(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "csrc/server/OPERATING.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r'^(\{.*"event": "figures".*\})$', page, re.MULTILINE)
    endpoint = f"ipc://{tmp_path}/socket"
    command = [executable(), "--bind", endpoint, "--log", "json", "--figures", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert json.loads(process.stdout.readline())["event"] == "ready"
        with Client(endpoint) as client:
            client.hello()
            client.start_rows(rows=4)
            figures = json.loads(process.stdout.readline())
        process.terminate()
    assert [*figures] == [*json.loads(shown)]
    assert figures["sessions"] == 1


def test_errors_at_the_start_in_json(tmp_path: Path) -> None:
    """Also of bytes that are no UTF-8, which the system allows."""
    command = [executable().encode(), b"--log=json", b"--bind", b"ipc:///nowhere\xff\xc3/x"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = [json.loads(line) for line in done.stderr.decode().splitlines()]
    assert line["event"] == "error"
    assert "nowhere\ufffd\ufffd" in line["text"]
