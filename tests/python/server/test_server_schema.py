"""csrc/server/protocol.schema.json, the page and the server agree; and it refuses what is wrong."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgpack
import pytest
import zmq
from protocol_schema import Watch, definitions, fault, schema
from server_process import Client, Server

pytestmark = pytest.mark.once

SERVER = Path(__file__).parents[3] / "csrc/server"
PAGE = (SERVER / "PROTOCOL.md").read_text(encoding="utf-8")
# A random bot ends no game before the player has been asked three times; greedy does at times.
TERMS = {"options": "num_players=2", "bots": ["random"]}


def code_rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = schema()["$defs"]["errorCode"]["oneOf"]
    return rows


def named(group: str) -> list[str]:
    return [f"{group}.{name}" for name in definitions(group)]


# ---- The page ------------------------------------------------------------------------------------


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for each in part.values():
            yield from references(each)
    elif isinstance(part, list):
        for each in part:
            yield from references(each)


def test_the_schema_is_one() -> None:
    """It is a schema, without a definition that is missing or that nothing leads to."""
    jsonschema.Draft202012Validator.check_schema(schema())
    found = set(references(schema()))
    names = {f"#/$defs/{name}" for name in schema()["$defs"]}
    entries = {"#fromClient", "#fromServer", "#published"}
    replies = {f"#/$defs/{name}" for name in named("reply")}
    assert found - entries <= names
    assert names - found == {*(f"#/$defs/{name[1:]}" for name in entries), *replies - found}


def test_any_message_is_one_of_them() -> None:
    """The three entries have all definitions of their kind."""
    anys = {name: set(references(schema()["$defs"][name])) for name in ("fromClient", "fromServer")}
    assert anys["fromClient"] == {f"#/$defs/{name}" for name in named("request")}
    unasked = [*named("table"), *named("guest"), *named("host"), "reply", "error"]
    assert anys["fromServer"] == {f"#/$defs/{name}" for name in unasked}
    shown = set(references(schema()["$defs"]["published"]))
    assert shown == {f"#/$defs/{name}" for name in named("published")}


def lines(header: str) -> list[str]:
    """The lines of the table that begins so."""
    (found,) = re.findall(re.escape(header) + r"\n\|[-:| ]+\|\n((?:\|.*\n)+)", PAGE)
    return str(found).splitlines()


def title(part: Any) -> str:
    """The name of an argument."""
    if "title" not in part:
        part = schema()["$defs"][part["$ref"].removeprefix("#/$defs/")]
    found: str = part["title"]
    return found


def test_requests_of_the_page() -> None:
    """Each request has its row, with its arguments in order."""
    rows = []
    for name in definitions("request"):
        about = schema()["$defs"][f"request.{name}"]
        arguments = ", ".join(title(part) for part in about["prefixItems"][2:])
        cells = f"| `{name}` | {arguments} | {about['description']} |"
        rows.append(cells.replace("|  |", "| |"))
    if rows != lines("| request | arguments | |"):
        pytest.fail("the table of requests should be\n" + "\n".join(rows), pytrace=False)


def test_errors_of_the_page() -> None:
    """Each case of an error has its row: when it comes, what to do, and whether *seq* moves on."""
    rows = [
        f"| `{row['const']}` | {when} | {what} | {row['seq']} |"
        for row in code_rows()
        for when, what in row["cases"]
    ]
    if rows != lines("| code | when | what to do next | *seq* |"):
        pytest.fail("the table of errors should be\n" + "\n".join(rows), pytrace=False)


# ---- The server ----------------------------------------------------------------------------------


def test_codes_are_those_of_the_server() -> None:
    """Those that it counts, those of answers, and those that stand in its source."""
    known = [row["const"] for row in code_rows()]
    counted = re.search(r"meter_codes\[METER_CODES\] = \{(.*?)\}", source("common/meter.c"))
    assert counted
    assert re.findall(r'"(\w+)"', counted[1]) == [*known, "other"]
    status = re.search(r"codes\[\] = \{(.*?)\};", source("common/wire.c"))
    assert status
    refused = set(re.findall(r'"(\w+)"', status[1]))
    for path in sorted(SERVER.rglob("*.c")):
        if "bots" not in path.parts:
            refused |= set(re.findall(r'wire_refuse\([^,]+, "(\w+)"', source(path)))
    assert refused - {"over"} <= set(known)  # `over` is what no request can lead to


def source(path: str | Path) -> str:
    """A file of the server, with all space alike."""
    return re.sub(r"\s+", " ", (SERVER / path).read_text(encoding="utf-8"))


def test_names_are_those_of_the_server(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello()
        text = client("dance")[3]
    assert text.partition("there are ")[2].split(", ") == definitions("request")


# ---- Whether seq moves on ------------------------------------------------------------------------


def refused_raise(client: Client) -> list[Any]:
    client("make", {"illegal": "raise", "opponents": "random"})
    mask = client("reset", 1, 1)[3]
    return client("step", 1, mask.index(0))


def refused_sit(client: Client, *, first: dict[str, Any], second: dict[str, Any]) -> list[Any]:
    """The reply to who asks for the second, once somebody else has the first."""
    with Client(client.endpoint) as other:
        other.hello()
        assert other("sit", {"table": "t", **first})[0] == "ok"
        return client("sit", {"table": "t", **second})


def refused_load(client: Client) -> list[Any]:
    client.start_rows(opponents="random")
    return client("load", 1, 0, b"what is no row")


def refused_order(client: Client) -> list[Any]:
    client("make", {"opponents": "random"})
    return client("words", 1, 0)


def refused_guest(client: Client) -> list[Any]:
    assert client("wait", {"name": "a"})[0] == "ok"
    return client("play")


def refused_message(client: Client) -> list[Any]:
    client.socket.send(b"\xc1")
    return client.receive() or []


def refused_limit(client: Client) -> list[Any]:
    assert client("make", {"rows": 9, "opponents": "random"})[0] == "ok"
    return client("make", {"rows": 9, "opponents": "random"})


TWO = {"options": "num_players=2", "clock": 5000}
REFUSED: dict[tuple[str, int], Callable[[Client], list[Any]]] = {
    ("message", 0): refused_message,
    ("version", 0): lambda client: client.ask("hello", 0, {"protocol": [2, 3]}),
    ("hello", 0): lambda client: client.ask("ping", 1),
    ("session", 0): lambda client: client.ask("hello", 0, {"token": bytes(16)}),
    ("sequence", 0): lambda client: client.ask("ping", 5),
    ("request", 0): lambda client: client("dance"),
    ("argument", 0): lambda client: client("make", {"rows": 0}),
    ("game", 0): lambda client: client("describe", "chess"),
    ("option", 0): lambda client: client("describe", "mhing", "wings=2"),
    ("action", 0): refused_raise,
    ("snapshot", 0): refused_load,
    ("order", 0): refused_order,
    ("env", 0): lambda client: client("close", 9),
    ("limit", 0): refused_limit,
    ("limit", 1): lambda client: client("play", {"bots": ["search:50"]}),
    ("table", 0): lambda client: refused_sit(client, first=TWO | TERMS, second={}),
    ("table", 1): lambda client: refused_sit(client, first=TWO, second={"clock": 5001}),
    ("table", 2): refused_guest,
    ("table", 3): lambda client: client("stand"),
    ("table", 4): lambda client: client("picture"),
    ("table", 5): lambda client: client("invite", {"name": "nobody"}),
    ("table", 6): lambda client: client("tell", 9, "start", {}),
    ("turn", 0): lambda client: client.ask("act", 1, 0),
}
ELSEWHERE = {"memory", "storage", "slow", "late", "illegal"}  # in test_server_errors.c


def test_most_errors_are_tried() -> None:
    tried = {code for code, _ in REFUSED}
    assert tried | ELSEWHERE == {row["const"] for row in code_rows()}
    (table,) = (row["cases"] for row in code_rows() if row["const"] == "table")
    assert [case for code, case in REFUSED if code == "table"] == list(range(len(table)))


@pytest.mark.parametrize(("code", "case"), REFUSED)
def test_seq_moves_on_or_stays(tmp_path: Path, code: str, case: int) -> None:
    """After an error the server waits for the number that the row of its code says."""
    (said,) = (row["seq"] for row in code_rows() if row["const"] == code)
    with Server(tmp_path, "--rows", "16") as server, Client(server.endpoint) as client:
        if code != "hello":
            client.hello()
        kind, number, found, _ = REFUSED[code, case](client)
        assert (kind, found) == ("error", code)
        moved = number > 0 and client.hello()[2]["next"] == number + 1
    assert said == ("moves on" if moved else "stays")


# ---- Every message -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, messages: Watch) -> dict[str, Any]:
    """A message of each kind, as they were checked while a story was played."""
    folder = tmp_path_factory.mktemp("story")
    with Server(folder) as server:
        speak_of_environments(server)
        speak_at_tables(server)
        speak_of_guests(server)
    return copy.deepcopy(messages.seen)


def speak_of_environments(server: Server) -> None:
    with Client(server.endpoint) as client:
        client.hello(
            protocol=[1, 1], client="teller", attempt=1, window=2, observations="raw", actions="ids"
        )
        for game in client.welcome["games"]:
            (described,) = client("describe", game, "")[2:]
        assert client("text", "mhing", "", 0)[2:] == ["discard 1s"]
        assert client("text", "mhing", "", "discard 1s")[2:] == [0]
        described = client("describe", "mhing")[2]
        terms = {"game": "mhing", "options": "", "rows": 2, "opponents": ["random"] * 3}
        _, _, env, _ = client("make", terms | {"seat": 0, "illegal": "random", "final": True})
        client("reset", env, [5, 6])
        client("reset", env, None, [True, False])
        client("sample", env, None, "logits")
        (row,) = client("save", env, 0)[2:]
        for request in (
            ("load", env, 1, row), ("copy", env, 0, 1), ("deal", env, 0, 3, described["deck"]),
            ("state", env, 0), ("words", env, 0), ("omniscient", env), ("step", env, [0, 0]),
            ("close", env), ("ping",), ("bye",),
        ):  # fmt: skip
            assert client(*request)[0] == "ok", request


def messages_until(client: Client, last: str) -> Iterator[list[Any]]:
    """The messages of the server, up to one of that name."""
    name = None
    while name != last:
        message = client.receive()
        assert message is not None
        yield message
        name = message[0]


def speak_at_tables(server: Server) -> None:
    with Client(server.endpoint) as client, zmq.Context.instance().socket(zmq.SUB) as spectator:
        client.hello(actions="texts", observations="words")
        spectator.connect(client.welcome["watch"])
        spectator.subscribe("t:")
        seat = {"table": "t", "name": "a", "seat": 0, "seed": None, "games": 1, "pause": 0}
        assert client("sit", {**TERMS, **seat, "clock": 60_000, "substitute": "random"})[0] == "ok"
        requests = [("tables",), ("back",), ("picture", {"form": "wide", "as": "rows"})]
        for message in messages_until(client, "end"):
            if message[0] != "turn":
                continue
            if requests:
                client.seq += 1
                client.send(requests[-1][0], client.seq, *requests.pop()[1:])
            client.send("act", message[1], message[4][0])
        assert client("stand")[0] == "ok"
        published = set()
        while "end" not in published:
            assert spectator.poll(10_000)
            published.add(msgpack.unpackb(spectator.recv_multipart()[1])[0])
        assert client("play", {**TERMS, "clock": 50})[0] == "ok"  # and answers nothing
        assert list(messages_until(client, "away"))


def speak_of_guests(server: Server) -> None:
    with (
        Client(server.endpoint) as host,
        Client(server.endpoint) as other,
        Client(server.endpoint) as guest,
    ):
        for client in (host, other, guest):
            client.hello()
        wish = {"name": "champion", "game": "mhing"}
        assert guest("wait", wish)[0] == "ok"
        number = host("invite", wish)[2]["guest"]
        assert guest.receive() == ["invited", 0]
        host("tell", number, "start", {"layout": "0"})
        host("tell", number, "turn", 5000, b"seen", b"\1", [[1, 2, 3, 0]])
        host("tell", number, "round", {"round": 1})
        guest.send("act", 1, 0)
        assert host.receive() == ["said", number, 1, 0]
        host("tell", number, "end", {"over": False})
        assert other("invite", wish)[2] == "table"
        assert host.receive() == ["wanted", number]
        assert [(guest.receive() or [""])[0] for _ in range(4)] == ["start", "turn", "round", "end"]
        assert guest("stand")[0] == "ok"
        assert host.receive() == ["left", number]
        assert guest("wait", wish)[0] == "ok"
        number = host("invite", wish)[2]["guest"]
        assert host("dismiss", number, "late", "why")[0] == "ok"


def test_the_story_has_every_message(seen: dict[str, Any], messages: Watch) -> None:
    groups = ("request", "reply", "table", "guest", "host", "published")
    assert not messages.faults
    assert set(seen) == {"error", *(name for group in groups for name in named(group))}


def as_json(value: Any) -> Any:
    """A message for programs that do not tell bytes from texts."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, dict):
        return {key: as_json(each) for key, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list) else value


def test_any_validator_takes_every_message(seen: dict[str, Any]) -> None:
    """Also by the entry of its direction, and also one that knows JSON alone."""
    plain = jsonschema.Draft202012Validator(schema())
    for name, message in seen.items():
        group = name.partition(".")[0]
        entry = {"request": "fromClient", "published": "published"}.get(group, "fromServer")
        assert fault(entry, message) is None, name
        plain.validate(as_json(message))


# ---- What is wrong is refused --------------------------------------------------------------------

# Of definitions, the places where anything may stand, or nearly.
FREE: dict[str, list[tuple[Any, ...]]] = {
    "request.hello": [(1,)],
    "request.tell": [(4,), (5,), (6,), (7,)],
    "guest.start": [(2,)], "guest.round": [(2,)], "guest.end": [(2,)],
    "guest.turn": [(2,), (3,), (4,), (5,)],
    "published.round": [(2, "state")],
}  # fmt: skip
OPEN = {"labels", "numbers", "observation"}  # maps with names of a game's own
OPTIONAL = {"hash", "choices", "features", "seeds", "secret", "state", "credits", "points"}
"""Keys that a server leaves out now and then; a client may leave out most keys."""


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a message; of long arrays the first items."""
    yield at
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*at, key))
    elif isinstance(value, list):
        for index, each in enumerate(value[: 9 if not at else 2]):
            yield from places(each, (*at, index))


def put(message: Any, at: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """A copy in which the place has been changed."""
    changed = copy.deepcopy(message)
    inside = changed
    for key in at[:-1]:
        inside = inside[key]
    change(inside, at[-1])
    return changed


def value_at(message: Any, at: tuple[Any, ...]) -> Any:
    for key in at:
        message = message[key]
    return message


def odd(value: Any) -> Any:
    """Something that stands nowhere where this value does."""
    return {"odd": "type"} if isinstance(value, int | float | str | bytes | None) else 0.5


def retyped(message: Any, at: tuple[Any, ...]) -> Any:
    def change(inside: Any, key: Any) -> None:
        inside[key] = odd(inside[key])

    return put(message, at, change)


def grown(message: Any, at: tuple[Any, ...]) -> Any:
    def change(inside: Any, key: Any) -> None:
        inside[key]["odd"] = 0.5

    return put(message, at, change)


def dropped(message: Any, at: tuple[Any, ...]) -> Any:
    return put(message, at, lambda inside, key: inside.pop(key))


GROUPS = ("request", "reply", "table", "guest", "host", "published")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["error", *(name for group in GROUPS for name in named(group))])
def test_wrong_messages_are_refused(seen: dict[str, Any], name: str) -> None:
    """Any value of another type, any key more, any item or key less that must be there."""
    message = seen[name]
    assert fault(name, message) is None
    assert fault(name, [*message, 0.5]) is not None
    assert fault(name, message[:2]) is not None or len(message) == 2 or name.startswith("request")
    free = FREE.get(name, [])
    tried = 0
    for at in places(message):
        if not at or any(at[: len(place)] == place for place in free):
            continue
        assert fault(name, retyped(message, at)) is not None, (at, "another type")
        inside = value_at(message, at)
        if isinstance(inside, dict):
            assert fault(name, grown(message, at)) is not None, (at, "one key more")
        if must_stay(name, at):
            assert fault(name, dropped(message, at)) is not None, (at, "left out")
        tried += 1
    assert tried >= min(2, len(message)) - len(free)


def must_stay(name: str, at: tuple[Any, ...]) -> bool:
    """Return whether a message without this key is wrong."""
    if not isinstance(at[-1], str) or name == "table.round" or name.startswith("request."):
        return False
    return at[-1] not in OPTIONAL and not OPEN.intersection(at[:-1])


def test_bytes_are_no_texts() -> None:
    """Nor is a float that is whole a number that counts, or true a 1."""
    assert fault("reply.save", ["ok", 1, b"row"]) is None
    assert fault("reply.save", ["ok", 1, "row"]) is not None
    assert fault("reply.words", ["ok", 1, "text"]) is None
    assert fault("reply.words", ["ok", 1, b"text"]) is not None
    assert fault("reply.ping", ["ok", 1.0]) is not None
    assert fault("reply.ping", ["ok", True]) is not None
    assert fault("request.load", ["load", 1, 1, 0, "row"]) is None


def test_what_goes_through_sockets_is_watched(messages: Watch, tmp_path: Path) -> None:
    """A server that says what is not in the schema, and a package that asks for it."""
    context = zmq.Context.instance()
    with context.socket(zmq.ROUTER) as router, Client(f"ipc://{tmp_path}/socket") as client:
        router.linger = 0
        router.bind(client.endpoint)
        client.send("make", 1, {"rows": 0})
        sender, _ = router.recv_multipart()
        for message in (["ok", 1, 1, {}], ["turn", 1], ["dance", 1], ["error", 1, "odd", "text"]):
            router.send_multipart([sender, msgpack.packb(message)])
            client.receive()
    faults = [text.partition(":")[0] for text in messages.end()]
    assert faults == [
        "reply.make[3]",
        "request.make[2]['rows']",
        "table.turn",
        "host.dance",
        "error[2]",
    ]
