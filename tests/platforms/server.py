"""Server and client on a big-endian machine: s390x under qemu, beside this one.

    python tests/platforms/server.py          before a release; minutes

Needs Debian 12, what `.ci/setup platforms` installs, and in this Python an editable Mhing with its
server and leduc (MHING_EXTRA_GAMES). Fetches libraries and a Python for s390x from Debian's mirror
into build/platforms, without installing them; builds mhing-server and the Python module for s390x;

1. plays every game in lock-step: in process, and on a server of the other machine, with rows saved
   on one side and loaded on the other, and a table with bots. Both must give the same arrays and
   bytes at every step. Their hash must be the same on both machines;
2. lets a server continue from what the other machine's server had written under --state when it
   was killed: rows and a table in the middle of a series, from either to the other.

Prints a row for each; exits with 1 when one differs. The Python for s390x has Debian's NumPy 1.24,
pyzmq 24 and cffi 1.15, older than pyproject.toml asks for; Gymnasium is this Python's own.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/platforms/server-s390x"
DEBIAN = FOLDER / "debian"
LIBRARIES = DEBIAN / "usr/lib/s390x-linux-gnu"
PYTHONS = FOLDER / "python"

sys.path.insert(0, str(ROOT / "tests/python"))
import rooms  # noqa: E402, F401  # before what it finds
from debian import Failure, fetch, run  # noqa: E402

TRIPLE = "s390x-linux-gnu"
PACKAGES = (
    "libzmq3-dev", "libmsgpack-dev", "libpython3.11-dev", "python3-minimal", "python3-numpy",
    "python3-zmq", "python3-msgpack", "python3-cffi-backend",
)  # fmt: skip
PURE = ("gymnasium", "cloudpickle", "farama_notifications", "typing_extensions")
"""Packages of this Python that run on any machine."""

STEPS = 150
ROWS = 6


# ---- What s390x needs ----------------------------------------------------------------------------


def fetch_all() -> None:
    """Debian's packages, and the choices that installing them would make."""
    fetch(FOLDER, "s390x", None, PACKAGES)
    for name in ("blas/libblas.so.3", "lapack/liblapack.so.3"):
        (LIBRARIES / Path(name).name).symlink_to(name)


def build() -> None:
    """The server, and a folder of Python packages with the module."""
    run(
        "cmake", "-S", ROOT, "-B", FOLDER, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DMHING_WERROR=ON", "-DMHING_SERVER=ON", "-DMHING_EXTRA_GAMES=leduc",
        f"-DCMAKE_C_COMPILER={TRIPLE}-gcc",
        "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=s390x",
        f"-DCMAKE_SYSROOT={DEBIAN}", f"-DCMAKE_LIBRARY_ARCHITECTURE={TRIPLE}",
        f"-DCMAKE_CROSSCOMPILING_EMULATOR={';'.join(emulated())}",
    )  # fmt: skip
    run("cmake", "--build", FOLDER, "--target", "mhing-server")
    shutil.rmtree(PYTHONS, ignore_errors=True)
    shutil.copytree(ROOT / "python/mhing", PYTHONS / "mhing")
    for name in PURE:
        spec = find_spec(name)
        assert spec, f"{name} is not installed"
        assert spec.origin, f"{name} has no file"
        file = Path(spec.origin)
        source = file.parent if file.name == "__init__.py" else file
        (PYTHONS / source.name).symlink_to(source)
    facts = PYTHONS / "mhing.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Name: mhing\nVersion: {version('mhing')}\n")
    # The source of the module is the same on all machines; the compiler finds its numbers.
    generated = max((ROOT / "build").rglob("core_module.c"), key=lambda path: path.stat().st_mtime)
    run(
        f"{TRIPLE}-gcc", f"--sysroot={DEBIAN}", "-O2", "-DNDEBUG", "-shared", "-fPIC",
        f"-I{DEBIAN}/usr/include/python3.11", "-Icsrc", "-Icsrc/include", "-Ienvs", "-Ipython",
        *(f"-I{folder}" for folder in sorted((ROOT / "envs").iterdir()) if folder.is_dir()),
        generated, FOLDER / "libmhing_core.a", "-lm", "-pthread", "-o", PYTHONS / "mhing/_core.so",
    )  # fmt: skip


# ---- What is run there or here -------------------------------------------------------------------


def emulated(*words: object) -> list[str]:
    return ["qemu-s390x", "-L", str(DEBIAN), *map(str, words)]


def servers() -> dict[str, str]:
    """The programs by machine."""
    script = FOLDER / "run-server"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(emulated(FOLDER / "mhing-server"))} "$@"\n')
    script.chmod(0o755)
    from mhing.cli.serve import find_server

    here = find_server()
    assert here, "mhing-server was not built"
    return {"x86-64": str(here), "s390x": str(script)}


def client(machine: str, endpoint: str) -> tuple[int, str]:
    """Plays in lock-step from that machine; steps, and the hash of all that came."""
    words = [__file__, "--play", endpoint]
    environment = dict(os.environ)
    if machine == "s390x":
        words = emulated(DEBIAN / "usr/bin/python3.11", *words)
        environment |= {"PYTHONHOME": f"{DEBIAN}/usr", "PYTHONPATH": str(PYTHONS)}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    else:
        words = [sys.executable, *words]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr[-2000:])
    order, steps, digest = done.stdout.split()
    assert order == {"s390x": "big", "x86-64": "little"}[machine]
    return int(steps), digest


class Hash:
    """Of nested results: arrays as little-endian bytes with their type, the rest as texts."""

    def __init__(self) -> None:
        self.sum = hashlib.sha256()

    def add(self, item: Any) -> None:
        import numpy as np

        if isinstance(item, dict):
            for key in sorted(item):
                self.sum.update(key.encode())
                self.add(item[key])
        elif isinstance(item, tuple | list) or (
            isinstance(item, np.ndarray) and item.dtype == object
        ):
            for each in item:
                self.add(each)
        elif isinstance(item, np.ndarray | np.generic):
            kind = item.dtype.newbyteorder("<")
            self.sum.update(f"{kind.str[1:]}{item.shape}".encode())
            self.sum.update(item.astype(kind).tobytes())
        else:
            self.sum.update(item if isinstance(item, bytes) else repr(item).encode())


def play(endpoint: str) -> None:
    """All games, in this process and on the server; prints byte order, steps and hash."""
    import mhing

    found = Hash()
    steps = 0
    with mhing.connect(endpoint) as connection:
        for game in mhing.games():
            for opponents in ("self", "greedy"):
                steps += lock_step(connection, game, opponents, found)
            steps += table(connection, game, found)
    print(sys.byteorder, steps, found.sum.hexdigest())


def lock_step(connection: Any, game: str, opponents: str, found: Hash) -> int:
    import gymnasium as gym
    import numpy as np
    from same import assert_same

    import mhing

    ident = f"mhing:{mhing.environment_id(game)}"
    keywords: dict[str, Any] = {"num_envs": ROWS, "opponents": opponents}
    here: Any = gym.make_vec(ident, **keywords)
    there = connection.make_vec(ident, **keywords)
    results = here.reset(seed=3)
    assert_same(there.reset(seed=3), results)
    found.add(results)
    # Exact in binary on any machine, so that no other exponential function is compared.
    weights = (np.arange(ROWS * here.single_action_space.n) % 7 / 4).astype(np.float32)
    weights = weights.reshape(ROWS, -1)
    for step in range(STEPS):
        how = [{}, {"logits": weights}, {"probabilities": weights + 1}][step % 3]
        actions = here.sample_actions(**how).copy()
        assert_same(there.sample_actions(**how), actions)
        results = here.step(actions)
        assert_same(there.step(actions), results, f"{game}, {opponents}, step {step}")
        found.add([actions, results])
        if step % 10 == 9:
            ours, theirs = here.save(step % ROWS), there.save(step % ROWS)
            assert ours == theirs, f"{game}: a saved row"
            here.load((step + 1) % ROWS, theirs)
            there.load((step + 1) % ROWS, ours)
            assert_same(there.observe(), here.observe())
            found.add([ours, here.omniscient()])
            assert_same(there.omniscient(), here.omniscient())
            assert there.state(0) == here.state(0)
    there.close()
    return STEPS * ROWS


def table(connection: Any, game: str, found: Hash) -> int:
    """A seeded game against bots is that of the single environment."""
    import gymnasium as gym
    from same import assert_same

    import mhing

    rules = mhing.Game(game)
    bot = first()
    others = ["greedy"] * (rules.num_seats - 1)
    end = bot.play(connection, game=game, bots=others, seed=5, games=2)
    env = gym.make(f"mhing:{mhing.environment_id(game)}", seat=0, opponents="greedy")
    turns = iter(bot.turns)
    earned = 0.0
    for seed in (5, 6):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            turn = next(turns)
            assert_same(turn.observation, observation)
            assert (turn.mask == info["action_mask"]).all()
            observation, reward, over, _, info = env.step(turn.legal_actions[0])
            earned += float(reward)
    assert next(turns, None) is None
    assert end["totals"][0]["returns"] == earned
    found.add([end["totals"], end["seeds"], end["returns"], end["events"]])
    return len(bot.turns)


def first(seconds: float = 0) -> Any:
    """A bot with the first legal action, after a pause, which keeps its turns."""
    from mhing.remote import Bot, Turn

    class First(Bot):
        def __init__(self) -> None:
            super().__init__("first")
            self.turns: list[Turn] = []

        def act(self, turn: Turn) -> int:
            time.sleep(seconds)
            self.turns.append(turn)
            return turn.legal_actions[0]

    return First()


# ---- One continues where the other was -----------------------------------------------------------


def carry_on(begins: str, goes_on: str) -> int:
    """Kill a server amid rows and a series, and continue on the other machine: steps and turns."""
    import gymnasium as gym
    from same import assert_same
    from server_process import Server

    import mhing

    def serve(program: str) -> Server:
        os.environ["MHING_TEST_SERVER"] = program
        return Server(folder, "--state", str(state))

    terms: dict[str, Any] = {"bots": ["greedy"] * 3, "seed": 4, "games": 3}
    steps = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        state = folder / "state"
        state.mkdir()
        bot = first(0.02)
        ends: list[Any] = []

        def sit() -> None:
            with mhing.connect(server.endpoint, timeout=3) as connection:
                ends.append(bot.play(connection, **terms))

        with serve(begins) as server:
            connection = mhing.connect(server.endpoint, timeout=3)
            pairs = []
            for game in mhing.games():
                ident = f"mhing:{mhing.environment_id(game)}"
                makers = (gym.make_vec, connection.make_vec)
                pairs.append([make(ident, num_envs=3, opponents="random") for make in makers])
            for here, there in pairs:
                assert_same(there.reset(seed=1), here.reset(seed=1))
                steps += both(here, there)
            thread = threading.Thread(target=sit)
            thread.start()
            while len(bot.turns) < 5:
                time.sleep(0.01)
            server.kill()
        with serve(goes_on) as server, connection:
            for here, there in pairs:
                steps += both(here, there)
            thread.join(120)
            before = len(bot.turns)
            alone = first()
            expected = alone.play(server.endpoint, **terms)
        assert ends, "the series did not end"
        assert ends[0]["totals"] == expected["totals"]
        assert_same(
            [turn.observation for turn in bot.turns], [turn.observation for turn in alone.turns]
        )
    return steps + before


def both(here: Any, there: Any) -> int:
    """Fifty equal steps."""
    from same import assert_same

    for _ in range(50):
        assert_same(there.step(there.sample_actions()), here.step(here.sample_actions()))
    return 50 * 3


# ---- The command ---------------------------------------------------------------------------------


def rows() -> Iterator[tuple[str, Any]]:
    """The trials: functions that return steps and a hash or nothing."""
    from server_process import Server

    programs = servers()

    def across(there: str, here: str) -> tuple[int, str]:
        os.environ["MHING_TEST_SERVER"] = programs[there]
        with tempfile.TemporaryDirectory() as name, Server(Path(name)) as server:
            return client(here, server.endpoint)

    for there, here in (("x86-64", "x86-64"), ("s390x", "x86-64"), ("x86-64", "s390x")):
        yield (
            f"server on {there}, client on {here}",
            lambda there=there, here=here: across(there, here),
        )
    for one, two in (("x86-64", "s390x"), ("s390x", "x86-64")):
        yield (
            f"state of {one}, resumed on {two}",
            lambda one=one, two=two: (carry_on(programs[one], programs[two]), ""),
        )


def main() -> int:
    """Runs the command."""
    if sys.argv[1:2] == ["--play"]:
        play(sys.argv[2])
        return 0
    try:
        if not DEBIAN.exists():
            fetch_all()
        build()
    except Failure as failure:
        sys.exit(str(failure))
    print("| what | steps of rows, turns | equal | s |\n|---|---:|---|---:|")
    expected, failed = "", 0
    for what, attempt in rows():
        began, words = time.monotonic(), ""
        try:
            steps, digest = attempt()
        except AssertionError as error:
            steps, digest, words = 0, "", str(error) or "differs"
        expected = expected or digest
        equal = not words and digest in ("", expected)
        failed += not equal
        answer = "yes" if equal else "NO"
        print(f"| {what} | {steps:,} | {answer} | {time.monotonic() - began:.0f} |", flush=True)
        if words:
            print(words, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
