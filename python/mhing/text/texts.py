"""Texts of positions, rules and legal moves.

>>> import mhing
>>> texts = Texts("mhing", legal="none", history="since")
>>> texts.name
'legal=none history=since rules=guide seats=names'
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mhing._lib.arguments import one_of, whole
from mhing.game import Game
from mhing.render.view import View
from mhing.state import State
from mhing.text.answers import Legal, Move, Reader, Refusal
from mhing.words import YOU, Part, called, checked_names, plural

LEGAL = ("all", "kinds", "none")
RULES = ("guide", "none")
SEATS = ("names", "relative")

_OWN = 1
"""The observer in the field of the events' seats."""
_FEW = 4
"""The most moves that a question names where a reply may mean several."""

EventNumbers = tuple[int, int, int, int]
"""A public event as :meth:`mhing.Game.event_words` takes it: seat, kind and two details."""


class Texts:
    """The texts of a game, in one form.

    Args:
        game: the game, or its id.
        legal: how legal moves are listed: ``"all"``; only their ``"kinds"``; or ``"none"``. A list
            makes weak models random movers, and strong ones safe: name the form beside results.
        history: public events in an observation: ``"full"`` for all that it has, up to 32;
            ``"since"`` for those after the reader's own last one; or a number, the last ones.
        rules: what :meth:`system` says of the rules: the ``"guide"`` for newcomers, or ``"none"``.
        seats: what others are called: ``"names"`` ("seat 2"); ``"relative"`` ("Left 1", who comes
            next, and so on clockwise); or names that differ, one for each seat. The reader is "you"
            where it is not called "seat 2".

    Raises:
        ValueError: there is no such form or game, or not one name for each seat.
        TypeError: an argument is of the wrong type.
    """

    def __init__(
        self,
        game: Game | str,
        legal: str = "all",
        history: str | int = "full",
        rules: str = "guide",
        seats: str | Sequence[str] = "names",
    ) -> None:
        self.game = game if isinstance(game, Game) else Game(game)
        one_of("legal", legal, list(LEGAL))
        one_of("rules", rules, list(RULES))
        if isinstance(history, str):
            one_of("history", history, ["full", "since"])
        elif whole(history, "history") < 0:
            raise ValueError(f"history: {history} is below 0")
        if isinstance(seats, str):
            one_of("seats", seats, list(SEATS))
        else:
            seats = _distinct(checked_names(seats, self.game.num_seats) or [])
        self.legal, self.history, self.rules, self.seats = legal, history, rules, seats
        self._reader = Reader(self.game)

    @property
    def name(self) -> str:
        """The form in a line, to put beside results."""
        seats = self.seats if isinstance(self.seats, str) else "given"
        return f"legal={self.legal} history={self.history} rules={self.rules} seats={seats}"

    # ---- What a seat sees ------------------------------------------------------------------------

    def observation(self, at: State | View, seat: int | None = None) -> str:
        """All that a seat sees, and what it may play if it is asked.

        Args:
            at: the position, or what a client knows of it.
            seat: the reader; None: the seat to act, or that of the view.

        Raises:
            ValueError: nobody is to act and `seat` is None, or there is no such seat.

        >>> import mhing
        >>> state = mhing.Game("mhing").new_state(seed=1)
        >>> Texts("mhing").observation(state) == state.words(state.seat)
        True
        """
        reader = self._reader_at(at, seat)
        whole_text = self._say(at, reader, "all")
        if self.legal == "all" and self.history == "full":
            return self._introduced(whole_text, reader)
        moves = self._say(at, reader, "moves")
        text = whole_text.removesuffix(moves)
        if self.history != "full":
            said = self._say(at, reader, "events")
            fields = at.fields if isinstance(at, View) else self.game.unpack(at.observation(reader))
            text = _exchanged(text, said, self._last(said, fields["event_seat"]))
        return self._introduced(text + self._moves_line(at, reader, moves), reader)

    def observations(
        self,
        observations: ArrayLike,
        seats: ArrayLike,
        masks: ArrayLike | None = None,
        info: ArrayLike | None = None,
        to_act: ArrayLike | None = None,
    ) -> list[str]:
        """Return the same of many observations, by a few calls into the core for all of them.

        Args:
            observations: uint8 (n, observation_size).
            seats: (n,) whose they are, or one seat for all.
            masks: int8 (n, num_actions) legal actions; all 0 in rows that are not asked.
            info: int64 (n, info_size) public numbers, as :meth:`mhing.Game.words` takes them.
            to_act: (n,) likewise.

        Raises:
            ValueError: bytes that cannot be an observation, or an argument with a wrong shape.
        """
        observed = np.asarray(observations, np.uint8)
        readers = np.broadcast_to(np.asarray(seats, np.int64), len(observed))
        rows: dict[str, Any] = {"observations": observed, "seats": readers}
        given = {"masks": masks, "info": info, "to_act": to_act}
        rows |= {name: np.asarray(one) for name, one in given.items() if one is not None}
        if self.seats == "names":
            return self._rows(rows, None)
        texts = np.empty(len(observed), object)
        for reader in np.unique(readers).tolist():
            those = readers == reader
            part = {name: array[those] for name, array in rows.items()}
            said = self._rows(part, self._names(reader))
            texts[those] = [self._introduced(text, reader) for text in said]
        return [*texts]

    def _rows(self, rows: dict[str, Any], names: Sequence[str] | None) -> list[str]:
        """The texts of rows under the same names."""
        masks = None if self.legal == "all" else rows.pop("masks", None)
        if self.history == "full":
            texts = self.game.words(**rows, names=names)
        else:
            given = {name: rows[name] for name in ("observations", "seats")}
            said = self.game.words(**given, part="events", names=names)
            texts = self.game.words(**rows, names=names)
            moves = self.game.words(**rows, part="moves", names=names)
            seats = self.game.unpack(rows["observations"])["event_seat"]
            texts = [
                _exchanged(text.removesuffix(end), events, self._last(events, row)) + end
                for text, events, end, row in zip(texts, said, moves, seats, strict=True)
            ]
        if self.legal == "kinds" and masks is not None:
            lines = [self._kinds_line(mask) for mask in masks]
            texts = [text + line for text, line in zip(texts, lines, strict=True)]
        return texts

    def since(
        self, at: State | View, events: Sequence[EventNumbers], seat: int | None = None
    ) -> str:
        """Return the next message of a chat: these events, the reader's hand, and the question.

        It is about a fifth of the whole. A reader of earlier messages knows the rest. Where a move
        names a meld of the table, all seats' cards and the piles are said again.

        Args:
            at: the position, or what a client knows of it.
            events: the public events since the message before, such as ``numbers`` of those that
                ``mhing.table.Table.play`` returns.
            seat: as in :meth:`observation`.

        Raises:
            ValueError: as there, or there can be no such event.

        >>> import mhing
        >>> from mhing.table import Table
        >>> table = Table(mhing.Game("general_mhing"), ["greedy", "greedy"], seed=1)
        >>> fresh = [event.numbers for _ in range(3) for event in table.play(table.choice)]
        >>> print(Texts("general_mhing").since(table.state, fresh), end="")
        Seat 0 discards Qh.
        You discard 2h.
        Seat 0 lays 9*TJd.
        You have 8 cards: 2s 3s 9s 6d Qd 6c 7c Qc. You have just drawn 6c.
        You are on turn. You are to discard.
        Moves: discard 2s, 3s, 9s, 6d, Qd, 6c, 7c, Qc.
        """
        reader = self._reader_at(at, seat)
        return "".join(
            (
                self.events(events, reader),
                self._cards(at, reader),
                self._say(at, reader, "status"),
                self._moves_line(at, reader, self._say(at, reader, "moves")),
            )
        )

    def closing(self, at: State | View, events: Sequence[EventNumbers], seat: int) -> str:
        """Return the last message of a chat: these events, and how the episode has ended."""
        reader = self._reader_at(at, seat)
        parts: tuple[Part, ...] = ("result", "status")
        said = [self._say(at, reader, part) for part in parts]
        return self.events(events, reader) + "".join(said)

    def events(self, events: Sequence[EventNumbers], seat: int) -> str:
        """Public events as a seat reads them, a line each."""
        names = self._names(seat)
        return "".join(
            self.game.event_words(*numbers, view=seat, names=names) + "\n" for numbers in events
        )

    def called(self, seat: int, reader: int) -> str:
        """The name of a seat as another one reads it, at the beginning of a sentence."""
        names = self._names(reader)
        name = f"seat {seat}" if names is None else names[seat]
        return name[0].upper() + name[1:] if names is None else name

    def status(self, at: State | View, seat: int | None = None) -> str:
        """Return what a seat is asked."""
        return self._say(at, self._reader_at(at, seat), "status")

    # ---- Rules and answers -----------------------------------------------------------------------

    def system(self, tool: str | None = None) -> str:
        """The first message of a chat: the game, its rules, its moves, and the form of answers.

        Args:
            tool: the name of the tool that plays a move; None: replies are texts.

        Raises:
            LookupError: the game was built without its guide.
        """
        guide = "" if self.rules == "none" else f"{self.game.guide_text()}\n"
        answer = (
            f'End your reply with a line such as "Answer: {self.game.action_text(0)}".'
            if tool is None
            else f'Play each move by a call of the tool "{tool}", until the episode is over.'
        )
        return f"{guide}{self.forms()}\n{answer}\n"

    def forms(self) -> str:
        """Return how many play, and the forms in which moves are written."""
        game = self.game
        lines = [
            f"You play {game.title} with {plural(game.num_seats - 1, 'other player')}. A message "
            "says what you see and what you are asked. Moves are written like these:",
            "",
            *(f"- {game.action_text(one.first)}: {one.meaning}" for one in game.actions),
            "",
        ]
        return "\n".join(lines)

    def moves(self, legal: Legal) -> dict[str, int]:
        """The ids of legal actions by their texts.

        Args:
            legal: a mask, int8 (num_actions,), or ids.

        Raises:
            ValueError: it is neither, or nothing is legal.

        >>> Texts("general_mhing").moves([0, 1])
        {'draw': 0, 'take': 1}
        """
        return self._reader.moves(legal)

    def schema(self, legal: Legal) -> dict[str, Any]:
        """A JSON schema of an answer, for calls of tools and for constrained decoding.

        It lists all legal moves, whatever `legal` of the texts says.

        Raises:
            ValueError: as in :meth:`moves`.

        >>> Texts("general_mhing").schema([0, 1])["properties"]["action"]["enum"]
        ['draw', 'take']
        """
        action = {"type": "string", "enum": [*self.moves(legal)]}
        return {
            "type": "object",
            "properties": {"action": action},
            "required": ["action"],
            "additionalProperties": False,
        }

    def read(self, reply: Any, legal: Legal, shown: str = "") -> Move | Refusal:
        """Return the move that a reply chooses, or why it chooses none.

        See :mod:`mhing.text.answers` for what is understood.

        Args:
            reply: a text, or the id of an action.
            legal: a mask, int8 (num_actions,), or ids.
            shown: what the player is asked, see :meth:`status`. A card behind an action that names
                none, such as "take 6d", must be in it.

        Raises:
            ValueError: `legal` is neither a mask nor ids, or nothing is legal.

        >>> Texts("general_mhing").read("I'll draw.", [0, 1])
        Move(action=0, text='draw')
        """
        return self._reader.read(reply, legal, shown)

    def help(self, refusal: Refusal) -> str:
        """Return what to send a player whose reply is no move: why, and what would do.

        It lists legal moves only where the texts do, as a question does, and suggests none.

        >>> texts = Texts("general_mhing")
        >>> print(texts.help(texts.read("hmm", [0, 1])), end="")
        No move was found in 'hmm'. Reply with one of these moves.
        Moves: draw; take.
        """
        why = refusal.why[0].upper() + refusal.why[1:]
        if self.legal != "all":
            return f"{why}. Reply with one legal move.\n"
        few = refusal.meant[:_FEW] if len(refusal.meant) <= _FEW else ()
        meant = f" Did you mean {' or '.join(few)}?" if few else ""
        mask = np.zeros((1, self.game.num_actions), np.int8)
        mask[0, [*refusal.legal.values()]] = 1
        (moves,) = self.game.words(self._any, [0], "moves", masks=mask)
        return f"{why}.{meant} Reply with one of these moves.\n{moves}"

    @cached_property
    def _any(self) -> NDArray[np.uint8]:
        """An observation, where words follow from a mask alone."""
        return self.game.new_state(0).observation(0)[None]

    # ---- Parts -----------------------------------------------------------------------------------

    def _reader_at(self, at: State | View, seat: int | None) -> int:
        if not isinstance(at, State | View):
            raise TypeError(f"at: {at!r} is a {type(at).__name__}, neither a State nor a View")
        if (at.game.id, at.game.num_seats) != (self.game.id, self.game.num_seats):
            raise ValueError(f"at: a position of {at.game}, not of {self.game}")
        reader = at.seat if seat is None else whole(seat, "seat")
        if reader is None or not 0 <= reader < self.game.num_seats:
            raise ValueError(f"seat: {reader} reads nothing; give one from 0 up, who is to read")
        if isinstance(at, View) and reader != at.seat:
            raise ValueError(f"seat: {reader} cannot read what seat {at.seat} sees")
        return reader

    def _names(self, reader: int) -> Sequence[str] | None:
        if self.seats == "names":
            return None
        if not isinstance(self.seats, str):
            return [YOU if seat == reader else name for seat, name in enumerate(self.seats)]
        seats = self.game.num_seats
        places = [(seat - reader) % seats for seat in range(seats)]
        return [f"Left {place}" if place else YOU for place in places]

    def _introduced(self, text: str, reader: int) -> str:
        """A whole text, with the given name of its reader at the end of the heading."""
        if isinstance(self.seats, str):
            return text
        heading, _, rest = text.partition("\n")
        return f"{heading} You are {self.seats[reader]}.\n{rest}"

    def _say(self, at: State | View, reader: int, part: Part, number: int | None = None) -> str:
        names = self._names(reader)
        if isinstance(at, State):
            return at.words(reader, part, number=number, names=names)
        return at.words(part, number=number, names=names)

    def _last(self, said: str, seats: NDArray[np.uint8]) -> str:
        """The last ones of the events that are said, as `history` wants them."""
        if isinstance(self.history, int):
            count = self.history
        else:
            own = np.flatnonzero(seats == _OWN)
            count = int(np.count_nonzero(seats[own[-1] + 1 :] if own.size else seats))
        return "".join(said.splitlines(keepends=True)[-count:]) if count else ""

    def _cards(self, at: State | View, reader: int) -> str:
        """The cards that a message of a chat says: all of them where a move names a meld.

        And in games without their own sentences, whose events say too little.
        """
        own = self._say(at, reader, "seat", reader)
        legal = np.flatnonzero(_mask(at, reader)).tolist()
        if not own.partition("\n")[0].endswith(":") and all(
            self._say(at, reader, "move", action).rstrip("\n") == self.game.action_text(action)
            for action in legal
        ):
            return own
        seats = self.game.num_seats
        others = [(reader + place) % seats for place in range(1, seats)]
        said = [self._say(at, reader, "seat", seat) for seat in others]
        return "".join([own, *said, self._say(at, reader, "piles")])

    def _moves_line(self, at: State | View, reader: int, moves: str) -> str:
        if self.legal == "all" or not moves:
            return moves if self.legal == "all" else ""
        return "" if self.legal == "none" else self._kinds_line(_mask(at, reader))

    def _kinds_line(self, mask: NDArray[np.int8]) -> str:
        kinds = [
            one.name.replace("_", " ")
            for one in self.game.actions
            if mask[one.first : one.first + one.count].any()
        ]
        return f"Kinds of moves: {'; '.join(kinds)}.\n" if kinds else ""


def _mask(at: State | View, reader: int) -> NDArray[np.int8]:
    """The reader's legal actions; all 0 where it is not to act, or they are not known."""
    mask = at.mask if isinstance(at, View) else at.action_mask() if at.seat == reader else None
    return np.zeros(at.game.num_actions, np.int8) if mask is None else mask


def _distinct(names: list[str]) -> tuple[str, ...]:
    """The names of seats; ValueError where texts would write one differently."""
    for given, written in zip(names, called(names), strict=True):
        if given != written or given.lower() == YOU:
            raise ValueError(
                f"seats: {given!r} cannot be a name: give short ones that differ, without "
                f"{YOU!r}, which is the reader"
            )
    return tuple(names)


def _exchanged(text: str, said: str, wanted: str) -> str:
    """A text with other events than those that it says."""
    before, found, after = text.rpartition(said) if said else ("", "", text)
    return before + wanted + after if found else text
