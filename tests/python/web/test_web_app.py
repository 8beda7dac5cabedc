"""`mhing web` as a command, spoken to by HTTP and by its lines: who may, and what comes back."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest
from web_process import WebProcess
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

import mhing
from mhing import data
from mhing.web.app import LONGEST, MOST_SESSIONS, Places
from mhing.web.play import PlaySession, Wishes


def hear(line: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(line.recv(timeout=20))
    return message


def hear_view(line: ClientConnection) -> dict[str, Any]:
    while (message := hear(line))["kind"] != "view":
        pass
    return message


def send(line: ClientConnection, **request: Any) -> None:
    line.send(json.dumps(request))


# ---- Who may speak ------------------------------------------------------------------------------


def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(web: WebProcess) -> None:
    status, headers, _ = web.ask(f"/?token={web.token}", {}, cookie="")
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert re.match(r"mhing=[\w-]{22};", cookie), "128 bits"
    assert web.token not in cookie
    for word in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert word in cookie
    assert web.ask("/", {})[0] == 200
    status, headers, _ = web.ask(f"/?token={web.token}", {})
    assert (status, headers["location"]) == (303, "/"), "a browser with the cookie is also sent on"


@pytest.mark.parametrize("path", ["/", "/lobby.json", "/page/app.css", "/at/x", "/?token=wrong"])
@pytest.mark.parametrize("cookie", ["", "mhing=guess", "mhing-1={secret}", ";;=;"])
def test_without_the_cookie_nothing_is_shown(web: WebProcess, path: str, cookie: str) -> None:
    secret = web.cookie.partition("=")[2]
    status, _, text = web.ask(path, {}, cookie=cookie.format(secret=secret))
    assert status == 403
    assert text == "Open the address that the command has printed, with its token\n"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "", "[::1", "127.0.0.1.x"])
def test_foreign_names_of_the_machine_are_refused(web: WebProcess, host: str) -> None:
    for path in ("/", f"/?token={web.token}"):
        status, headers, _ = web.ask(path, {"Host": host.format(port=web.port)})
        assert status in (400, 403)
        assert "set-cookie" not in headers


def test_what_comes_from_other_pages_is_refused(web: WebProcess) -> None:
    for origin in ("http://evil.example", f"http://127.0.0.1:{web.port + 1}", "null"):
        headers = {"Origin": origin}
        assert web.ask("/lobby.json", headers)[0] == 403
        assert web.ask("/sessions", headers, {"kind": "play"})[0] == 403
    assert web.ask("/sessions", {}, {"kind": "play"})[0] == 403


@pytest.mark.parametrize(
    "headers",
    [{"Cookie": None}, {"Cookie": "mhing=x"}, {"Origin": None}, {"Origin": "http://evil.example"},
     {"Origin": "null"}, {"Host": "evil.example"}],
)  # fmt: skip
def test_lines_are_refused_likewise(web: WebProcess, headers: dict[str, str | None]) -> None:
    id = web.begin(game="leduc", seat=0)
    with pytest.raises(InvalidStatus) as caught, web.line(id, **headers):
        pass
    assert caught.value.response.status_code in (400, 403)
    with web.line(id) as line:
        assert hear(line)["kind"] == "hello"


@pytest.fixture
def port() -> str:
    """A port at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def test_pages_outlive_a_restart_at_the_same_port(tmp_path: Path, port: str) -> None:
    """After an end and after a kill; the token is another one, and none is on the disk."""
    with WebProcess(tmp_path, "--port", port) as web:
        cookie = web.welcome()
        stranger = "mhing=" + "s" * 22
    kept = tmp_path / f".browsers-{port}"
    assert kept.stat().st_mode & 0o777 == 0o600
    for end in (WebProcess.stop, WebProcess.kill):
        with WebProcess(tmp_path, "--port", port) as again:
            assert again.ask("/lobby.json", {}, cookie=cookie)[0] == 200
            assert again.ask("/lobby.json", {}, cookie=stranger)[0] == 403
            assert again.ask(f"/?token={web.token}", {}, cookie="")[0] == 403
            with again.line("none", Cookie=cookie) as line:
                assert hear(line)["text"] == "There is no such table"
            end(again)
    for secret in (web.token, cookie.partition("=")[2]):
        assert secret not in kept.read_text()


@pytest.mark.parametrize("change", ["a day", "another port", "any port", "other machines"])
def test_a_browser_is_forgotten(change: str, tmp_path: Path, port: str) -> None:
    lan = ("--host", "0.0.0.0", "--allowed-host", "127.0.0.1") if change == "other machines" else ()
    first = ("--port", "0" if change in ("any port", "another port") else port, *lan)
    with WebProcess(tmp_path, *first) as web:
        cookie = web.welcome()
    if change == "a day":
        kept = tmp_path / f".browsers-{port}"
        os.utime(kept, (0, time.time() - 24 * 3600))
    second = str(web.port) if change == "any port" else port
    with WebProcess(tmp_path, "--port", second, *lan) as again:
        assert again.ask("/lobby.json", {}, cookie=cookie)[0] == 403


def test_every_answer_keeps_pages_to_themselves(web: WebProcess) -> None:
    for path in ("/", "/lobby.json", "/page/table.js", "/nothing"):
        _, headers, _ = web.ask(path, {})
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "name", ["../app.py", "..%2fapp.py", "none.js", "%2e%2e/guard.py", "table", "table.py", ".js"]
)
def test_only_files_of_the_pages_are_served(web: WebProcess, name: str) -> None:
    assert web.ask(f"/page/{name}", {})[0] == 404


# ---- Whose sessions are ------------------------------------------------------------------------


def test_a_session_belongs_to_the_browser_that_began_it(web: WebProcess) -> None:
    """Others, who have the token as well, cannot tell it from one that is not there."""
    mine, other = web.welcome(), web.welcome()
    assert mine != other
    id = web.begin(mine, game="leduc", seat=0)
    table = web.ask(f"/at/{id}", {}, cookie=mine)
    assert table[0] == 200
    with web.line(id, Cookie=mine) as line:
        assert hear(line)["kind"] == "hello"
        while not (view := hear_view(line))["over"]:
            if view["asked"]:
                action = view["moves"][0]["action"]
                send(line, do="play", number=view["number"], action=action)
    review = view["review"]
    assert review == f"{id}/0"
    assert web.ask(f"/review/{review}", {}, cookie=mine)[0] == 200
    for place in (f"/at/{id}", f"/review/{review}"):
        status, headers, text = web.ask(place, {}, cookie=other)
        unknown = web.ask("/at/nothing" if "at" in place else "/review/no/0", {}, cookie=other)
        assert (status, text) == (404, unknown[2])
        assert headers["content-length"] == unknown[1]["content-length"]
    for place in (f"/at/{id}/line", f"/review/{review}/line"):
        with web.line_at(place, Cookie=other) as line:
            assert hear(line) == {"kind": "error", "text": "There is no such table"}
            with pytest.raises(ConnectionClosed):
                line.recv(timeout=20)
    with web.line_at(f"/review/{review}/line", Cookie=mine) as line:
        assert hear(line)["session"] == "review"


@pytest.mark.slow
def test_given_files_are_for_all_who_have_the_address_and_for_nobody_else(tmp_path: Path) -> None:
    data.write_jsonl(tmp_path / "given.jsonl", data.Games("leduc", games=1))
    with WebProcess(tmp_path / "saves", str(tmp_path / "given.jsonl")) as web:
        for cookie in (web.welcome(), web.welcome()):
            (listed,) = json.loads(web.ask("/lobby.json", {}, cookie=cookie)[2])["files"]
            assert web.ask(f"/review/{listed['id']}/0", {}, cookie=cookie)[0] == 200
            with web.line_at("/review/file-0/0/line", Cookie=cookie) as line:
                assert hear(line)["session"] == "review"
        for cookie in ("", "mhing=guess"):
            for path in ("/lobby.json", "/review/file-0/0"):
                assert web.ask(path, {}, cookie=cookie)[0] == 403
            with pytest.raises(InvalidStatus):
                web.line_at("/review/file-0/0/line", Cookie=cookie)
        section = web.ask("/", {})[2].partition("<h2>Records</h2>")[2]
        assert "All who have its address see them, with all cards." in section


def test_the_lobby_lists_the_browser_s_own_sessions(web: WebProcess) -> None:
    mine, other = web.welcome(), web.welcome()
    id = web.begin(mine, game="leduc", seat=0)

    def listed(cookie: str) -> list[str]:
        content = json.loads(web.ask("/lobby.json", {}, cookie=cookie)[2])
        return [one["id"] for one in content["tables"] + content["open"]]

    assert listed(mine) == [id]
    assert listed(other) == []
    own = web.begin(other, game="leduc", seat=0)
    assert listed(other) == [own]
    assert listed(mine) == [id]


# ---- Lines --------------------------------------------------------------------------------------


def test_a_line_plays(web: WebProcess) -> None:
    with web.line(web.begin(game="leduc", seat=0)) as line:
        hello = hear(line)
        assert (hello["kind"], hello["game"], hello["seat"]) == ("hello", "leduc", 0)
        view = hear(line)
        sprites = set(view["frame"]["sprites"])
        assert sprites
        while not view["over"]:
            if view["asked"]:
                action = view["moves"][0]["action"]
                send(line, do="play", number=view["number"], action=action)
            view = hear_view(line)
            assert not sprites & set(view["frame"]["sprites"]), "a sprite is sent twice"
            sprites |= set(view["frame"]["sprites"])
        assert "seed" not in json.dumps(view)


JUNK = ["", "{", "[]", "null", "3", '"do"', '{"do":[]}', '{"do":"fly"}', "[" * 5000, "\0", "é",
        '{"do":"play","number":1e400,"action":0}', '{"do":"shape","shape":"round"}']  # fmt: skip


@pytest.mark.parametrize("text", JUNK)
def test_junk_gets_an_error_and_the_line_goes_on(web: WebProcess, text: str) -> None:
    with web.line(web.begin(game="leduc", seat=0)) as line:
        hear(line)
        view = hear_view(line)
        line.send(text)
        error = hear(line)
        assert error["kind"] == "error"
        assert error["text"]
        assert "\n" not in error["text"]
        send(line, do="play", number=view["number"], action=view["moves"][0]["action"])
        assert hear(line)["kind"] == "view"


def test_bytes_are_read_as_text_is(web: WebProcess) -> None:
    with web.line(web.begin(game="leduc", seat=0)) as line:
        view = hear_view(line)
        line.send(b"\xff\x00")
        assert hear(line)["kind"] == "error"
        action = view["moves"][0]["action"]
        line.send(json.dumps({"do": "play", "number": view["number"], "action": action}).encode())
        assert hear(line)["kind"] == "view"


def test_a_message_that_is_too_long_ends_its_line_alone(web: WebProcess) -> None:
    id = web.begin(game="leduc", seat=0)
    with web.line(id) as line:
        view = hear_view(line)
        line.send("x" * (LONGEST + 1))
        with pytest.raises(ConnectionClosed):
            line.recv(timeout=20)
    with web.line(id) as line:
        assert hear_view(line)["number"] == view["number"]


def test_a_newer_page_takes_the_table_and_the_older_one_learns_it(web: WebProcess) -> None:
    id = web.begin(game="leduc", seat=0)
    with web.line(id) as older:
        view = hear_view(older)
        with web.line(id) as newer:
            assert hear_view(newer)["number"] == view["number"]
            with pytest.raises(ConnectionClosed) as caught:
                older.recv(timeout=20)
            assert caught.value.rcvd
            assert caught.value.rcvd.code == 4001
            send(newer, do="play", number=view["number"], action=view["moves"][0]["action"])
            assert hear_view(newer)["number"] > view["number"]


def test_the_first_view_has_the_shape_that_the_line_asks_for(web: WebProcess) -> None:
    id = web.begin(game="leduc", seat=0)
    for first, width in [("", 960), ("?shape=portrait", 360), ("?shape=wide", 960)]:
        with web.line(id, first) as line:
            assert hear_view(line)["frame"]["width"] == width
    with web.line(id, "?shape=round") as line:
        assert hear(line)["text"] == "shape: it is none of wide, portrait"


def test_what_is_not_there_says_so(web: WebProcess) -> None:
    with web.line("nothing") as line:
        assert hear(line) == {"kind": "error", "text": "There is no such table"}
        with pytest.raises(ConnectionClosed) as caught:
            line.recv(timeout=20)
        assert caught.value.rcvd
        assert caught.value.rcvd.code == 4004


@pytest.mark.parametrize(
    ("content", "words"),
    [({"kind": "play", "game": "chess"}, "chess"), ({"kind": "fly"}, "kind: 'fly' is none of"),
     ({}, "kind: None does not fit"), ([], "this is no JSON object")],
)  # fmt: skip
def test_wrong_wishes_get_one_line(web: WebProcess, content: object, words: str) -> None:
    status, _, text = web.ask("/sessions", {"Origin": web.address}, content)
    assert status == 422
    assert words in json.loads(text)["text"]


def test_bots_go_on_only_while_somebody_looks(web: WebProcess) -> None:
    id = web.begin(game="general_mhing", seat=None, delay=0.01)
    with web.line(id) as line:
        first = hear_view(line)
        last = [hear_view(line) for _ in range(5)][-1]
        assert last["number"] > first["number"]
        send(line, do="pause")
        while "go" not in (paused := hear_view(line))["can"]:
            pass
    with web.line(id) as line:
        again = hear_view(line)
    for key in paused.keys() - {"frame"}:  # a new page gets all sprites at once
        assert again[key] == paused[key]
    assert again["frame"]["rows"] == paused["frame"]["rows"]


# ---- The command --------------------------------------------------------------------------------


def test_a_server_that_does_not_answer_is_named(tmp_path: Path) -> None:
    """At the start, in a line; it may come later, so the pages are there."""
    words = ["web", "--no-open", "--saves", tmp_path, "--server", f"ipc://{tmp_path}/nobody"]
    with subprocess.Popen(
        [sys.executable, "-m", "mhing", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with browser.open(process.stdout.readline().strip(), timeout=20) as page:
            assert page.url.endswith("/server"), "the page is there"
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=20)[1]
    assert process.returncode == 0
    last = err.splitlines()[-1]
    assert last.startswith(f"mhing: --server: ipc://{tmp_path}/nobody: no answer in 3 times")
    assert last.endswith("(the pages ask it again)")


@pytest.mark.slow
def test_a_table_is_there_again_after_a_kill(tmp_path: Path) -> None:
    with WebProcess(tmp_path) as web:
        id = web.begin(game="mhing", seat=0)
        with web.line(id) as line:
            view = hear_view(line)
            for _ in range(3):
                send(line, do="play", number=view["number"], action=view["moves"][-1]["action"])
                while not (view := hear_view(line))["asked"]:
                    pass
        web.kill()
    with WebProcess(tmp_path) as web:
        (table,) = json.loads(web.ask("/lobby.json", {})[2])["tables"]
        assert abs(table["when"] - time.time()) < 3600
        assert table["result"] == ""
        assert (table["id"], table["title"], table["over"]) == (id, "Mhing", False)
        with web.line(id) as line:
            again = hear_view(line)
            assert again["frame"]["rows"] == view["frame"]["rows"]
            assert again["moves"] == view["moves"]


@pytest.mark.slow
def test_a_sheet_is_sent_when_it_has_changed_and_to_a_new_line(web: WebProcess) -> None:
    """It grows with every round; a page that has it needs no other one with each move."""
    id = web.begin(game="general_mhing", options={"episode": "game", "rounds": 3}, seat=0, delay=0)
    sheets: list[Any] = []
    with web.line(id) as line:
        while len(sheets) < 3:
            view = hear_view(line)
            sheets += [view["sheet"]] if "sheet" in view else []
            if "next" in view["can"]:
                send(line, do="next")
            elif view["asked"]:
                send(line, do="play", number=view["number"], action=view["moves"][0]["action"])
    assert sheets[0] is None
    assert [len(sheet["rounds"]) for sheet in sheets[1:]] == [1, 2]
    with web.line(id) as line:
        assert hear_view(line)["sheet"] == sheets[-1]


@pytest.mark.slow
def test_two_commands_are_two(tmp_path: Path) -> None:
    """A browser has one cookie for both."""
    with WebProcess(tmp_path) as one, WebProcess(tmp_path) as other:
        mine = one.welcome()
        assert other.ask("/", {}, cookie=mine)[0] == 403, "before it has the other's token as well"
        assert other.welcome(mine) == mine
        assert one.ask("/", {}, cookie=mine)[0] == other.ask("/", {}, cookie=mine)[0] == 200
        id = one.begin(game="leduc", seat=0)
        with other.line(id) as line:
            assert "Another mhing web has this table" in hear(line)["text"]


def command(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "mhing", "web", "--no-open", *arguments],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_how_it_ends_and_where_games_are_kept(tmp_path: Path, number: int) -> None:
    with WebProcess(tmp_path / "games") as process:
        assert process.advice == f"Ctrl-C ends it; games are kept in {tmp_path / 'games'}\n"
        assert process.cookie, "it serves"
        process.stop(number)


def test_a_busy_port_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, errors = command("--port", str(port))
    assert code == 2
    assert errors == f"mhing: --host 127.0.0.1 --port {port}: Address already in use\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("--host", "0.0.0.0"), "--host 0.0.0.0: also name it for others, by --allowed-host\n"),
     (("--host", "no.such.name.invalid"), "--allowed-host"),
     (("--port", "70000"), "--port"), (("--host", "127.0.0.1", "--saves"), "--saves"),
     (("--allowed-host", "http://x:80/"), "'http://x:80/' is not a name such as table.local, "),
     (("--allowed-host", "x:80"), "without http:// and port"),
     (("--server", "foo"), "mhing: --server: 'foo' is not tcp://HOST:PORT or ipc://PATH\n"),
     (("--saves", "/dev/null/x"), "mhing: --saves /dev/null/x: Not a directory\n")],
)  # fmt: skip
def test_wrong_arguments_are_one_line(arguments: tuple[str, ...], words: str) -> None:
    code, errors = command(*arguments)
    assert code == 2
    assert words in errors
    assert errors.count("\n") == 1


# ---- Sessions -----------------------------------------------------------------------------------


def test_sessions_make_room_for_others_but_for_those_that_pages_have() -> None:
    places = Places()
    game = mhing.Game("leduc")
    plays = [PlaySession(game, ["random"], Wishes(seat=0)) for _ in range(MOST_SESSIONS)]
    ids = [places.add(play, "ann").id for play in plays]
    assert places.find(ids[0], "bob") is None
    first = places.find(ids[0], "ann")
    assert first
    places.add(PlaySession(game, ["random"], Wishes(seat=0)), "ann")
    assert places.find(ids[0], "ann") is first, "it was looked for last"
    assert places.find(ids[1], "ann") is None
    for place in places._places:
        place.line = object()  # type: ignore[assignment]
    with pytest.raises(ValueError, match=f"{MOST_SESSIONS} tables are open"):
        places.add(PlaySession(game, ["random"], Wishes(seat=0)), "ann")
