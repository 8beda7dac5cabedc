"""OpenEnv: a server in a process, and its own clients."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("openenv", reason="OpenEnv has a separate environment: run .ci/language_models")

import yaml
from examples import example, run
from openenv.core.generic_client import GenericEnvClient
from openenv_server import FOLDER, serving
from starlette.testclient import TestClient
from streams import Ear, Heard, choice, dealing
from test_doors import written
from test_streams import of_every_game, same
from twins import Deal

import mhing
from mhing.openenv import SPLITS, Client, Question, Reply, make_app
from mhing.text import TextEnv, Texts

pytestmark = pytest.mark.filterwarnings("ignore")  # the library's own

SESSIONS = 8


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server as its Containerfile starts it."""
    with serving("mhing", SESSIONS) as address:
        assert get(f"{address}/health") == {"status": "healthy"}
        yield address


def get(address: str, content: object = None) -> Any:
    data = None if content is None else json.dumps(content).encode()
    with urlopen(Request(address, data, {"Content-Type": "application/json"})) as reply:
        return json.load(reply)


Model = Callable[[Question], str]


def by_chance(seed: int) -> Model:
    rng = Random(seed)
    return lambda asked: rng.choice(asked.moves)


def play(env: Any, model: Model, **reset: Any) -> list[Question]:
    """All that a session is told in an episode."""
    answered = [env.reset(**reset).observation]
    while not answered[-1].done:
        result = env.step(Reply(reply=model(answered[-1])))
        assert (result.done, result.reward) == (result.observation.done, result.observation.reward)
        answered.append(result.observation)
    return answered


def test_a_whole_game_is_that_of_the_table(address: str) -> None:
    env = TextEnv("mhing", opponents="random")
    with Client(address).sync() as client:
        for seed in range(4):
            answered, rng, turn = (
                play(client, by_chance(seed), seed=seed),
                Random(seed),
                env.reset(seed),
            )
            assert answered[0].system == env.texts.system()
            for asked in answered[:-1]:
                assert (asked.text, asked.moves) == (turn.text, [*turn.moves])
                assert asked.reward == turn.reward
                turn = env.step(rng.choice([*turn.moves]))
            assert answered[-1].text == turn.text
            assert sum(one.reward for one in answered) == turn.info["returns"][env.seat]
            assert client.state().step_count == turn.info["step"]


def test_sessions_are_apart_and_as_many_as_the_server_allows(address: str) -> None:
    """A group of the same task: each goes its own way, and the same way again."""
    clients = [Client(address).sync() for _ in range(SESSIONS)]
    try:
        first = [client.reset(split="train", index=7).observation for client in clients]
        assert len({one.text for one in first}) == 1
        models = [by_chance(number // 2) for number in range(SESSIONS)]
        chats = [[one.text] for one in first]
        asked = dict(enumerate(first))
        while asked:  # in turn, a move each
            for number in [*asked]:
                move = models[number](asked[number])
                now = clients[number].step(Reply(reply=move)).observation
                chats[number].append(now.text)
                asked[number] = now
                if now.done:
                    del asked[number]
        assert [chats[number] for number in range(0, SESSIONS, 2)] == chats[1::2]
        assert len({*map(tuple, chats)}) > 1
        with pytest.raises(Exception, match="apacity"), Client(address).sync() as one_more:
            one_more.reset()
    finally:
        for client in clients:
            client.close()


def test_nothing_hidden_is_in_what_is_sent(address: str) -> None:
    """No seed in any message, and steps that count public events alone."""
    seed = 2**62 + 12345
    with GenericEnvClient(address).sync() as client:
        result = client.reset(seed=seed, episode_id="one")
        sent, rng = [], Random(2)
        env = TextEnv("mhing", opponents="random")
        turn = env.reset(seed)
        while True:
            state = client.state()
            sent += [result.observation, result.metadata, state]
            assert state == {"episode_id": "one", "step_count": turn.info["step"]}
            assert {*result.observation} == written()["session"]["observation"]
            assert {*state} == written()["session"]["state"]
            assert result.observation["metadata"] == {}
            if result.done:
                break
            move = rng.choice(result.observation["moves"])
            result, turn = client.step({"reply": move}), env.step(move)
        assert str(seed) not in json.dumps(sent)


def through_openenv(deal: Deal, seat: int) -> list[Heard]:
    """Every message of a session's socket; the seat replies with no move now and then."""
    ear, state, heard = Ear(seat), deal.state(), list[Heard]()
    with dealing(lambda _: state):
        app = make_app(Texts(deal.game), opponents="greedy", seat=seat)
        with TestClient(app) as client, client.websocket_connect("/ws") as socket:

            def asked(kind: str, **content: object) -> str:
                socket.send_json({"type": kind} | ({"data": content} if content else {}))
                message = socket.receive_text()
                assert json.loads(message)["type"] != "error", message
                return message

            message, is_over, wrong = asked("reset", seed=1), False, False
            while True:
                heard.append(ear.hears(state, message, asked("state")))
                if is_over:
                    return heard
                wrong = len(message) % 5 == 0 and not wrong
                action = choice(state.observation(seat), state.action_mask())
                message = asked("step", reply="Hm." if wrong else str(action))
                is_over = json.loads(message)["data"]["done"]


@of_every_game
def test_twins_are_sent_the_same(game_id: str, seats: int) -> None:
    same(game_id, seats, through_openenv)


def test_a_bot_that_fails_shows_nobody_its_cards() -> None:
    """And its session is of use again after a reset."""
    env = TextEnv("general_mhing", opponents="greedy", seat=0)

    def broken(*_: Any) -> str:
        return "I hold the king."

    app = make_app("general_mhing", opponents=broken, seat=0)
    with TestClient(app) as client, client.websocket_connect("/ws") as socket:
        for _ in range(2):
            socket.send_json({"type": "reset", "data": {"seed": 1}})
            answer = socket.receive_json()["data"]
            assert answer["observation"]["text"] == env.reset(1).text
            socket.send_json({"type": "step", "data": {"reply": answer["observation"]["moves"][0]}})
            message = socket.receive_json()
            assert message["type"] == "error"
            assert message["data"]["message"] == "broken, the player in seat 1, fails"
            assert {*message["data"]} == written()["session"]["error"]
            socket.send_json({"type": "step", "data": {"reply": answer["observation"]["moves"][0]}})
            assert "nobody is asked" in socket.receive_json()["data"]["message"]


def test_mistakes(address: str) -> None:
    with Client(address).sync() as client:
        asked = client.reset(seed=1).observation
        for count in (1, 2):
            answered = client.step(Reply(reply="I don't know")).observation
            assert (answered.mistakes, answered.idled, answered.moves) == (count, 0, asked.moves)
            assert "Reply with one of these moves." in answered.text
        answered = client.step(Reply(reply="I don't know")).observation
        assert (answered.mistakes, answered.idled) == (3, 1)
        assert answered.text.startswith("Your reply was no move; ")
        while not answered.done:
            answered = client.step(Reply(reply=answered.moves[0])).observation
        with pytest.raises(RuntimeError, match="nobody is asked"):
            client.step(Reply(reply="pass"))
        assert not client.reset(seed=1).done, "the session continues after an error"
        for wrong in ({"split": "test"}, {"index": 3}):
            with pytest.raises(RuntimeError, match="a task has a split and an index"):
                client.reset(**wrong)
        with pytest.raises(RuntimeError, match="index: 1000 is not from 0 to 999"):
            client.reset(split="test", index=1000)
    with GenericEnvClient(address).sync() as client:
        client.reset(seed=1)
        with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
            client.step({"move": "pass"})
        assert client.step({"reply": 1_000_000}).observation["mistakes"] == 1, "an id, as JSON"


def test_tasks(address: str) -> None:
    tasks = f"{address}/mhing"
    assert get(f"{tasks}/splits") == [{"name": name, "type": name} for name in SPLITS]
    for split, (_, size) in SPLITS.items():
        assert get(f"{tasks}/num_tasks", {"split": split}) == {"num_tasks": size}
        last = {"id": f"{split}-{size - 1}", "split": split, "index": size - 1}
        assert get(f"{tasks}/task", {"split": split, "index": size - 1}) == {"task": last}
        assert len(get(f"{tasks}/tasks", {"split": split})["tasks"]) == 1000
        few = get(f"{tasks}/task_range", {"split": split, "start": 5, "stop": 8})["tasks"]
        assert [task["index"] for task in few] == [5, 6, 7]
        for wrong in ({"split": split, "index": size}, {"split": "none", "index": 0}):
            with pytest.raises(HTTPError, match="400"):
                get(f"{tasks}/task", wrong)
    seeds = [range(first, first + size) for first, size in SPLITS.values()]
    assert not {seeds[0][0], seeds[0][-1]} & {*seeds[1]}, "no deal is in two splits"
    with Client(address).sync() as client:
        first = [client.reset(split=split, index=0).observation.text for split in SPLITS]
        assert first[0] == client.reset(seed=0).observation.text != first[1]


def test_a_task_decides_over_a_seed(address: str) -> None:
    """AgileRL sends both."""
    with Client(address).sync() as client:
        first = [client.reset(seed=seed, split="train", index=9).observation for seed in (1, 2)]
        assert first[0] == first[1] == client.reset(seed=9).observation


def test_moves_are_listed_where_texts_list_them() -> None:
    for legal in ("all", "kinds", "none"):
        app = make_app(Texts("mhing", legal=legal), opponents="random")
        with TestClient(app) as client, client.websocket_connect("/ws") as socket:
            socket.send_json({"type": "reset", "data": {"seed": 1}})
            asked = socket.receive_json()["data"]["observation"]
            assert bool(asked["moves"]) == (legal == "all")


def test_arguments_are_named_before_anybody_comes() -> None:
    with pytest.raises(ValueError, match="opponents: "):
        make_app("mhing", opponents="nobody")
    with pytest.raises(ValueError, match="whist"):
        make_app("whist")


def test_the_manifest_names_the_application_of_the_container() -> None:
    manifest = yaml.safe_load((FOLDER / "openenv.yaml").read_text(encoding="utf-8"))
    container = (FOLDER / "Containerfile").read_text(encoding="utf-8")
    assert f'"uvicorn", "{manifest["app"]}"' in container
    assert f'"--port", "{manifest["port"]}"' in container
    assert f"EXPOSE {manifest['port']}\n" in container
    assert manifest["name"] == "mhing"
    declared = manifest["validation"]
    bounds = mhing.Game("mhing").bounds
    assert declared["reward"]["range"] == [bounds.lowest, bounds.highest]
    sizes = {split: size for split, (_, size) in SPLITS.items()}
    assert declared["capabilities"]["declared_task_count"] == sizes


def test_openenv_finds_nothing_wrong(address: str) -> None:
    """Its own command, with the manifest and with the server."""
    command = [sys.executable, "-m", "openenv.cli", "validate"]
    for target in ([str(FOLDER), "--level", "static"], ["--url", address]):
        done = subprocess.run([*command, *target], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_example(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = run(example("openenv").code.replace("http://localhost:8000", address))
    assert names["result"].done
    assert capsys.readouterr().out.startswith("The round is over.")
