"""Input of Python: records of games, hands, options, ONNX policies and logs, changed at random.

    python tests/fuzz/fuzz_python.py [--seconds 5] [--seed 1] [records hands options onnx logs]

Whatever the input is, the outcome is a result or the documented exception, whose text is one line.
An input that ends otherwise is printed, and kept if there is a folder --keep. Each starts from the
files of tests/fuzz/corpus/NAME.zip, which are replayed first; the same seed makes the same changes.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import sys
import tempfile
import time
import traceback
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mhing
from mhing import arena, cli
from mhing.players.onnx import OnnxPolicy
from mhing.players.player import ask
from mhing.records import Record

CORPUS = Path(__file__).parent / "corpus"

ODD: list[Any] = [
    None, True, False, 0, -1, 1, 2, 3, 255, 256, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**400, 0.5,
    -0.0, 1e308, float("inf"), float("nan"), "", "x", "mhing", "\x00", "\ud800", "\u2028", "\n",
    "9" * 5000, "\x1b[2J", [], [[]], {}, {"": 0}, [0] * 40, "greedy", "round", "game",
]  # fmt: skip
"""Values to put where others were."""


COMMANDS = 10
"""Of so many inputs one goes through the command, which takes ten times as long."""


class Failure(Exception):
    """Neither a result nor a documented exception."""


def expect(kinds: type[Exception] | tuple[type[Exception], ...], call: Callable[[], Any]) -> None:
    """Makes the call; an exception must be of these kinds, and its text one line."""
    try:
        call()
    except kinds as error:
        if not str(error) or set(str(error)) & set("\n\r"):
            raise Failure(f"not one line: {str(error)!r}") from error


# ---- Changes ------------------------------------------------------------------------------------


def change_bytes(data: bytes, rng: random.Random) -> bytes:
    """Some bytes set, taken out, or taken twice."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        begin = rng.randint(0, len(changed))
        end = min(len(changed), begin + rng.choice((1, 1, 2, 4, 16, 64)))
        way = rng.randrange(4)
        if way == 0:
            changed[begin:end] = b""
        elif way == 1:
            changed[begin:begin] = changed[begin:end]
        elif way == 2:
            changed[begin:begin] = rng.randbytes(rng.randint(1, 4))
        elif begin < len(changed):
            changed[begin] ^= 1 << rng.randrange(8)
    return bytes(changed)


def change_value(value: Any, rng: random.Random) -> Any:
    """Plain data with one value replaced, or taken out."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        if rng.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return value | {key: change_value(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        middle = [] if rng.random() < 0.1 else [change_value(value[place], rng)]
        return value[:place] + middle + value[place + 1 :]
    if isinstance(value, int) and rng.random() < 0.5:
        return value + rng.choice((-1, 1, 4, 100))
    return rng.choice(ODD)


def change_lines(data: bytes, rng: random.Random) -> bytes:
    """One of several lines of JSON with a value changed; or lines swapped, or bytes."""
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    if rng.random() < 0.1:
        other = rng.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
        return b"\n".join(lines)
    try:
        value = change_value(json.loads(lines[place]), rng)
        lines[place] = json.dumps(value).encode()
    except ValueError:
        return change_bytes(data, rng)
    return b"\n".join(lines)


def change_text(data: bytes, rng: random.Random) -> bytes:
    """Bytes that mostly stay ones of hands."""
    if rng.random() < 0.3:
        return change_bytes(data, rng)
    changed = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        place = rng.randint(0, len(changed))
        changed[place : place + rng.randint(0, 2)] = bytes(rng.choices(b"123456789smpESWNRGPJ* \n"))
    return bytes(changed)


# ---- Targets ------------------------------------------------------------------------------------


def run_records(data: bytes, folder: Path) -> None:
    """The command, whose refusal is one line, and the class behind it."""
    path = folder / "record.jsonl"
    path.write_bytes(data)
    expect(ValueError, lambda: list(Record(path).replay()))
    if zlib.crc32(data) % COMMANDS == 0:
        command("replay", str(path))


def command(*argv: str) -> None:
    """Runs ``mhing``: it succeeds, or ends with 2 and one line on stderr."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        try:
            status: Any = cli.main(argv)
        except SystemExit as end:
            status = end.code
    lines = said.getvalue().splitlines()
    if (status, len(lines)) not in ((0, 0), (2, 1)):
        raise Failure(f"{argv}: status {status}, {lines!r}")


def run_hands(data: bytes, folder: Path) -> None:
    """A hand, its melds, and a number of flowers, a line each."""
    lines = data.decode(errors="surrogateescape").split("\n", 2)
    hand, melds = lines[0], lines[1].split(" ") if len(lines) > 1 and lines[1] else []
    flowers = len(lines[2]) - 1 if len(lines) > 2 else 0
    kinds = (TypeError, ValueError)
    for seven_pairs in (False, True):
        expect(
            kinds,
            lambda s=seven_pairs: mhing.score_hand(hand, melds, flowers=flowers, seven_pairs=s),
        )
        expect(kinds, lambda s=seven_pairs: mhing.distance(hand, melds, seven_pairs=s))
    expect(kinds, lambda: mhing.distances(mhing.hands_array([hand, *melds])))
    expect(kinds, lambda: mhing.score_sequences([hand, *melds]))
    counts = np.frombuffer(data[: len(data) // 35 * 35], np.uint8).reshape(-1, 35)
    for work in (mhing.score_hands, mhing.distances):
        expect(kinds, lambda work=work: work(mhing.hands_array(counts, flowers=counts[:, 0])))
    if "\0" not in hand and zlib.crc32(data) % COMMANDS == 0:
        command("score", hand)


def run_options(data: bytes, folder: Path) -> None:
    """A line of JSON: a game's id and its options."""
    try:
        game, options = json.loads(data)
        keywords = {str(name): value for name, value in options.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return
    kinds = (TypeError, ValueError)

    def play() -> None:
        made = mhing.Game(game, **keywords)
        made.new_state(1).play_out("random", 1)
        assert mhing.Game(made.id, **made.options) == made

    expect(kinds, play)
    words = [f"{name}={value}" for name, value in keywords.items()]
    legible = isinstance(game, str) and not any("\0" in word for word in [game, *words])
    if legible and zlib.crc32(data) % COMMANDS == 0:
        command("describe", game, *words)


def run_onnx(data: bytes, folder: Path) -> None:
    """A line of JSON: a network's inputs, output and nodes, and where its file is cut off."""
    import onnxruntime
    from onnx import helper

    onnxruntime.set_default_logger_severity(4)  # it writes to the process's own stderr

    def put(name: Any, kind: Any, shape: Any) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    try:
        terms = json.loads(data)
        inputs = [put(*terms["inputs"][k]) for k in range(len(terms["inputs"]))]
        output = put(*terms["output"])
        nodes = [helper.make_node(*node, **more) for *node, more in terms["nodes"]]
        graph = helper.make_graph(nodes, "policy", inputs, [output])
        opset = [helper.make_opsetid("", terms["opset"])]
        model = helper.make_model(graph, opset_imports=opset, ir_version=terms["ir"])
        for name, value in terms["metadata"].items():
            model.metadata_props.add(key=name, value=value)
        bytes_of_model = model.SerializeToString()[: terms["bytes"]]
    except Exception:  # no model: onnx says so in many ways
        return
    path = folder / "policy.onnx"
    path.write_bytes(bytes_of_model)
    game = mhing.Game("mexican_rummy")
    state = game.new_state(1)

    def load_and_ask() -> None:
        policy = OnnxPolicy(str(path), game)
        ask(policy, state.observation(), state.action_mask(), state.seat)

    with contextlib.redirect_stderr(io.StringIO()):
        expect(ValueError, load_and_ask)


def run_logs(data: bytes, folder: Path) -> None:
    """The deals of a tournament's log, after its first line."""
    path = folder / "log.jsonl"

    def advance() -> None:
        arena.play(["random", "greedy"], "general_mhing", deals=3, log=path)

    path.unlink(missing_ok=True)
    advance()
    head = path.read_bytes().partition(b"\n")[0] + b"\n"
    path.write_bytes(head + data)
    expect(ValueError, advance)


Target = tuple[Callable[[bytes, Path], None], Callable[[bytes, random.Random], bytes]]
TARGETS: dict[str, Target] = {
    "records": (run_records, change_lines),
    "hands": (run_hands, change_text),
    "options": (run_options, change_lines),
    "onnx": (run_onnx, change_lines),
    "logs": (run_logs, change_lines),
}


def fuzz(name: str, seconds: float, seed: int, keep: Path | None) -> int:
    """Runs one target; returns how many inputs ended as they must not."""
    run, change = TARGETS[name]
    with zipfile.ZipFile(CORPUS / f"{name}.zip") as archive:
        corpus = [archive.read(entry) for entry in archive.namelist()]
    rng = random.Random(f"{name} {seed}")
    failures: set[str] = set()
    count, end = 0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while count < len(corpus) or time.monotonic() < end:
            data = corpus[count] if count < len(corpus) else rng.choice(corpus)
            if count >= len(corpus):
                for _ in range(rng.randint(1, 3)):
                    data = change(data, rng)
            count += 1
            try:
                run(data, Path(folder))
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{type(error).__name__} at {where.filename}:{where.lineno}"
                if place not in failures:
                    failures.add(place)
                    print(f"{name}: {place}: {str(error)[:300]}\n  input {data[:1000]!r}")
                    if keep is not None:
                        (keep / f"{name}-{len(failures)}").write_bytes(data)
    print(f"{name}: {len(corpus)} files, {count} inputs, {len(failures)} kinds of failure")
    return len(failures)


def main() -> int:
    """Runs the targets of the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=5, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for inputs that fail")
    args = parser.parse_args()
    names = args.targets or list(TARGETS)
    return 1 if sum([fuzz(name, args.seconds, args.seed, args.keep) for name in names]) else 0


if __name__ == "__main__":
    sys.exit(main())
