"""The command `mhing` at its edges: numbers of any size, odd streams, narrow and plain terminals.

What is expected everywhere: exit code 2 and exactly one line on stderr, and never a traceback.
"""

from __future__ import annotations

import errno
import io
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

import pytest
from terminals import read_terminal

import mhing
from mhing.cli import common, main
from mhing.records import records

COMMAND = (sys.executable, "-m", "mhing")
WINNER = "567s567s678s789s99s"
BEYOND = ("2147483648", "9223372036854775808", "99999999999999999999", "1" * 5000)

Capture = pytest.CaptureFixture[str]


def refused(words: Sequence[str], capsys: Capture) -> str:
    """Runs a command line that must be refused; returns its one line on stderr."""
    try:
        code: object = main(words)
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("mhing")
    assert len(err) < 600
    return err


def shell(line: str, **variables: str) -> tuple[int, str, str]:
    """Runs a line of the shell in which ``mhing`` is the command: code, stdout, stderr."""
    line = f"mhing() {{ '{sys.executable}' -m mhing \"$@\"; }}\n{line}"
    done = subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        env={**os.environ, **variables},
    )
    return done.returncode, done.stdout, done.stderr


# ---- Numbers ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("value", [*BEYOND, "-1", "-" + BEYOND[2], "", "1.5", "1e3", "1_0", "٣"])
@pytest.mark.parametrize(
    "line",
    [
        f"score {WINNER} --flowers",
        "connect tcp://127.0.0.1:1 exec:cat --games",
        "connect tcp://127.0.0.1:1 exec:cat --seat",
        "connect tcp://127.0.0.1:1 exec:cat --clock",
        "arena greedy random --deals",
        "arena greedy random --threads",
        "play --seat",
        "describe --players",
        "describe --option target",
        "train --steps",
        "train --threads",
        "train --seed",
        "train --deals",
        "demo --rounds",
    ],
)
def test_numbers_out_of_bounds(line: str, value: str, capsys: Capture) -> None:
    words = line.split()
    if words[-2] == "--option":
        words[-1] += f"={value}"
    else:
        words.append(value)
    refused(words, capsys)


@pytest.mark.parametrize("value", [BEYOND[2], "-1", "", "nan"])
@pytest.mark.parametrize(
    "line", ["play", "connect tcp://127.0.0.1:1 exec:cat", "demo", "arena greedy random"]
)
def test_seeds_out_of_bounds(line: str, value: str, capsys: Capture) -> None:
    words = refused([*line.split(), "--seed", value], capsys)
    assert "from 0 to 18446744073709551615" in words


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1", "1e300", "", "soon"])
@pytest.mark.parametrize(
    "line", ["play --delay", "bench --seconds", "train --minutes", "arena a b --clock"]
)
def test_times_out_of_bounds(line: str, value: str, capsys: Capture) -> None:
    refused([*line.split(), value], capsys)


def test_huge_evaluations_and_demonstrations_are_refused(capsys: Capture) -> None:
    assert "1000000" in refused(["demo", "--rounds", "1000001"], capsys)
    assert "10000000" in refused(["train", "--deals", "10000001"], capsys)


# ---- One setting, given twice ----------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["play", "describe", "bench", "connect tcp://a:1 exec:cat", "arena a b"]
)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--players 4 --option num_players=3", "--option num_players: 3 here, but 4 before"),
        ("--option num_players=3 --players 4", "--option num_players: 3 here, but 4 before"),
        ("--rules boxed --option rules=jmhing", "--option rules: jmhing here, but boxed before"),
        ("--reward win --option reward=points", "--option reward: points here, but win before"),
        ("--option target=1 --option target=2", "--option target: 2 here, but 1 before"),
    ],
)
def test_a_setting_that_contradicts_another(
    command: str, line: str, words: str, capsys: Capture
) -> None:
    assert words in refused(f"{command} {line}".split(), capsys)


@pytest.mark.parametrize("name", ["id", "self", "game", "options", ""])
def test_settings_that_are_no_options(name: str, capsys: Capture) -> None:
    assert f"{name}" in refused(["describe", "--option", f"{name}=general_mhing"], capsys)


def test_a_setting_that_is_given_twice_the_same(capsys: Capture) -> None:
    assert main(["describe", "--players", "3", "--option", "num_players=3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == mhing.Game(num_players=3).describe()


def test_the_episode_of_play_is_an_option_too(capsys: Capture) -> None:
    words = refused(["play", "--episode", "round", "--option", "episode=game"], capsys)
    assert "--option episode: game here, but round before" in words
    assert main(["play", "--option", "episode=game", "--option", "rounds=1", "--seed", "1"]) == 0
    assert "The game is over" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("connect tcp://a:1 exec:cat", "--bots"),
        ("play", "--opponents"),
        ("train", "--opponents"),
        ("benchmark expert", "--tasks"),
    ],
)
def test_a_list_that_is_given_in_two_parts(command: str, option: str, capsys: Capture) -> None:
    words = refused(f"{command} {option} greedy {option}=random,greedy".split(), capsys)
    assert f"{option}: it is given twice; give it once: {option} greedy,random,greedy" in words


# ---- Messages --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a\nb", "\x1b[2J", "\udcff", "x" * 5000, "", " ", "ß", "-"])
@pytest.mark.parametrize(
    "line",
    ["{}", "score {}", "describe {}", "describe --rules {}", "describe --option {}", "replay {}",
     "describe --option {}=1", "describe --option target={}", "play --opponents {}",
     "play --episode {}", "train {}", "train --curve {}", "demo {}"],
)  # fmt: skip
def test_texts_of_any_kind(line: str, text: str, capsys: Capture) -> None:
    words = [word.replace("{}", text) for word in line.split()]
    assert refused(words, capsys)[:-1].isprintable()


@pytest.mark.parametrize("line", ["score {}", "describe {}", "describe --option {}=1"])
def test_bytes_that_are_no_text(line: str, capsys: Capture) -> None:
    words = refused(line.replace("{}", "a\udcff").split(), capsys)
    assert r"'a\udcff" in words
    assert "bytes that are no text" in words


@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--records", "a\0b"],
        ["serve", "--bind=ipc:///a\0b"],
        ["train", "--out", "a\0b"],
        ["describe", "a\0b"],
    ],
)
def test_a_byte_that_no_argument_can_hold(words: list[str], capsys: Capture) -> None:
    assert "cannot hold a NUL byte" in refused(words, capsys)


def test_a_value_that_only_looks_like_one(capsys: Capture) -> None:
    for line in (f"score {WINNER} --melds=--", "describe --players=--"):
        refused(line.split(), capsys)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without an end")
def test_files_without_an_end(capsys: Capture) -> None:
    assert "line 1: it has 1048576 characters or more" in refused(["replay", "/dev/zero"], capsys)
    key = ["--server-key", "x" * 40, "--key", "/dev/zero"]
    words = refused(["connect", "tcp://127.0.0.1:1", "exec:cat", *key], capsys)
    assert "there is no line 'secret KEY'" in words


def test_a_program_that_there_is_not_is_noticed_before_the_server_is_asked(
    capsys: Capture,
) -> None:
    words = refused(["connect", "tcp://127.0.0.1:1", "exec:/nowhere/bot"], capsys)
    assert "/nowhere/bot cannot be started" in words


def test_the_picture_of_training_is_looked_at_first(tmp_path: Path, capsys: Capture) -> None:
    missing = tmp_path / "no" / "such.svg"
    for path in (missing, tmp_path, ""):
        words = refused(["train", "--curve", str(path)], capsys)
        assert f"--curve: {str(path)!r}" in words
    assert "torch" not in words


def test_files_that_may_not_be_read_or_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "secret").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for anybody but root
    for command, words in (("replay", "cannot be read"), ("train --curve", "no file can be")):
        path = tmp_path / ("secret" if command == "replay" else "new")
        assert words in refused([*command.split(), str(path)], capsys)


FIRST = (
    '{"format":1,"game":"leduc","rules_version":0,"options":{},"seed":0,"players":["ann","bob"]}\n'
)
MOVE = '{"seat":0,"action":1,"text":"call","by":"player","ms":0}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ", line 1: the file is empty"),
        ("\0\1\2\n", ", line 1: it is no JSON object"),
        (FIRST[:40], ", line 1: it was cut off, before its end"),
        ('{"a":1}\n', ", line 1: it says format None, not 1"),
        (FIRST.replace("leduc", "chess"), ", line 1: it is no deal: no game 'chess'"),
        (FIRST + MOVE + MOVE, ", line 3: seat 0 cannot act, it is the turn of 1"),
        (FIRST + MOVE.replace("call", "fold"), ", line 2: action 1 does not read 'fold'"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "replay",
        "replay --html new/",
        "analyse",
        "play --resume",
        pytest.param("web --no-open", marks=pytest.mark.once),  # needs an extra
    ],
)
def test_a_record_that_is_wrong_is_refused_at_the_start(
    command: str, content: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("bad.jsonl").write_text(content)
    first, *options = command.split()
    where = [*options, "bad.jsonl"] if first in ("play", "web") else ["bad.jsonl", *options]
    assert f"bad.jsonl{words}" in refused([first, *where], capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.jsonl"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("web --prot 80", "mhing web: there is no option --prot; did you mean --port? "),
        ("replay mine.jsonl --htlm x", "mhing replay: there is no option --htlm; did you mean --h"),
        ("play --bots greedy", "there is no option --bots; did you mean --opponents? (see mhing p"),
        ("record --opponents=net", "there is no option --opponents; did you mean --bots? (see mhi"),
        ("connect tcp://a:1 --exec ./bot", "connect: there is no option --exec; a program is a pl"),
        ("arena greedy --exec=./bot", "there is no option --exec; a program is a player, exec:COM"),
        ("play --bogus=1", "mhing play: there is no option --bogus (see mhing play --help)"),
        (
            "replay mine.jsonl --svg x.svg",
            "mhing replay: there is no option --svg (see mhing replay",
        ),
        ("describe mhing more", "mhing describe: unrecognized arguments: more (see mhing describe"),
        ("--bogus describe", "mhing: there is no option --bogus (see mhing --help)"),
        ("play --record mine.jsonl", "mhing play --resume mine.jsonl continues an open game"),
        ("play --record no/such.jsonl", "'no/such.jsonl': there is no folder no; make it first"),
        ("record --out mine.jsonl", "--out: 'mine.jsonl' already exists; name another file"),
        ("record --out no/such.jsonl", "--out: 'no/such.jsonl': there is no folder no; make it"),
        ("record --out no/such.parquet", "--out: 'no/such.parquet': there is no folder no; make"),
        (
            "record leduc --bots greedy,random,greedy,random --games 2 --out new.jsonl",
            "4 given, but only 3 of them have a turn in 2 games of 2; give fewer, or play more",
        ),
    ],
)
def test_slips_of_a_newcomer(
    line: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Each is found before anything begins, with what would be right."""
    monkeypatch.chdir(tmp_path)
    Path("mine.jsonl").touch()
    assert words in refused(line.split(), capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.jsonl"]


def test_more_players_than_seats_take_turns(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "new.jsonl"
    line = f"record leduc --bots greedy,random,search:2 --games 2 --out {path}"
    assert main(line.split()) == 0
    played = [game.players for game in records(path)]
    assert played == [["greedy", "random"], ["random", "search:2"]]
    assert capsys.readouterr().out.startswith("2 games of leduc in ")
    assert main(f"record leduc --games 1 --out {tmp_path}/one.jsonl".split()) == 0
    assert capsys.readouterr().out.startswith("1 game of leduc in ")


def test_version(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"mhing {mhing.__version__}\n"


# ---- Streams ---------------------------------------------------------------------------------

pytestmark = pytest.mark.skipif(os.name != "posix", reason="terminals and shells are of POSIX")
LINES = ("--help", "--version", "describe", "describe --json", f"score {WINNER}", "play --seed 1")


@pytest.mark.parametrize("line", LINES)
def test_output_that_is_closed_or_full(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(line.split()) == 2
    assert capsys.readouterr().err == "mhing: standard output: it is closed\n"
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(line.split()) == 2
    assert capsys.readouterr().err == f"mhing: standard output: {os.strerror(errno.ENOSPC)}\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("line", ["--help", "describe"])
def test_nothing_is_said_of_the_output_at_the_very_end(line: str, unbuffered: str) -> None:
    full = f"mhing: standard output: {os.strerror(errno.ENOSPC)}\n"
    assert shell(f"mhing {line} >/dev/full", PYTHONUNBUFFERED=unbuffered) == (2, "", full)


def test_output_that_is_closed() -> None:
    closed = "mhing: standard output: it is closed\n"
    assert shell(f"mhing score {WINNER} >&-") == (2, "", closed)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_errors_that_cannot_be_written(where: str) -> None:
    assert shell(f"mhing score {WINNER} --json {where}")[0] == 0
    assert shell(f"mhing bench --seconds 0.1 --json {where} | grep -q speeds")[0] == 0
    assert shell(f"mhing score 5 {where}") == (2, "", "")


def test_input_that_is_closed() -> None:
    code, out, err = shell("mhing play --seat 0 --seed 1 <&-")
    assert (code, err) == (0, "")
    assert out.endswith("you leave the table.\nSeed 1 deals these cards again.\n")


SLOW = """
import sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == {slow!r}:
            print("reading", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
"""
INSTALLED = """
from mhing.cli import command
sys.exit(command())
"""


def script(folder: Path, slow: str = "") -> list[str | Path]:
    """Write the command as pip installs it; reading the module `slow` takes a minute."""
    path = folder / "mhing"
    path.write_text(SLOW.format(slow=slow) + INSTALLED)
    return [sys.executable, path]


def module(folder: Path, slow: str) -> list[str | Path]:
    """The same for the command as a module; PYTHONPATH has to have the folder."""
    (folder / "sitecustomize.py").write_text(SLOW.format(slow=slow))
    return [sys.executable, "-m", "mhing"]


@pytest.mark.parametrize("slow", ["gymnasium", "mhing.cli.train"])
@pytest.mark.parametrize("form", [script, module])
def test_an_interrupt_while_the_package_is_read(
    form: Callable[[Path, str], list[str | Path]], slow: str, tmp_path: Path
) -> None:
    command = [*form(tmp_path, slow), "describe"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"reading\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == -signal.SIGINT
        assert process.stderr.read() == b""


def test_only_the_command_changes_what_an_interrupt_does(tmp_path: Path) -> None:
    program = "import signal, mhing; print(signal.getsignal(signal.SIGINT).__name__)"
    other = tmp_path / "analysis.py"
    other.write_text(program)
    done = subprocess.run([sys.executable, other], capture_output=True, text=True, check=True)
    assert done.stdout == "default_int_handler\n"


def test_the_installed_command(tmp_path: Path) -> None:
    entry = metadata.distribution("mhing").entry_points["mhing"]
    assert entry.value == "mhing.cli:command"
    for word, code in (("--version", 0), ("nonsense", 2)):
        done = subprocess.run([*script(tmp_path), word], capture_output=True, check=False)
        assert done.returncode == code


# ---- Terminals -------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_frames_where_their_characters_are_missing(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mhing.demo.SPEED_SECONDS", 0.1)
    for line in (f"score {WINNER}", "play --seed 1", "demo --rounds 20"):
        output = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding))
        assert main(line.split()) == 0
        out = output.getvalue().decode(encoding)
        assert "?" not in out
        assert ("+---+---+---+ +---+" in out) == ("score" in line)
        assert ("|5s |6s |7s | |5s |" in out) == ("score" in line)


def test_frames_of_the_command_where_there_is_ascii_alone() -> None:
    code, out, err = shell(f"mhing score {WINNER}", PYTHONIOENCODING="ascii")
    assert (code, err) == (0, "")
    assert "+---+---+---+ +---+" in out


def test_columns_where_a_sign_takes_two_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii", "mhing.plain"))
    assert common.table(("a", "b"), [("1 ± 2", 3)]) == "a       b\n1 +- 2  3"


def test_json_where_its_characters_are_missing() -> None:
    program = "from mhing.cli import common; common.print_json({'name': 'Zoë'})"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert json.loads(done.stdout) == {"name": "Zoë"}


WIDTHS = (1, 12, 20, 40, 60, 80, 200)


def test_progress_fits_the_terminal() -> None:
    """Every picture is shorter than a line, so that none wraps and stays."""
    program = f"""
import fcntl, struct, sys, termios
from mhing.cli.common import Progress
for columns in {WIDTHS}:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with Progress("learning against three greedy bots") as progress:
        for part in range(101):
            progress.update(part / 100, "12.3 M steps, 0.93 credits")
    sys.stderr.write("|")
"""
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", program], stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        while part := read_terminal(ours):
            seen += part
        assert process.wait(30) == 0
    os.close(ours)
    bars = seen.decode().replace("\x1b[K", "").split("|")
    for columns, pictures in zip(WIDTHS, (bar.split("\r") for bar in bars), strict=False):
        assert len(pictures) > 100
        assert max(map(len, pictures)) < max(columns, 2)
        assert any("50 %" in picture for picture in pictures) == (columns > 1)
        assert any("credits" in picture for picture in pictures) == (columns >= 80)
