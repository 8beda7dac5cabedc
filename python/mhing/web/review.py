"""A recorded game in the application: as it was, what a bot says of it, and how it might have gone.

The judgement comes in parts, a bit at each tick, so that the page has the first decisions at once.
To play on from a moment means a new game on the disk, with the same deal and the same moves up to
there; the page goes to its table.

A page asks for the films in the shape that its window has, and again when that has changed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from mhing import render
from mhing.analysis import Analysis, PlayedDecision, judged
from mhing.game import Game
from mhing.judge import Judge, judges
from mhing.players.registry import check_built_in
from mhing.records import Record, verified
from mhing.render.scene import Format
from mhing.web import film, replay
from mhing.web.judged import judgement, places
from mhing.web.play import Wishes
from mhing.web.saves import WISHES, Saves
from mhing.web.session import Message, asked, asked_shape, has_list
from mhing.words import YOU

_LONG = 1500  # moves of a record, of which only the film with all cards open is made
_BIT = 0.2  # seconds of judging in a tick


class Shelf:
    """The records that can be reviewed: files, for all, and for each browser its own sittings.

    Args:
        given: files of records.
        may_load: whether judges may be files and functions of this machine.

    Raises:
        ValueError: a file holds no record, or a wrong one; the message names the line.
        OSError: a file cannot be read.
    """

    def __init__(self, given: Iterable[str | Path] = (), *, may_load: bool = True) -> None:
        self._may_load = may_load
        self.given = {f"file-{n}": verified(path) for n, path in enumerate(given)}
        """The games of the files by the files' names here."""

    def open(self, id: str, saves: Saves) -> Review | None:
        """The review of a game; None: there is no such game.

        Args:
            id: the name of the file or sitting, ``/``, and the number of the game there, from 0.
            saves: the sittings of the browser that asks.

        Raises:
            ValueError: the game is under way, or its record is wrong.
        """
        name, _, number = id.partition("/")
        games = self.given.get(name)
        if games is None:
            saved = saves.find(name)
            games = saved.games if saved else []
        if not (number.isdecimal() and int(number) < len(games)):
            return None
        record = games[int(number)]
        if not record.end:  # of whose cards all would be seen, also by those who play it
            raise ValueError("this game is under way; it can be reviewed when it is over")
        return Review(record, saves, id, may_load=self._may_load)


class Review:
    """A :class:`mhing.web.session.Session` about a record.

    Args:
        record: the game.
        saves: where a game is kept that is played on from a moment of this one.
        saved_as: the name by which a :class:`Shelf` finds it.
        may_load: whether its judge may be a file or a function of this machine.

    Raises:
        ValueError: the record is wrong; the message names the line.
    """

    def __init__(
        self, record: Record, saves: Saves, saved_as: str | None = None, *, may_load: bool = True
    ) -> None:
        self.record, self._saves, self.saved_as = record, saves, saved_as
        self._may_load = may_load
        is_long = len(record.moves) > _LONG
        self._seats = [None] if is_long else [None, *range(record.game.num_seats)]
        self.films = self._made("wide")
        self._decisions = len(places(self.films))
        self._begin(Judge(record.game))

    def _made(self, shape: Format) -> list[film.Film]:
        return film.films(self.record, self._seats, shape, log=not has_list(shape))

    def _judge(self, bot: str) -> None:
        """Let another one judge."""
        if not self._may_load:
            check_built_in("bot", bot)
        try:
            judge = Judge(self.record.game, bot)
        except (ModuleNotFoundError, OSError) as error:
            raise ValueError(str(error)) from error
        judge.check()
        self._begin(judge)

    def _begin(self, judge: Judge) -> None:
        """Begin to judge."""
        self._by = judge
        self._played: list[PlayedDecision] = []
        self._coming = judged(self.record, judge)
        self._is_done = False

    # ---- What is to be seen ---------------------------------------------------------------------

    def hello(self) -> Message:
        """See :class:`mhing.web.session.Session`."""
        game = self.record.game
        return {
            "kind": "hello", "session": "review", "title": game.title, "game": game.id,
            "seat": None, "notation": render.notation(game.new_state(self.record.seed)),
            "bot": self._by.name, "bots": judges(game),
        }  # fmt: skip

    def view(self, shape: Format) -> Message:
        """Return the bot's judgement so far: ``judgement``, of so many ``decisions`` in all."""
        so_far = Analysis(self.record, self._by, self._played)
        return {
            "kind": "view", "number": len(self._played), "decisions": self._decisions,
            "judgement": judgement(so_far, self.films),
        }  # fmt: skip

    # ---- What is asked for ----------------------------------------------------------------------

    def do(self, request: Message) -> list[Message]:
        """``films`` (with ``shape``), ``judge`` (with ``bot``), ``play on``.

        The answer to ``films`` has as its ``content`` what replays hold. To play on names the
        ``film``, the ``place`` of a frame, and the ``seat`` that the viewer takes; None: that of
        who is to move.
        """
        name = asked(request, "do", str)
        if name == "films":
            shape, made = asked_shape(request), self.films
            if shape != made[0].shape:
                made = self._made(shape)
            return [{"kind": "films", "content": replay.content(self.record, made)}]
        if name == "judge":
            self._judge(asked(request, "bot", str))
            return []
        if name == "play on":
            return [{"kind": "opened", "id": self._play_on(request)}]
        raise ValueError(f"{name}: that cannot be done here")

    def _play_on(self, request: Message) -> str:
        """Keep a game that has come as far as a frame, and return its name."""
        game, moves = self.record.game, self.record.moves
        at = _one_of(_one_of(self.films, request, "film").frames, request, "place").at
        if at == len(moves):
            raise ValueError("the record ends here; go back to a moment before")
        seat = moves[at].seat if request.get("seat") is None else asked(request, "seat", int)
        if seat not in range(game.num_seats):
            raise ValueError(f"seat: {seat} is not from 0 to {game.num_seats - 1}")
        players = [_opponent(game, player) for player in self.record.players]
        players[seat] = YOU
        name, recorder = self._saves.new()
        with recorder:
            wishes = {WISHES: asdict(Wishes(seat=seat))}
            recorder.begin(game, self.record.seed, players, **wishes)
            for move in moves[:at]:
                by = "player" if move.seat == seat else "bot"
                recorder.move(move.seat, move.action, by, move.seed, move.replies)
            recorder.take_back(at, seat)  # as its player has seen what came after
        return name

    # ---- Time -----------------------------------------------------------------------------------

    def due(self) -> float | None:
        """See :class:`mhing.web.session.Session`."""
        return None if self._is_done else 0.0

    def tick(self) -> None:
        """Judge for a while."""
        end = time.monotonic() + _BIT
        while time.monotonic() < end and not self._is_done:
            try:
                one = next(self._coming, None)
            except ValueError:  # a policy has failed, and says nothing more
                self._is_done = True
                raise
            if one is None:
                self._is_done = True
            else:
                self._played.append(one)

    def close(self) -> None:
        """See :class:`mhing.web.session.Session`."""


def _opponent(game: Game, name: str) -> str:
    """Return a player for one of a record: the bot of that name, if there is one.

    Names in records are strangers' words, which shall name no module and no file here.
    """
    return name if name in {bot.name for bot in game.bots} else game.default_bot


_Part = TypeVar("_Part")


def _one_of(parts: Sequence[_Part], request: Message, key: str) -> _Part:
    place: int = asked(request, key, int)
    if place not in range(len(parts)):
        raise ValueError(f"{key}: {place} is not from 0 to {len(parts) - 1}")
    return parts[place]
