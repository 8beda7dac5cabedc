"""The application: its pages, and a line for each page that plays or watches.

A session belongs to the browser that began it, and others cannot tell it from one that is not
there: neither its page nor its line, neither now nor from the disk.

Sessions live here, not in pages: a page that is loaded again, or whose line was cut, finds its
session by the address. One page at a time has it: at a table the page before is told so, and a
review is opened anew for each page. Whatever a page sends, its connection stays open: a message
that cannot be read or obeyed is answered by an error.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import islice
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

import mhing
from mhing.judge import judges
from mhing.records import Record
from mhing.render import palette
from mhing.render.scene import Format
from mhing.table import PlayerFailed
from mhing.web import inline
from mhing.web.guard import BROWSER
from mhing.web.play import PlaySession
from mhing.web.review import Shelf
from mhing.web.saves import Saved, Saves
from mhing.web.session import SHAPES, Message, Session, asked, asked_shape
from mhing.words import called, taken_back

Begin = Callable[[Message, Saves], Session]
"""Makes a session from what a page asks for, and keeps it among the saves of its browser; raises
ValueError with a line for the page."""

Reopen = Callable[[str, Saves], Session | None]
"""Makes the session of that id anew, from the saves of its browser; None: there is none."""

Tables = Callable[[Message], Message]
"""Lists the tables of a server that a page asks for; raises ValueError with a line for the page."""

MOST_SESSIONS = 100
LONGEST = 1 << 14
"""Bytes of a message from a page."""

_PALETTES = "palette.css"
_LOG = logging.getLogger(__name__)
_LISTED = 20  # sittings in the lobby, the last ones

MOVED, GONE = 4001, 4004  # why a line was closed
_KINDS = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(eq=False)
class Place:
    """A session, its id, the browser that it belongs to, and the page that has it."""

    id: str
    session: Session
    browser: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    line: WebSocket | None = None

    @property
    def is_free(self) -> bool:
        """True if no page has it, or the page has gone while the session was at work."""
        return self.line is None or self.line.client_state is WebSocketState.DISCONNECTED


class Places:
    """The sessions by their ids; those that no page has make room for others."""

    def __init__(self) -> None:
        self._places: list[Place] = []  # the last one of them was looked for last

    def add(self, session: Session, browser: str) -> Place:
        """Keep a session of a browser; its id is its name on the disk if it has one.

        Raises:
            ValueError: pages have as many as there may be.
        """
        if len(self._places) >= MOST_SESSIONS:
            free = next((place for place in self._places if place.line is None), None)
            if free is None:
                raise ValueError(f"{MOST_SESSIONS} tables are open; close one of their pages")
            self._places.remove(free)
            free.session.close()
        place = Place(session.saved_as or secrets.token_urlsafe(16), session, browser)
        self._places.append(place)
        return place

    def find(self, id: str, browser: str, *, is_free: bool = False) -> Place | None:
        """A browser's session of that id; it is the last one now that has to make room.

        Args:
            id: of the session.
            browser: whose it must be.
            is_free: whether it must be one that no page has.
        """
        for place in self._places:
            if (place.id, place.browser) == (id, browser) and (place.is_free or not is_free):
                self._places.remove(place)
                self._places.append(place)
                return place
        return None

    def unsaved(self, browser: str) -> list[Message]:
        """Return a browser's open sessions that are on no disk: ``id`` and ``title`` of each."""
        found = []
        for place in [one for one in self._places if one.browser == browser]:
            with place.lock:
                if place.session.saved_as is None and place.session.due() is not None:
                    found.append({"id": place.id, "title": place.session.hello()["title"]})
        return found


def application(
    kinds: Mapping[str, Begin], saves: Saves, shelf: Shelf, tables: Tables
) -> Starlette:
    """Make the application.

    Args:
        kinds: what can be begun, by the ``"kind"`` that a page asks for.
        saves: the games that can be resumed, of all browsers.
        shelf: the games that can be reviewed.
        tables: lists those of a server.
    """
    desk = _Desk(kinds, saves, shelf, tables)
    return Starlette(
        routes=[
            Route("/", _page("lobby.html")),
            Route("/lobby.json", desk.lobby),
            Route("/server", _page("server.html")),
            Route("/server.json", desk.server, methods=["POST"]),
            Route("/sessions", desk.begin, methods=["POST"]),
            Route("/at/{id}", desk.table_page),
            Route("/review/{id:path}", desk.review_page),
            Route("/page/{name}", _file),
            WebSocketRoute("/at/{id}/line", desk.table),
            WebSocketRoute("/review/{id:path}/line", desk.review),
        ]
    )


class _Desk:
    """Answers requests, and opens the lines of pages; see :func:`application`."""

    def __init__(
        self, kinds: Mapping[str, Begin], saves: Saves, shelf: Shelf, tables: Tables
    ) -> None:
        self._kinds, self._saves, self._shelf, self._tables = kinds, saves, shelf, tables
        self._places = Places()

    async def begin(self, request: Request) -> Response:
        """Begin a session, to which the page goes."""
        try:
            settings = _read(await request.body())
            kind = asked(settings, "kind", str)
            if kind not in self._kinds:
                raise ValueError(f"kind: {kind!r} is none of {', '.join(self._kinds)}")
            session = await asyncio.to_thread(self._kinds[kind], settings, self._kept(request))
            return JSONResponse({"id": self._places.add(session, request.scope[BROWSER]).id}, 201)
        except ValueError as error:
            return JSONResponse({"kind": "error", "text": str(error)}, 422)

    async def lobby(self, request: Request) -> Response:
        """Return what the lobby shows."""
        kept = self._kept(request)
        tables = await asyncio.to_thread(lambda: [*map(_saved, islice(kept, _LISTED))])
        files = [_listed(name, games) for name, games in self._shelf.given.items()]
        return JSONResponse({
            "games": _games(), "tables": tables, "files": files,
            "open": await self._open(request),
        })  # fmt: skip

    async def server(self, request: Request) -> Response:
        """Return the list of a server's tables."""
        try:
            listed = await asyncio.to_thread(self._tables, _read(await request.body()))
        except ValueError as error:
            listed = {"text": str(error)}
        return JSONResponse(listed | {"open": await self._open(request)})

    async def table_page(self, request: Request) -> Response:
        """The page of a table; of one that is not there it says so."""
        id = request.path_params["id"]
        is_there = self._places.find(id, request.scope[BROWSER]) or id in self._kept(request)
        return _content("table.html", 200 if is_there else 404)

    async def review_page(self, request: Request) -> Response:
        """The page of a review; of one that is not there it says so."""
        name = request.path_params["id"].partition("/")[0]
        is_there = name in self._shelf.given or name in self._kept(request)
        return _content("replay.html", 200 if is_there else 404)

    async def table(self, websocket: WebSocket) -> None:
        """The line of a page that plays or watches: the last one of its table has it."""
        await self._serve(websocket, self._resume)

    async def review(self, websocket: WebSocket) -> None:
        """The line of a page that reviews: each has its own judge, so its own session."""
        await self._serve(websocket, self._shelf.open, is_own=True)

    def _kept(self, connection: HTTPConnection) -> Saves:
        """The games of a browser."""
        return self._saves.of(connection.scope[BROWSER])

    async def _open(self, request: Request) -> list[Message]:
        return await asyncio.to_thread(self._places.unsaved, request.scope[BROWSER])

    def _resume(self, id: str, saves: Saves) -> Session | None:
        saved = saves.find(id)
        return PlaySession.resume(saved, saves) if saved else None

    async def _find(self, websocket: WebSocket, reopen: Reopen, is_own: bool) -> Place | None:
        """The session of a page's address that is open, or is on the disk."""
        id, browser = websocket.path_params["id"], websocket.scope[BROWSER]
        if place := self._places.find(id, browser, is_free=is_own):
            return place
        session = await asyncio.to_thread(reopen, id, self._kept(websocket))
        return self._places.add(session, browser) if session else None

    async def _serve(self, websocket: WebSocket, reopen: Reopen, *, is_own: bool = False) -> None:
        """Serve a page; if its session must be its own, other pages keep theirs."""
        await websocket.accept()
        try:
            shape = asked_shape({"shape": SHAPES[0], **websocket.query_params})
            place = await self._find(websocket, reopen, is_own)
        except BlockingIOError:
            place, why = None, "Another mhing web has this table; play there, or end that command"
        except (ValueError, OSError) as error:
            place, why = None, str(error)
        else:
            why = "There is no such table"
        if place is None:
            await websocket.send_text(_dump({"kind": "error", "text": why}))
            await websocket.close(GONE)
            return
        before = None if place.is_free else place.line
        place.line = websocket
        if before is not None:
            await before.close(MOVED, "another page has the table")
        try:
            await Line(place, websocket, shape).serve()
        except (WebSocketDisconnect, RuntimeError):  # the page went away, whatever was under way
            pass
        finally:
            if place.line is websocket:
                place.line = None


class Line:
    """Carries the messages of one page; the session works in a thread, so nobody else waits."""

    def __init__(self, place: Place, websocket: WebSocket, shape: Format) -> None:
        self._place, self._websocket = place, websocket
        self._session = place.session
        self._shape = shape
        self._sprites: set[str] = set()  # that the page has
        self._sheet: object = ...  # the last one that the page was sent
        self._shown = ""  # the last view

    async def serve(self) -> None:
        """Serve the page until it goes away."""
        await self._send(self._session.hello())
        request = asyncio.create_task(self._hear())
        try:
            while self._place.line is self._websocket:
                await self._show()
                done, _ = await asyncio.wait({request}, timeout=self._session.due())
                if not done:
                    await self._answer(self._tick)
                    continue
                text = request.result()
                request = asyncio.create_task(self._hear())
                await self._answer(lambda: self._do(text))  # noqa: B023  it is called at once
        finally:
            request.cancel()

    def _tick(self) -> list[Message]:
        self._session.tick()
        return []

    async def _hear(self) -> str | bytes:
        """Return the next message of the page."""
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message["code"])
        content: str | bytes | None = message.get("text")
        return message["bytes"] if content is None else content

    def _do(self, text: str | bytes) -> list[Message]:
        request = _read(text)
        if request.get("do") != "shape":
            return self._session.do(request)
        self._shape = asked_shape(request)
        return []

    async def _answer(self, work: Callable[[], list[Message]]) -> None:
        try:
            messages = await self._in_thread(work)
        except ValueError as error:
            if isinstance(error, PlayerFailed):
                _LOG.warning(error.whole)
            messages = [{"kind": "error", "text": str(error)}]
        for message in messages:
            await self._send(message)

    async def _show(self) -> None:
        """Send the view, if it is not the one that the page shows."""
        view = await self._in_thread(lambda: self._session.view(self._shape))
        text = _dump(view)
        if text == self._shown:
            return
        self._shown = text
        view = {**view}  # the session's may be shown again
        if view.get("sheet") == self._sheet:
            view.pop("sheet", None)
        else:
            self._sheet = view.get("sheet")
        if frame := view.get("frame"):
            new = {name: one for name, one in frame["sprites"].items() if name not in self._sprites}
            self._sprites.update(new)
            view["frame"] = frame | {"sprites": new}
        await self._send(view)

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        def alone() -> Any:
            with self._place.lock:
                return work()

        return await asyncio.to_thread(alone)

    async def _send(self, message: Message) -> None:
        await self._websocket.send_text(_dump(message))


def _saved(saved: Saved) -> Message:
    """Return the lobby's lines about a sitting."""
    return _listed(saved.name, saved.games) | {"when": saved.when}


def _listed(name: str, games: Sequence[Record]) -> Message:
    """Return the lobby's list of games: who played the last one, and how it ended."""
    last = games[-1]
    players = called(last.players)
    earned = [f"{who} {round(one, 2):g}" for who, one in zip(players, last.returns, strict=False)]
    result = [f"{', '.join(earned)}.", *taken_back(last.taken_back, players)] if earned else []
    return {
        "id": name, "title": last.game.title, "players": players, "games": len(games),
        "over": last.end is not None, "result": " ".join(result),
    }  # fmt: skip


def _games() -> list[Message]:
    """Return the facts about each game that forms need."""
    found = []
    for id in mhing.games():
        game = mhing.Game(id)
        d = game.describe()
        found.append(
            {name: d[name] for name in ("id", "title", "options", "presets", "bots", "default_bot")}
            | {"judges": judges(game), "default_judge": game.default_judge}
        )
    return found


def _page(name: str) -> Callable[[Request], Response]:
    def answer(_: Request) -> Response:
        return _content(name)

    return answer


def _file(request: Request) -> Response:
    return _content(request.path_params["name"])


def _content(name: str, status: int = 200) -> Response:
    """A file of the pages; the style sheet of palettes is made."""
    if name == _PALETTES:
        return Response(palette.css(), media_type=_KINDS["css"])
    stem, _, ending = name.partition(".")
    path = files("mhing.web") / "page" / name
    if not stem.isidentifier() or ending not in _KINDS or not path.is_file():
        return Response("There is no such page\n", 404, media_type="text/plain")
    return Response(inline.text(name), status, media_type=_KINDS[ending])


def _read(text: str | bytes) -> Message:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise ValueError("this is no JSON object")
    return message


def _dump(message: Message) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
