"""Environments on a server: what they return is what those in this process return, bit for bit."""

from __future__ import annotations

import copy
import gc
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import zmq
from options import known
from reference.cards import DECK
from same import assert_same
from server_process import Server

import mhing
from mhing.cli.serve import find_server
from mhing.remote import Connection
from mhing.remote.messages import turned, unpack

ID = "mhing:Mhing-v0"
MODES = ["next_step", "same_step", "disabled"]


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server.endpoint


@pytest.fixture
def connection(endpoint: str) -> Iterator[Connection]:
    with mhing.connect(endpoint) as connection:
        yield connection


def last_legal(observation: Any, mask: np.ndarray, info: Any) -> int:
    """An opponent written in Python."""
    return int(np.flatnonzero(mask)[-1])


# ---- One row -------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", mhing.games())
@pytest.mark.parametrize("opponents", ["random", "greedy", last_legal])
@pytest.mark.parametrize("illegal", ["terminate", "raise", "random"])
def test_single(connection: Connection, game: str, opponents: Any, illegal: str) -> None:
    keywords = {
        "opponents": opponents, "illegal_action": illegal, "render_mode": "ansi",
        "obs_mode": "dict" if illegal == "raise" else "flat", **known(game, episode="game"),
    }  # fmt: skip
    here = gym.make(f"mhing:{mhing.environment_id(game)}", **keywords)
    there = connection.make(mhing.environment_id(game), **keywords)
    rng = np.random.default_rng(1)
    for options in (None, {"seat": 1}, None):
        seed = int(rng.integers(2**63)) if options is None else None
        results = here.reset(seed=seed, options=options)
        assert_same(there.reset(seed=seed, options=options), results)
        for _ in range(60):
            action = some_action(results[-1]["action_mask"], rng)
            outcome, same = what_comes_of(here, action), what_comes_of(there, action)
            assert_same(same, outcome)
            if isinstance(outcome, str):
                continue
            results = outcome
            if results[2]:
                break
        assert there.render() == here.render()
        assert there.unwrapped.state == here.unwrapped.state
    there.close()


def what_comes_of(env: gym.Env, action: int) -> Any:
    """A step's results, or the words by which it is refused."""
    try:
        return env.step(action)
    except ValueError as error:
        return str(error)


def some_action(mask: np.ndarray, rng: np.random.Generator) -> int:
    """Nearly always a legal one."""
    if rng.random() < 0.05:
        return int(rng.choice([-1, len(mask) - 1, 2**40]))
    return int(rng.choice(np.flatnonzero(mask)))


def test_a_given_deck(connection: Connection) -> None:
    here, there = gym.make(ID), connection.make(ID)
    cards = np.random.default_rng(3).permutation(list(Counter(DECK).elements())).tolist()
    for env in (here, there):
        env.reset(seed=1)
    assert_same(
        there.reset(seed=2, options={"deck": cards, "seat": 2}),
        here.reset(seed=2, options={"deck": cards, "seat": 2}),
    )
    with pytest.raises(ValueError, match="deck") as local:
        here.reset(options={"deck": cards[1:]})
    with pytest.raises(ValueError, match="deck") as remote:
        there.reset(options={"deck": cards[1:]})
    assert str(remote.value) == str(local.value)
    there.close()


# ---- Many rows -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*episodes in a row")  # a part of the actions is illegal
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponents", ["self", "random", ["self", "greedy", "random"]])
@pytest.mark.parametrize(("rows", "copies"), [(1, True), (5, True), (70, False)])
def test_batches(
    connection: Connection, mode: str, opponents: Any, rows: int, copies: bool
) -> None:
    keywords = {
        "num_envs": rows, "autoreset_mode": mode, "opponents": opponents, "copy": copies,
        "illegal_action": "random" if rows == 5 else "terminate",
    }  # fmt: skip
    here, there = gym.make_vec(ID, **keywords), connection.make_vec(ID, **keywords)
    assert_same(there.reset(seed=3), here.reset(seed=3))
    rng = np.random.default_rng(rows)
    weights = rng.standard_normal((rows, here.single_action_space.n)).astype(np.float32)
    for step in range(60):
        how = [{}, {"logits": weights}, {"probabilities": np.exp(weights)}][step % 3]
        actions = here.sample_actions(**how).copy()
        assert_same(there.sample_actions(**how), actions)
        actions[rng.random(rows) < 0.02] = 340
        results = here.step(actions)
        assert_same(there.step(actions), results, f"step {step}")
        if mode == "disabled" and results[2].any():
            options = {"reset_mask": results[2].copy()}
            assert_same(there.reset(options=options), here.reset(options=options))
    assert_same(there.omniscient(), here.omniscient())
    for row in (0, rows - 1):
        assert there.state(row) == here.state(row)
    there.close()


@pytest.mark.parametrize("game", mhing.games())
def test_rows_are_saved_loaded_and_copied(connection: Connection, game: str) -> None:
    ident = f"mhing:{mhing.environment_id(game)}"
    keywords = {"num_envs": 3, "opponents": "self", **known(game, episode="game")}
    here, there = gym.make_vec(ident, **keywords), connection.make_vec(ident, **keywords)
    for envs in (here, there):
        envs.reset(seed=9)
        for _ in range(50):
            envs.step(envs.sample_actions())
    snapshot = here.save(0)
    assert there.save(0) == snapshot
    for envs in (here, there):
        for _ in range(50):
            envs.step(envs.sample_actions())
        envs.load(1, snapshot)
        envs.copy_row(1, 2)
    assert_same(there.observe(), here.observe())
    for _ in range(50):
        assert_same(there.step(there.sample_actions()), here.step(here.sample_actions()))
    with pytest.raises(ValueError, match="snapshot") as local:
        here.load(0, snapshot[:-1])
    with pytest.raises(ValueError, match="snapshot") as remote:
        there.load(0, snapshot[:-1])
    assert str(remote.value) == str(local.value)
    there.close()


def test_a_whole_step_is_refused_for_one_illegal_action(connection: Connection) -> None:
    keywords = {"num_envs": 3, "illegal_action": "raise", "opponents": "random"}
    here, there = gym.make_vec(ID, **keywords), connection.make_vec(ID, **keywords)
    assert_same(there.reset(seed=1), here.reset(seed=1))
    words = []
    for envs in (here, there):
        with pytest.raises(ValueError, match="action") as refused:
            envs.step([-1, 0, 0])
        words.append(str(refused.value))
        with pytest.raises(ValueError, match="logits: nan") as refused:
            envs.sample_actions(logits=np.full((3, 341), np.nan))
        words.append(str(refused.value))
    assert words[:2] == words[2:]
    assert_same(there.observe(), here.observe())
    there.close()


# ---- Connections ---------------------------------------------------------------------------------


def test_what_the_server_tells(connection: Connection) -> None:
    assert connection.games == mhing.games()
    for game in mhing.games():
        assert connection.describe(game) == mhing.Game(game).describe()
    three = mhing.Game("mhing", num_players=3, rules="jmhing")
    assert connection.describe("mhing", "num_players=3 rules=jmhing") == three.describe()
    with pytest.raises(ValueError, match="chess"):
        connection.describe("chess")
    with pytest.raises(ValueError, match="num_players"):
        connection.describe("mhing", "num_players=9")


def test_a_text_that_is_none_is_read() -> None:
    assert unpack(b"\x92\xa3end\x81\xa1a\xa2b\xff") == ["end", {"a": "b\ufffd"}]


def test_an_endpoint_is_enough(endpoint: str) -> None:
    with_own = gym.make(ID, endpoint=endpoint, seat=0)
    here = gym.make(ID, seat=0)
    assert_same(with_own.reset(seed=1), here.reset(seed=1))
    with_own.close()
    with_own.close()
    envs = gym.make_vec(ID, num_envs=2, endpoint=endpoint)
    assert_same(envs.reset(seed=1), gym.make_vec(ID, num_envs=2).reset(seed=1))
    envs.close()


def test_what_a_server_does_not_do(endpoint: str) -> None:
    with pytest.raises(ValueError, match="opponents: a server does not ask policies"):
        gym.make_vec(ID, num_envs=2, endpoint=endpoint, opponents=lambda *_: 0)
    envs = gym.make_vec(ID, num_envs=2, endpoint=endpoint)
    before = envs.reset(seed=1)
    with pytest.raises(NotImplementedError, match="a server steps all rows"):
        envs.unwrapped.step_rows([0], envs.unwrapped.sample_actions()[:1])
    with pytest.raises(NotImplementedError, match="a server sends no afterstates"):
        envs.unwrapped.afterstates()
    with pytest.raises(NotImplementedError, match="a server asks no bot"):
        envs.unwrapped.bot_actions("greedy")
    assert_same(envs.unwrapped.observe(), before)
    envs.close()


def test_gymnasium_makes_workers_that_connect_by_themselves(endpoint: str) -> None:
    envs = gym.make_vec(ID, num_envs=2, vectorization_mode="async", endpoint=endpoint)
    here = gym.make_vec(ID, num_envs=2, vectorization_mode="sync")
    assert_same(envs.reset(seed=1)[0], here.reset(seed=1)[0])
    envs.close()


@pytest.mark.slow
def test_environments_end_on_the_server_too(tmp_path: Path) -> None:
    with (
        Server(tmp_path, "--rows", "4") as server,
        mhing.connect(server.endpoint) as connection,
    ):
        for _ in range(3):
            connection.make_vec(ID, num_envs=3).close()
        for _ in range(3):
            connection.make_vec(ID, num_envs=3)  # given up by the garbage collector
            gc.collect()
        envs = connection.make_vec(ID, num_envs=3)
        with pytest.raises(RuntimeError, match="rows: 3"):
            connection.make_vec(ID, num_envs=3)
        envs.reset(seed=1)


@pytest.mark.slow
def test_a_lost_connection_is_made_anew(endpoint: str) -> None:
    here = gym.make_vec(ID, num_envs=2)
    with mhing.connect(endpoint, timeout=1) as connection:
        there = connection.make_vec(ID, num_envs=2)
        assert_same(there.reset(seed=1), here.reset(seed=1))
        for step in range(9):
            if step % 3 == 1:
                connection._line.cut()
            elif step % 3 == 2:  # a socket that leads nowhere
                connection._line.socket.disconnect(endpoint)
                connection._line.socket.connect(f"{endpoint}-nowhere")
            actions = here.sample_actions()
            assert_same(there.step(actions), here.step(actions))


def test_another_process_goes_on_with_a_token(endpoint: str) -> None:
    first = mhing.connect(endpoint)
    number, _ = first.request("make", {"rows": 2})
    rows = first.request("reset", number, 5)
    first._line.cut()
    with mhing.connect(endpoint, token=first.token) as second:
        assert second.token == first.token
        again = second.request("copy", number, 0, 0)
        assert again[:2] == rows[:2]
    with pytest.raises(ConnectionError, match="token"):
        mhing.connect(endpoint, token=bytes(16))


def test_a_connection_that_lost_its_session_to_another(endpoint: str) -> None:
    first = mhing.connect(endpoint)
    with mhing.connect(endpoint, token=first.token) as second:
        for _ in range(2):
            with pytest.raises(ConnectionError, match="another connection"):
                first.request("ping")
        assert second.request("ping") == []


def test_a_server_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    here = gym.make_vec(ID, num_envs=3, opponents="random")
    state = ["--state", str(tmp_path / "state")]
    (tmp_path / "state").mkdir()
    with Server(tmp_path, *state) as server:
        connection = mhing.connect(server.endpoint, timeout=1)
        there = connection.make_vec(ID, num_envs=3, opponents="random")
        assert_same(there.reset(seed=1), here.reset(seed=1))
        for _ in range(20):
            assert_same(there.step(there.sample_actions()), here.step(here.sample_actions()))
        server.kill()
    with Server(tmp_path, *state), connection:
        for _ in range(20):
            assert_same(there.step(there.sample_actions()), here.step(here.sample_actions()))


def test_a_server_that_has_forgotten_the_session_is_an_error(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        connection = mhing.connect(server.endpoint, timeout=0.5)
        server.kill()
    with Server(tmp_path), pytest.raises(ConnectionError, match="token"):
        connection.request("ping")


def test_requests_on_their_way(endpoint: str) -> None:
    with mhing.connect(endpoint, window=3) as connection:
        for name in mhing.games()[:2]:
            connection.post("describe", name)
        connection.post("text", "mhing", "", 0)
        with pytest.raises(RuntimeError, match="window: 3"):
            connection.post("ping")
        assert [connection.take()[0]["id"] for _ in range(2)] == mhing.games()[:2]
        assert connection.take() == [mhing.Game("mhing").action_text(0)]
        connection.post("ping")
        assert connection.request("text", "mhing", "", "pass") == [mhing.Game().action_id("pass")]


def test_a_mute_server(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    address = f"ipc://{tmp_path}/mute"
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
        socket.bind(address)
        with pytest.raises(TimeoutError, match=r"mute: no answer in 3 times 0\.05 .*mhing serve"):
            mhing.connect(address, timeout=0.05)
    assert caplog.messages == [f"{address}: no answer yet; waiting up to 0.15 seconds"]


def test_numbers_that_no_message_holds(endpoint: str) -> None:
    with mhing.connect(endpoint) as connection:
        for number in (2**64, -(2**63) - 1, 10**30):
            with pytest.raises(ValueError, match="sit: a number has more than the 64 bits"):
                connection.request("sit", {"games": number})
        assert connection.request("ping") == []


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"endpoint": 5}, TypeError, "endpoint: 5"),
        ({"endpoint": "nowhere"}, ValueError, "endpoint: 'nowhere'"),
        ({"timeout": 0}, ValueError, "timeout: 0"),
        ({"timeout": float("inf")}, ValueError, "timeout: inf"),
        ({"window": 0}, ValueError, "window: 0"),
        ({"window": 99}, ValueError, "window"),
        ({"token": b"short"}, ValueError, "token"),
        ({"server_key": "x" * 40}, ValueError, "secret_key"),
        ({"server_key": "x" * 40, "secret_key": "x"}, ValueError, "secret_key: 1 char"),
    ],
)
def test_bad_arguments(endpoint: str, arguments: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        mhing.connect(**{"endpoint": endpoint, **arguments})


def test_a_server_that_asks_for_keys(tmp_path: Path) -> None:
    """Only who is on its list, with the key that belongs to it, is heard."""
    pairs = []
    for name in ("server", "ours", "theirs"):
        made = subprocess.check_output([find_server(), "--keygen"], text=True)
        (tmp_path / name).write_text(made)
        (tmp_path / name).chmod(0o600)
        pairs.append(dict(line.split() for line in made.splitlines()))
    theirs, ours, others = pairs
    (tmp_path / "allowed").write_text(ours["public"] + "\n")
    options = ["--curve-secret", str(tmp_path / "server"), "--allow", str(tmp_path / "allowed")]
    with Server(tmp_path, *options) as server:
        for keys in ({}, {"server_key": theirs["public"], "secret_key": others["secret"]}):
            with pytest.raises(TimeoutError, match="no answer"):
                mhing.connect(server.endpoint, timeout=0.1, **keys)
        keys = {"server_key": theirs["public"], "secret_key": ours["secret"]}
        with mhing.connect(server.endpoint, **keys) as connection:
            env = connection.make(ID)
            assert_same(env.reset(seed=1), gym.make(ID).reset(seed=1))


def test_a_line_that_is_refused_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with keys that are not on the list. ZeroMQ has no queue for it then, and would wait."""
    monkeypatch.setattr(zmq.Socket, "connect", lambda _self, _address: None)
    refused: list[str] = []

    def connect() -> None:
        try:
            mhing.connect("tcp://127.0.0.1:7644", timeout=0.05)
        except TimeoutError as error:
            refused.append(str(error))

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(20)
    assert "does it take these keys" in "".join(refused)


def test_another_process_connects_by_itself(endpoint: str) -> None:
    with mhing.connect(endpoint) as connection:
        connection.post("ping")
        child = os.fork()
        if child == 0:
            refused = 0
            for call in (connection.take, lambda: connection.request("ping")):
                try:
                    call()
                except RuntimeError as error:
                    refused += "made in another process" in str(error)
            os._exit(refused)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
        assert connection.take() == []


def test_another_thread_does_not_wait_too(endpoint: str) -> None:
    with mhing.connect(endpoint) as connection:
        del connection._line._hold.free
        for call in (
            lambda: connection.request("ping"),
            lambda: connection.post("ping"),
            connection.take,
            lambda: connection.say("act", 1, 0),
            lambda: connection.listen(0),
            connection.close,
        ):
            with pytest.raises(RuntimeError, match="this connection is in the middle of a call"):
                call()
        connection._line._hold.free = True
        connection.request("ping")
        with pytest.raises(RuntimeError, match="on its way"):
            connection.take()


def test_a_closed_connection_says_so(endpoint: str) -> None:
    connection = mhing.connect(endpoint)
    env = connection.make(ID)
    env.reset(seed=1)
    connection.close()
    connection.close()
    assert connection.closed
    for call in (lambda: env.step(0), lambda: connection.post("ping"), connection.take):
        with pytest.raises(RuntimeError, match="closed"):
            call()
    env.close()


def test_a_request_that_is_too_long(tmp_path: Path) -> None:
    with (
        Server(tmp_path, "--message", "70000") as server,
        mhing.connect(server.endpoint) as connection,
    ):
        envs = connection.make_vec(ID, num_envs=64)
        envs.reset(seed=1)
        with pytest.raises(ValueError, match=r"sample: \d+ bytes, the server takes 70000"):
            envs.sample_actions(logits=np.zeros((64, 341)))
        envs.step(envs.sample_actions())


def test_connections_are_shared_not_copied(connection: Connection) -> None:
    assert copy.deepcopy({"endpoint": connection})["endpoint"] is connection


def test_errors_of_games_laid_out_otherwise(connection: Connection) -> None:
    with pytest.raises(ConnectionError, match=r"mhing is laid out otherwise .* same version"):
        connection.check_layout("mhing", "there", "here")


@pytest.mark.parametrize("missing", ["zmq", "msgpack"])
def test_the_extra_is_named_where_it_is_missing(missing: str) -> None:
    program = f"""
import sys
sys.modules[{missing!r}] = None
import gymnasium as gym, mhing
from mhing._support.extras import install
gym.make("Mhing-v0")
for use in (lambda: mhing.connect("ipc://x"), lambda: gym.make("Mhing-v0", endpoint="ipc://x")):
    try:
        use()
    except ModuleNotFoundError as error:
        assert install("server") in str(error), error
    else:
        raise AssertionError
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_commands_that_ask_no_server_do_without_the_extra(tmp_path: Path) -> None:
    program = """
import sys
sys.modules["zmq"] = sys.modules["msgpack"] = None
from mhing.cli import main
assert main(["arena", "random", "greedy", "--deals", "2", "--quiet"]) == 0
assert main(["record", "--game", "general_mhing", "--games", "1", "--out", "games.jsonl"]) == 0
assert main(["replay", "games.jsonl"]) == 0
sys.exit(main(["connect", "ipc://x", f"exec:{sys.executable}"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("mhing: endpoint: a server is reached with")


def test_nothing_of_it_is_imported_without_an_endpoint() -> None:
    program = """
import sys, gymnasium as gym, mhing
gym.make("Mhing-v0")
assert not {"zmq", "msgpack", "mhing.remote"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# ---- Messages ------------------------------------------------------------------------------------


def test_a_reply_that_does_not_fit_is_refused(connection: Connection) -> None:
    envs = connection.make_vec(ID, num_envs=3)
    observations, infos = envs.reset(seed=1)
    before = copy.deepcopy((observations, infos))
    others = connection.make_vec(ID, num_envs=2)
    others.reset(seed=1)
    envs._batch._number = others._batch._number
    with pytest.raises(ConnectionError, match=r"^ipc://.*: reply: .* of observations for 3"):
        envs._batch.copy_row(0, 1)
    assert_same((observations, infos), before)
    assert connection.tables() == []


def test_numbers_are_turned_on_machines_of_the_other_order(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = bytes(range(1, 9))
    monkeypatch.setattr("sys.byteorder", "little")
    assert turned(numbers, 4) is numbers
    monkeypatch.setattr("sys.byteorder", "big")
    assert turned(numbers, 1) is numbers
    assert turned(numbers, 4) == bytes([4, 3, 2, 1, 8, 7, 6, 5])
    assert turned(numbers, 8) == numbers[::-1]
