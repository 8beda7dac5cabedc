"""The names of everything that is sent, written or told through each door of the engine.

A *door* is a way by which somebody gets something of a game. Each function here plays through one
door until all of its messages have come, and returns their names: by message, the keys of its map,
or the columns of its table. Public numbers and observation fields differ from game to game, so
that they stand for one name each.
"""

from __future__ import annotations

import io
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import gymnasium
import msgpack
import numpy as np
import zmq
from chat_endpoint import Endpoint, last_move, serving
from server_process import Client, Server
from web_process import WebProcess

import mhing
from mhing import arena, data, mhing_v0, trl
from mhing.cli import main
from mhing.players.asking import CannotPlay
from mhing.text import TextEnv

GAME = "mhing"
NUMBERS = "public numbers"
FIELDS = "observation fields"

Names = dict[str, set[str]]
"""Of a door: the keys of each message."""


class _Found:
    """Names as they come."""

    def __init__(self) -> None:
        game = mhing.Game(GAME)
        self._numbers = {number["name"] for number in game.describe()["info"]}
        self._fields = {field.name for field in game.observation_fields}
        self.names: Names = defaultdict(set)

    def add(self, message: str, content: object) -> None:
        """Takes the keys of a map; a list or a number has none."""
        keys = set(map(str, content)) if isinstance(content, Mapping) else set()
        if self._numbers <= keys:
            keys = keys - self._numbers | {NUMBERS}
        if self._fields <= keys:
            keys = keys - self._fields | {FIELDS}
        self.names[message] |= keys
        if "totals" in keys and isinstance(content, Mapping):
            for one in content["totals"]:
                self.add("own totals" if "missed" in one else "totals", one)


# ---- The server ---------------------------------------------------------------------------------

_TURN = "turn", "left", "observation", "legal", "events"  # instead of a map's keys


def _content(message: list[Any]) -> object:
    if message[0] == "turn":
        return dict(zip(_TURN, message[1:], strict=True))
    _, _, content = message
    return content


def _act(client: Client, turn: list[Any]) -> None:
    client.send("act", turn[1], int(np.frombuffer(turn[4], np.int8).argmax()))


def table(folder: Path) -> dict[str, Names]:
    """A table of three players and a spectator; one player says nothing until it is away, one
    leaves."""
    player, watching, files = _Found(), _Found(), _Found()
    with (
        Server(folder, "--records", str(folder / "records")) as server,
        Client(server.endpoint) as ann,
        Client(server.endpoint) as bob,
        Client(server.endpoint) as eve,
    ):
        player.add("hello", ann.hello(client="ann")[2])
        bob.hello(client="bob")
        eve.hello(client="eve")
        socket = zmq.Context.instance().socket(zmq.SUB)
        socket.connect(ann.welcome["watch"])
        socket.subscribe("t:")
        terms = {"options": "num_players=3", "games": 2, "clock": 50, "pause": 0}
        player.add("sit", ann("sit", {"table": "t", **terms})[2])
        player.add("tables", ann("tables")[2][0])
        bob("sit", {"table": "t"})
        eve("sit", {"table": "t"})
        eve("stand")
        poller, over = zmq.Poller(), set[Client]()
        for source in (socket, ann.socket, bob.socket):
            poller.register(source, zmq.POLLIN)
        while len(over) < 2 or "totals" not in watching.names:
            for source, _ in poller.poll(20_000):
                if source is socket:
                    published = msgpack.unpackb(socket.recv_multipart()[1])
                    watching.add(published[0], _content(published))
                    continue
                client = ann if source is ann.socket else bob
                message = client.receive()
                assert message is not None
                kind = message[0]
                if kind == "error":  # a slow machine is late now and then
                    continue
                player.add("back" if kind == "ok" else kind, _content(message))
                if kind == "turn" and client is bob and "away" not in player.names:
                    continue
                if kind == "turn":
                    _act(client, message)
                elif kind in ("away", "start"):
                    client.seq += 1
                    client.send("back", client.seq)
                elif kind == "end" and _content(message)["over"]:
                    over.add(client)
        player.add("tables", ann("tables")[2][0])
        socket.close(0)
    for line in next((folder / "records").glob("*.jsonl")).read_text().splitlines():
        content = json.loads(line)
        files.add(_line_of_record(content), content)
    return {"player": player.names, "spectator": watching.names, "record": files.names}


def _line_of_record(content: Mapping[str, Any]) -> str:
    return "first line" if "format" in content else "action" if "action" in content else "last line"


# ---- The arena ----------------------------------------------------------------------------------

_PROGRAM = """
import json, os, sys
with open(sys.argv[1], "a") as file:
    for line in sys.stdin:
        message = json.loads(line)
        print(json.dumps({k: sorted(v) if isinstance(v, dict) else None for k, v in message.items()}
              | {"type": message["type"]}), file=file, flush=True)
        if message["type"] == "turn":
            action = -1 if message["turn"] == 1 else message["ids"][0]
            print(json.dumps({"turn": message["turn"], "action": action}), flush=True)
"""


def program(folder: Path) -> dict[str, Names]:
    """A program in the arena, which is asked again, and loses where it is not: its lines, and the
    logs that the arena writes."""
    found, log = _Found(), _Found()
    script, heard = folder / "bot.py", folder / "heard"
    script.write_text(_PROGRAM)
    for retries, estimator in enumerate(("raw", "paired")):
        path = folder / estimator
        arena.play(
            [f"exec:{sys.executable} {script} {heard}", "random"],
            GAME, deals=1, num_players=2, seed=1 << 63, log=path, retries=retries,
            estimator=estimator,
        )  # fmt: skip
        for number, line in enumerate(path.read_text().splitlines()):
            log.add("deal" if number else "first line", json.loads(line))
    for line in heard.read_text().splitlines():
        message = json.loads(line)
        found.add(message.pop("type"), message)
    return {"program": found.names, "log": log.names}


# ---- In process ---------------------------------------------------------------------------------


def environments(_: Path) -> dict[str, Names]:
    """The names in the infos of Gymnasium and PettingZoo."""
    single, agents = _Found(), _Found()
    env = gymnasium.make("mhing:Mhing-v0")
    _, info = env.reset(seed=1)
    over = False
    while not over:
        single.add("info", info)
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    single.add("info", info)
    table = mhing_v0.env(num_players=2)
    table.reset(seed=1)
    for _ in table.agent_iter():
        observation, _, over, _, info = table.last()
        agents.add("info", info)
        agents.add("observation", observation)
        table.step(None if over else int(observation["action_mask"].argmax()))
    return {"environment": single.names, "agent": agents.names}


# ---- Language models ----------------------------------------------------------------------------


def words(folder: Path) -> dict[str, Names]:
    """A seat in words with a mistake, its rows for TRL, and a table of prompts."""
    seat, rows = _Found(), _Found()
    env = TextEnv("leduc", seat=0)
    turn = env.reset(seed=1)
    while not turn.is_over:
        seat.add("turn", vars(turn))
        seat.add("info", turn.info)
        turn = env.step("Hm." if not turn.refusal else next(iter(turn.moves)))
        if turn.refusal:
            seat.add("refusal", vars(turn.refusal))
    seat.add("turn", vars(turn))
    seat.add("last info", turn.info)
    rows.add("row", trl.rows("leduc", [1])[0])
    for row in data.Prompts(data.Games("leduc", "random", games=1)).rows():
        rows.add("prompt", row)
    return {"seat": seat.names, "rows": rows.names}


def chat(folder: Path) -> dict[str, Names]:
    """The requests to an endpoint, whose first answer is no move, and the lines of a transcript."""
    found, kept = _Found(), _Found()
    endpoint = Endpoint(lambda messages: "Hm." if len(messages) < 3 else last_move(messages))
    with serving(endpoint) as url:
        settings = f"temperature=1,answer=9,tokens=300,transcript={folder / 'chat.jsonl'}"
        with suppress(CannotPlay):  # its budget is spent
            arena.play(["random", f"chat:{url},{settings}"], "leduc", deals=2, seed=1 << 63)
    for body in endpoint.asked:
        found.add("request", body)
        for message in body["messages"]:
            found.add("message", message)
    for line in (folder / "chat.jsonl").read_text().splitlines():
        content = json.loads(line)
        kept.add("failed line" if "error" in content else "line", content)
    return {"endpoint": found.names, "transcript": kept.names}


# ---- Commands ----------------------------------------------------------------------------------


def commands(folder: Path) -> dict[str, Names]:
    """The names in the printed forms of a record."""
    found, path = _Found(), folder / "game.jsonl"
    data.write_jsonl(path, data.Games(GAME, games=1, num_players=2))
    for name in ("replay", "analyse"):
        printed = io.StringIO()
        with redirect_stdout(printed):
            assert main([name, str(path), "--json"]) == 0
        found.add(name, json.loads(printed.getvalue()))
    return {"command": found.names}


# ---- The browser --------------------------------------------------------------------------------


def browser(folder: Path) -> dict[str, Names]:
    """A game in the browser that its page plays to the end, its file, and the lobby."""
    page, lobby, files = _Found(), _Found(), _Found()
    data.write_jsonl(folder / "given.jsonl", data.Games("leduc", games=1))
    with WebProcess(folder / "saves", str(folder / "given.jsonl")) as web:
        id = web.begin(game=GAME, options={"num_players": 2}, seat=0, delay=0)
        for name, entries in json.loads(web.ask("/lobby.json", {})[2]).items():
            lobby.add(name, entries[0] if entries else None)
        with web.line(id) as line:
            over, asked = False, 0
            while not over:
                message = json.loads(line.recv(timeout=20))
                kind = message.pop("kind")
                page.add(kind, message)
                over = kind == "view" and message["over"]
                if kind != "view" or not message["asked"]:
                    continue
                asked += 1
                if asked == 3:
                    line.send(json.dumps({"do": "undo"}))
                    continue
                action = message["moves"][0]["action"]
                request = {"do": "play", "number": message["number"], "action": action}
                line.send(json.dumps(request))
    for text in next((folder / "saves").glob("*/*.jsonl")).read_text().splitlines():
        content = json.loads(text)
        files.add(_line_of_record(content), content)
    return {"page": page.names, "lobby": lobby.names, "kept": files.names}
