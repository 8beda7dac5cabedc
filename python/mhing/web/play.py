"""A game on this machine: against bots, or between bots.

What a page gets follows from what its seat knows, and so do the moments at which it gets it. Bots
play on by themselves as long as nobody sees it; then one public event, or several at once, is worth
a pause. So no pause shows that somebody was asked, thought about a claim, or planned.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from math import isfinite

from mhing import render
from mhing.decision import Decision
from mhing.game import DEFAULT_GAME, Game
from mhing.judge import Judge
from mhing.players.player import Player
from mhing.players.registry import check_built_in
from mhing.players.seating import Given
from mhing.players.seating import seat as seated
from mhing.recorder import Recorder
from mhing.render.scene import Format, Scene
from mhing.table import PlayerFailed, PublicEvent, Table, is_visible, public_events, shows_nothing
from mhing.web.saves import Saved, Saves
from mhing.web.session import Message, asked, frame_of, has_list, moves_of, rules_of, spoken
from mhing.web.trees import of_markdown
from mhing.words import called, taken_back

DELAY = 0.4
"""Seconds from one move of a bot to the next, where nobody has asked for others."""

SLOWEST = 10.0
"""Seconds that may be asked for."""

_PAUSE = 8  # delays for which a round that is over is shown to a watcher of the game
_PASS = "pass"
_SHOWN = 200  # lines of the log


@dataclass(frozen=True)
class Wishes:
    """A person's settings for play."""

    seat: int | None = None
    """The own seat; None: to watch."""
    hint: str | None = None
    """The bot that gives hints, as :class:`mhing.judge.Judge` takes it; None: the game's judge."""
    practice: bool = True
    """True if moves can be taken back and hints are given."""
    clock: float | None = None
    """Seconds for a claim, after which it is passed up; None: as long as one likes."""
    delay: float = DELAY
    """Seconds from one move of a bot to the next."""


@dataclass(frozen=True, slots=True)
class _LogLine:
    """A line of the log, with the number of actions that led there."""

    at: int
    text: str


class PlaySession:
    """A :class:`mhing.web.session.Session` of one person, or of none who watches.

    Args:
        game: the game with its options.
        opponents: who has the other seats, in their order: one for all, or one for each; with
            nobody seated, for all seats.
        wishes: how to play.
        seed: of the deal; None: fresh entropy.
        saves: where every move is kept; None: nowhere.

    Raises:
        ValueError: there is no such seat or bot, or not one for each seat.
        ModuleNotFoundError: an extra is missing.
        OSError: the game cannot be kept there.
    """

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Given],
        wishes: Wishes | None = None,
        seed: int | None = None,
        saves: Saves | None = None,
    ) -> None:
        self._take_seats(game, opponents, wishes or Wishes())
        self._saves = saves
        self._recorder: Recorder | None = None
        self.saved_as: str | None = None
        self._sit_down(Table(game, self._players, seed))
        self._begin_record()
        self._start()

    @classmethod
    def resume(cls, saved: Saved, saves: Saves) -> PlaySession:
        """Resume the last game of a sitting where it was.

        Raises:
            ValueError: a player of it no longer exists, or the record is broken.
            OSError: another process plays it.
        """
        record = saved.games[-1]
        known = {field.name for field in fields(Wishes)}
        wishes = Wishes(**{name: one for name, one in saved.wishes.items() if name in known})
        others = [name for seat, name in enumerate(record.players) if seat != wishes.seat]
        play = cls.__new__(cls)
        play._take_seats(record.game, others, wishes)
        for game in saved.games[:-1]:
            play._add_up(game.returns)
        play._taken_back = sum(sum(game.taken_back) for game in saved.games)
        play._sit_down(Table(record.game, play._players, record.seed))
        for move in record.moves:
            if play.table.state.is_between_rounds:
                play._note(play.table.next_round())
            play._follow(move.action, move.seed)
        play._turn = len(play._log)
        play._saves, play.saved_as = saves, saved.name
        play._recorder = None if record.end else saves.resume(saved.name)
        play._start()
        return play

    def _take_seats(self, game: Game, opponents: Sequence[Given], wishes: Wishes) -> None:
        """Decides who sits where, for all games to come."""
        self.game, self.wishes = game, wishes
        seat = self.seat = self.wishes.seat
        if seat is not None and seat not in range(game.num_seats):
            raise ValueError(f"seat: {seat} is not from 0 to {game.num_seats - 1}")
        others = game.num_seats - (seat is not None)
        if len(opponents) not in (1, others):
            several = f" or {others}" if others > 1 else ""
            raise ValueError(f"players: name one player{several}, not {len(opponents)}")
        players: list[Player | None] = [seated(one, game, "players") for one in opponents]
        if len(players) < others:
            players *= others
        if seat is not None:
            players.insert(seat, None)
        self.names = ["you" if player is None else player.name for player in players]
        """The names in records."""
        self.called = called(self.names)
        """The names in sentences."""
        self._adviser = Judge(game, self.wishes.hint, "hint")
        self._players = players
        self.eyes: int | None = seat
        self.delay = self.wishes.delay
        self.totals = [0.0] * game.num_seats  # of the games before this one
        self._games = 0  # before this one
        self._taken_back = 0  # times in all games that moves were taken back after more was seen
        self.number = 0

    def _sit_down(self, table: Table) -> None:
        """Take a table, at which nothing has been seen yet but the deal."""
        self.table = table
        self._log: list[_LogLine] = []
        self._note(public_events(None, table.state))
        self._turn = 0  # lines of the log that the viewer knew when it was asked last
        self._pending: int | None = None  # what a bot plays next, before everybody's eyes
        self._plans: set[int] = set()  # numbers of actions, the last of which has shown nothing
        self._has_answered = False  # in secret, by the last of all actions
        self._paused = False
        self._changed()

    def _begin_record(self) -> None:
        """Write the game down from here on."""
        if self._saves is None:
            return
        if self._recorder is None:
            self.saved_as, self._recorder = self._saves.new()
        self._recorder.begin(self.game, self.table.seed, self.names, wishes=asdict(self.wishes))

    # ---- What is to be seen ---------------------------------------------------------------------

    def hello(self) -> Message:
        """See :class:`mhing.web.session.Session`."""
        return {
            "kind": "hello", "session": "play", "title": self.game.title, "game": self.game.id,
            "seat": self.seat, "notation": render.notation(self.table.state),
            "spoken": spoken(self.game),
            "bot": self._adviser.name if self._may_hint else None,
        }  # fmt: skip

    def view(self, shape: Format) -> Message:
        """See :class:`mhing.web.session.Session`."""
        moves, used = moves_of(self.table.state, self._legal())
        frame = frame_of(self.picture(shape, log=not has_list(shape)), used)
        is_kept = self.saved_as is not None and self.table.state.is_terminal
        review = f"{self.saved_as}/{self._games}" if is_kept else None
        return self.words() | {"frame": frame, "moves": moves, "review": review}

    def picture(self, shape: Format, *, log: bool = True) -> Scene:
        """The table as it is to be seen now, with the last events or without them."""
        return render.scene(*self.shown, shape=shape, names=self.names, log=log)

    @property
    def shown(self) -> tuple[render.Table, int | None]:
        """The table that is to be seen now, and the seat with whose eyes; None: all cards open."""
        state = self.table.state
        return state, self.eyes if state.seat >= 0 else None

    def words(self) -> Message:
        """A view without a picture: moves have their ``action`` and their ``text`` alone."""
        state = self.table.state
        returns = state.returns().tolist()
        return {
            "kind": "view", "number": self.number,
            "status": self._status(), "asked": self._is_asked, "over": state.is_terminal,
            "moves": [
                {"action": action, "text": self.game.action_text(action)}
                for action in self._legal()
            ],
            "log": self.log[-_SHOWN:],
            "since": min(len(self._log) - self._turn, _SHOWN),
            "planned": self._is_asked and self._has_planned,
            "players": [
                {"name": name, "total": total + earned, "you": seat == self.seat}
                for seat, (name, total, earned) in enumerate(
                    zip(self.called, self.totals, returns, strict=True)
                )
            ],
            "result": self._result(), "sheet": self._sheet(),
            "taken_back": self._took_back(),
            "clock": self._clock(), "can": self._can(),
            "speed": self.delay, "eyes": self.eyes,
        }  # fmt: skip

    @property
    def log(self) -> list[str]:
        """Lines of all that everybody saw in this game."""
        return [line.text for line in self._log]

    def _legal(self) -> list[int]:
        """The moves that the viewer may choose from now."""
        return self.table.state.legal_actions().tolist() if self._is_asked else []

    def _status(self) -> str:
        state = self.table.state
        if state.is_between_rounds:
            return f"Round {state.rounds_over} is over"
        if state.is_terminal:
            return "The game is over" if self._is_game else "The round is over"
        if self._is_asked:
            return "Your move"
        if self._paused:
            return "Paused"
        return "Bots play" if self.seat is None else "The others play"

    def _result(self) -> list[str]:
        state = self.table.state
        over = state.seat < 0
        return state.words(None, "result", names=self.called).splitlines() if over else []

    def _took_back(self) -> list[str]:
        counts = [self._taken_back if seat == self.seat else 0 for seat in range(len(self.called))]
        return taken_back(counts, self.called)

    def _sheet(self) -> Message | None:
        """The score sheet of a game, once a round of it is over."""
        state = self.table.state
        return state.sheet().to_dict() if self.game.has_rounds and state.rounds_over else None

    def _clock(self) -> float | None:
        """Whole seconds given for this decision: a page counts by itself."""
        return self.wishes.clock if self._is_claim else None

    def _can(self) -> list[str]:
        state, watches = self.table.state, self.seat is None
        goes_on = not (state.seat < 0 or self._is_asked)
        able = {
            "undo": self._taken_back_to() is not None,
            "hint": self._may_hint and self._is_asked,
            "next": state.seat < 0,
            "pause": goes_on and not self._paused,
            "go": goes_on and self._paused,
            "step": goes_on and self._paused,
            "speed": True,
            "eyes": watches,
        }
        return [name for name, is_able in able.items() if is_able]

    # ---- What is asked for ----------------------------------------------------------------------

    def do(self, request: Message) -> list[Message]:
        """See :class:`mhing.web.session.Session`."""
        name = asked(request, "do", str)
        if name == "rules":
            return [{"kind": "rules", "content": of_markdown(rules_of(self.game))}]
        if name not in self._can() and not (name == "play" and self._is_asked):
            raise ValueError(f"{name}: that cannot be done now")
        answer = getattr(self, f"_do_{name}")(request)
        return [] if answer is None else [answer]

    def _do_play(self, request: Message) -> None:
        if asked(request, "number", int) != self.number:
            raise ValueError("the table has changed; choose again")
        known = len(self._log)
        self._play(asked(request, "action", int))
        self._turn = known
        self._changed()
        self._run()

    def _do_undo(self, _: Message) -> None:
        count = self._taken_back_to()
        assert count is not None
        saw_more = not self._has_planned
        self._taken_back += saw_more
        self.table.take_back(count)
        if self._recorder:
            self._recorder.take_back(count, self.seat if saw_more else None)
        self._log = [line for line in self._log if line.at <= count]
        self._turn = len(self._log)
        self._pending = None
        self._changed()
        self._run()

    def judged(self) -> Decision:
        """Return the judgement of the bot that gives hints on the decision of the seat to act."""
        return self._adviser.decide(self.table.state, self.called)

    def _do_hint(self, _: Message) -> Message:
        decision = self.judged()
        scores = [(int(a), decision.score(a)) for a in decision.ranked()]
        return {
            "kind": "hint", "number": self.number, "bot": decision.bot, "unit": decision.unit,
            "best": int(decision.choice), "text": decision.meaning(decision.choice),
            "values": [[action, round(score, 3)] for action, score in scores if isfinite(score)],
        }  # fmt: skip

    def _do_next(self, _: Message) -> None:
        if self.table.state.is_between_rounds:
            self._note(self.table.next_round())
            self._changed()
            self._run()
            return
        self._add_up(self.table.state.returns().tolist())
        self._sit_down(Table(self.game, self._players))
        self._begin_record()
        self._run()

    def _add_up(self, returns: Sequence[float]) -> None:
        """Take note of what a game has brought."""
        self._games += 1
        for seat, earned in enumerate(returns):
            self.totals[seat] += earned

    def _do_pause(self, _: Message) -> None:
        self._paused = True
        self._changed()

    def _do_go(self, _: Message) -> None:
        self._paused = False
        self._changed()

    def _do_step(self, _: Message) -> None:
        self._advance()

    def _do_speed(self, request: Message) -> None:
        seconds = asked(request, "seconds", (int, float))
        if not 0 <= seconds <= SLOWEST:
            raise ValueError(f"seconds: {seconds} is not from 0 to {SLOWEST:g}")
        self.delay = float(seconds)
        self._changed()

    def _do_eyes(self, request: Message) -> None:
        seat = request.get("seat")
        if seat is not None and asked(request, "seat", int) not in range(self.game.num_seats):
            raise ValueError(f"seat: {seat} is not from 0 to {self.game.num_seats - 1}")
        self.eyes = seat
        self._changed()

    # ---- Time -----------------------------------------------------------------------------------

    def due(self) -> float | None:
        """See :class:`mhing.web.session.Session`."""
        if self.table.state.is_between_rounds:
            wanted = None if self.seat is not None or self._paused else self.delay * _PAUSE
        elif self._is_claim:
            wanted = self.wishes.clock
        elif self._paused or self._is_asked or self.table.state.is_terminal:
            wanted = None
        else:
            wanted = self.delay
        return None if wanted is None else max(0.0, self._since + wanted - time.monotonic())

    def tick(self) -> None:
        """See :class:`mhing.web.session.Session`."""
        if self.table.state.is_between_rounds:
            self._do_next({})
        elif self._is_claim:
            self._turn = len(self._log)
            self._play(self.table.state.idle_action())
            self._changed()
            self._run()
        else:
            self._advance()

    def close(self) -> None:
        """See :class:`mhing.web.session.Session`."""
        if self._recorder:
            self._recorder.close()

    # ---- Inside ---------------------------------------------------------------------------------

    @property
    def _is_game(self) -> bool:
        return self.game.options.get("episode") == "game"

    @property
    def _is_asked(self) -> bool:
        """Return whether the viewer is to move."""
        return self.seat is not None and self.table.state.seat == self.seat

    @property
    def _is_claim(self) -> bool:
        """Return whether the viewer is asked for what it may pass up, by the clock."""
        if self.wishes.clock is None or not self._is_asked:
            return False
        return self.game.action_text(self.table.state.idle_action()) == _PASS

    @property
    def _may_hint(self) -> bool:
        return self.wishes.practice and self.seat is not None

    def _taken_back_to(self) -> int | None:
        """Return how many actions are left after an undo; None: nothing can be taken back."""
        played = self.table.played
        own = [place for place, one in enumerate(played) if one.by == "player"]
        if not own:
            return None
        return own[-1] if self.wishes.practice or self._has_planned else None

    @property
    def _has_planned(self) -> bool:
        """Return whether the last of all actions is the viewer's, and has shown nobody anything."""
        played = self.table.played
        return len(played) in self._plans and played[-1].by == "player"

    def _changed(self) -> None:
        """Something is to be seen that was not; what comes next waits from here on."""
        self.number += 1
        self._since = time.monotonic()

    def _advance(self) -> None:
        """Play what a bot does before everybody's eyes."""
        if self._pending is not None:
            self._play(self._pending)
            self._pending = None
            self._changed()
        self._run()

    def _start(self) -> None:
        """Let bots play up to where a person comes in; where one fails, nothing is held."""
        try:
            self._run()
        except ValueError:
            self.close()
            raise

    def _run(self) -> None:
        """Play for bots as long as nobody sees it, and find what is to be seen next.

        What they answer after the viewer, all asked in secret, comes at once: a pause would show
        that they were asked.
        """
        with_viewer = self._has_answered
        while (action := self._choice()) is not None:
            before, after = self.table.state, self.table.state.clone()
            after.apply(action, deal=False)
            with_viewer = with_viewer and not before.is_settled
            is_shown = self.eyes is None or after.seat < 0 or is_visible(before, after)
            if is_shown and not with_viewer:
                self._pending = action
                return
            self._play(action)

    def _choice(self) -> int | None:
        """Return a bot's next action; if it fails, the table waits until a person continues."""
        try:
            return self.table.choice
        except PlayerFailed:
            self._paused, self._pending = True, None
            raise

    def _play(self, action: int) -> None:
        """Play an action, which is kept before anybody sees it."""
        self._follow(action)
        if self._recorder is None:
            return
        last = self.table.played[-1]
        self._recorder.move(last.seat, last.action, last.by, replies=last.replies)
        if self.table.state.is_terminal:
            self._recorder.end(self.table.state)

    def _follow(self, action: int, seed: int | None = None) -> None:
        """Play an action, and take note of what there is to be seen of it."""
        table, before = self.table, self.table.state.clone()
        events: list[PublicEvent] = table.play(action, seed)
        self._plans -= {len(table.played)}
        self._has_answered = before.seat == self.seat and not before.is_settled
        if before.seat == self.seat and shows_nothing(before, action, table.state):
            self._plans.add(len(table.played))
        self._note(events)

    def _note(self, events: Sequence[PublicEvent]) -> None:
        count = len(self.table.played)
        self._log += [
            _LogLine(count, self.game.event_words(*one.numbers, names=self.called))
            for one in events
        ]


def begin(settings: Message, saves: Saves | None = None, *, may_load: bool = True) -> PlaySession:
    """A game as a page asks for it.

    Args:
        settings: ``game``; ``options``; ``players``: names; ``seat``, ``hint``, ``practice``,
            ``clock``, ``delay`` as in :class:`Wishes`; ``seed``: digits. All may be left out.
        saves: where every move is kept.
        may_load: whether players and the hint may be files and functions of this machine.

    Raises:
        ValueError: a setting does not fit; the text is a line for the page.
    """
    options = settings.get("options") or {}
    if not isinstance(options, dict) or "id" in options:
        raise ValueError("options: they are no options by name")
    try:
        game = Game(settings.get("game") or DEFAULT_GAME, **options)
        players = settings.get("players") or [game.default_bot]
        if not isinstance(players, list) or not all(isinstance(one, str) for one in players):
            raise ValueError("players: they are no list of names")
        if not may_load:
            for name in players:
                check_built_in("players", name)
            check_built_in("hint", str(settings.get("hint")))
        seed = settings.get("seed") or None
        if seed is not None and not (isinstance(seed, str) and seed.isdecimal()):
            raise ValueError(f"seed: {seed!r} is no whole number")
        return PlaySession(
            game, players, _wishes(settings), None if seed is None else int(seed), saves
        )
    except (TypeError, ModuleNotFoundError, OSError) as error:
        raise ValueError(str(error)) from error


def _wishes(settings: Message) -> Wishes:
    kinds: dict[str, type | tuple[type, ...]] = {
        "seat": int, "hint": str, "practice": bool, "clock": (int, float), "delay": (int, float),
    }  # fmt: skip
    given = {
        name: asked(settings, name, kind)
        for name, kind in kinds.items()
        if settings.get(name) not in (None, "")
    }
    for name in ("clock", "delay"):
        if name in given and not 0 <= given[name] <= 3600:
            raise ValueError(f"{name}: {given[name]} is not from 0 to 3600 seconds")
    return Wishes(**given)
