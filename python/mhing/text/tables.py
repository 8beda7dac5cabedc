"""Tables at which seats are asked and answer in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mhing._lib.arguments import one_of, seed64, whole
from mhing._support.seats import seat_number
from mhing.game import Game
from mhing.players.asking import replies
from mhing.players.seating import Given, seat
from mhing.table import PublicEvent, Table
from mhing.text.answers import Refusal
from mhing.text.texts import Texts

THEN = ("idle", "end")
_LONGEST = 300
"""Characters of what a player says to the table at once."""


@dataclass(frozen=True)
class TextTurn:
    """A question to a seat, or the end of the episode."""

    seat: int
    """The seat that is asked; -1: the episode is over."""
    text: str
    """The message to it; at the end of a :class:`TextEnv` the last one, and of a
    :class:`TextTable` "", since each seat has its own, see :meth:`TextTable.closing`."""
    moves: Mapping[str, int]
    """The ids of its legal actions by their texts; none at the end."""
    reward: float = 0.0
    """Its reward since it was asked last, in the unit of the game's rewards."""
    is_over: bool = False
    refusal: Refusal | None = None
    """The reason why the seat is asked again: its reply was no move."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """``step``: public events so far; ``mistakes``: replies of this seat that were no moves;
    ``idled``: moves that were played in its place; at the end ``returns``, float64 (num_seats,),
    and ``forfeited``, the seat that ended the episode by its mistakes, or None."""


@dataclass
class _Heard:
    """A seat's messages, mistakes and rewards so far."""

    entries: int = 0
    """The number of entries of the table's log that its messages have said."""
    round: int = -1
    """The round of its last message; -1: it had none."""
    paid: float = 0.0
    mistakes: int = 0
    idled: int = 0
    tries: int = 0
    """Replies to the question at hand that were no moves."""
    replies: list[str] = field(default_factory=list)
    """All texts that were replies to it."""
    question: str = ""
    """The message that asked it."""
    note: str = ""
    """The move that was played in its place since, which its next message says."""


class TextTable:
    """A table whose players read and write; some seats may have bots.

    >>> table = TextTable("general_mhing")
    >>> turn = table.reset(seed=1)
    >>> while not turn.is_over:
    ...     turn = table.step(list(turn.moves)[-1])
    >>> turn.info["returns"].shape
    (2,)

    Args:
        texts: the form of its texts; a game, or its id, is one in the default form.
        players: who has each seat, see :mod:`mhing.players`; None: its replies come by
            :meth:`step`. None for all: every seat's do.
        chat: True: messages of a seat after its first one in a round say what is new. False: each
            one is the whole observation, for models that forget.
        mistakes: how many replies to a question may be no moves, and it is asked again.
        then: what happens after one more: ``"idle"``, the idle action is played for the seat; or
            ``"end"``, the episode ends.
        penalty: the seat's return then, under ``"end"``.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: an argument is of the wrong type.
    """

    def __init__(
        self,
        texts: Texts | Game | str,
        players: Sequence[Given | None] | None = None,
        *,
        chat: bool = True,
        mistakes: int = 2,
        then: str = "idle",
        penalty: float = -1.0,
    ) -> None:
        self.texts = texts if isinstance(texts, Texts) else Texts(texts)
        self.game = game = self.texts.game
        given = [None] * game.num_seats if players is None else players
        if len(given) != game.num_seats:
            raise ValueError(f"players: {len(given)} given for {game.num_seats} seats")
        self.players = [one if one is None else seat(one, game, "players") for one in given]
        self.chat = chat
        self.mistakes = whole(mistakes, "mistakes")
        if self.mistakes < 0:
            raise ValueError(f"mistakes: {mistakes} is below 0")
        one_of("then", then, list(THEN))
        self.then, self.penalty = then, float(penalty)
        self._table: Table | None = None
        self._turn: TextTurn | None = None

    @property
    def table(self) -> Table:
        """The game in play: its state, and what was played, for records.

        Raises:
            RuntimeError: there was no reset yet.
        """
        if self._table is None:
            raise RuntimeError("call reset() first")
        return self._table

    def reset(self, seed: int | None = None) -> TextTurn:
        """Deal, and return the question to the seat to act.

        Args:
            seed: 0 to 2**64 - 1, or an info's ``seed``, which may be negative: of the deal and of
                the bots' randomness; None: fresh entropy.

        Raises:
            ValueError: the seed is out of range.
            PlayerFailed: a player has failed; a ValueError.
        """
        self._table = Table(self.game, self.players, seed64(seed))
        self._log: list[PublicEvent | tuple[int, str]] = []
        self._steps = 0
        self._heard = [_Heard() for _ in range(self.game.num_seats)]
        self._forfeited: int | None = None
        return self._next()

    def step(self, reply: Any) -> TextTurn:
        """Take the reply of the seat that is asked, and return the next question.

        Args:
            reply: a text, see :mod:`mhing.text.answers`, a call of a tool as a dict, or the id of
                an action.

        Raises:
            RuntimeError: the episode is over, or has not begun.
            PlayerFailed: another player has failed, and with it the episode; it is a ValueError.
            TypeError: it is no reply, such as None: that is no mistake of the player.
        """
        asked = self._asked()
        _check_reply(reply)
        state, heard = self.table.state, self._heard[asked.seat]
        heard.replies += replies(reply)
        read = self.texts.read(reply, state.action_mask(), self.texts.status(state))
        if not isinstance(read, Refusal):
            self._play(read.action)
            return self._next()
        heard.mistakes += 1
        heard.tries += 1
        if heard.tries <= self.mistakes:
            text = self.texts.help(read) + ("" if self.chat else heard.question)
            self._turn = self._question(text, 0.0, read)
            return self._turn
        if self.then == "end":
            self._forfeited = state.seat
        else:
            idle = state.idle_action()
            heard.idled += 1
            text = self.game.action_text(idle)
            heard.note = f"Your reply was no move; {text} was played for you.\n"
            self._play(idle)
        return self._next()

    def say(self, words: str) -> None:
        """Let the seat that is asked say something, which all others read in their next messages.

        Nothing else that a player writes reaches them.

        Raises:
            RuntimeError: nobody is asked, or the question is secret, such as one for a claim: words
                would tell the others that this seat was asked.
            TypeError: `words` are no text.
        """
        asked = self._asked()
        if not self.table.state.is_settled:
            raise RuntimeError("nothing can be said now: others would hear that this seat is asked")
        if not isinstance(words, str):
            raise TypeError(f"words: {words!r} is a {type(words).__name__}, not a text")
        line = "".join(sign if sign.isprintable() else " " for sign in words)
        self._log.append((asked.seat, " ".join(line.split())[:_LONGEST]))

    def closing(self, seat: int) -> str:
        """A seat's last message: what it has not heard yet, and how the episode ended.

        Raises:
            ValueError: there is no such seat.
        """
        events, talk = self._fresh(seat_number(self.game, seat))
        if self._forfeited is None:
            return talk + self.texts.closing(self.table.state, events, seat)
        name = "You" if seat == self._forfeited else self.texts.called(self._forfeited, seat)
        end = f"{name} gave no legal move. The episode is over.\n"
        return talk + self.texts.events(events, seat) + end

    # ---- Play ------------------------------------------------------------------------------------

    def _play(self, action: int) -> None:
        heard = self._heard[self.table.state.seat]
        said, heard.replies, heard.tries = tuple(heard.replies), [], 0
        self._see(self.table.play(action, replies=said))

    def _see(self, events: Sequence[PublicEvent]) -> None:
        self._log += events
        self._steps += len(events)

    def _asked(self) -> TextTurn:
        """The question at hand."""
        if self._turn is None or self._turn.is_over:
            raise RuntimeError("nobody is asked: call reset() first")
        return self._turn

    def _next(self) -> TextTurn:
        """Play for bots, and ask the next seat that has none; nobody, where a bot fails."""
        table, self._turn = self.table, None
        while self._forfeited is None and not table.state.is_terminal:
            if table.state.is_between_rounds:
                self._see(table.next_round())
            elif (choice := table.choice) is not None:
                self._play(choice)
            else:
                self._turn = self._ask(table.state.seat)
                return self._turn
        self._turn = TextTurn(-1, "", {}, is_over=True, info=self._final())
        return self._turn

    def _ask(self, asked: int) -> TextTurn:
        state, heard = self.table.state, self._heard[asked]
        is_new = heard.round != state.rounds_over
        events, talk = self._fresh(asked)
        if self.chat and not is_new:
            text = self.texts.since(state, events)
        else:
            text = self.texts.observation(state)
        heard.entries, heard.round = len(self._log), state.rounds_over
        heard.question, heard.note = talk + text, ""
        return self._question(heard.question, self.earned(asked), None)

    def _question(self, text: str, reward: float, refusal: Refusal | None) -> TextTurn:
        state = self.table.state
        return TextTurn(
            state.seat, text, self.texts.moves(state.action_mask()), reward,
            refusal=refusal, info=self.info(state.seat),
        )  # fmt: skip

    def _fresh(self, reader: int) -> tuple[list[tuple[int, int, int, int]], str]:
        """The events that a seat has not heard of, and the lines before them in its message."""
        heard = self._heard[reader]
        fresh = self._log[heard.entries :]
        events = [one.numbers for one in fresh if isinstance(one, PublicEvent)]
        said = [one for one in fresh if not isinstance(one, PublicEvent) and one[0] != reader]
        lines = [f'{self.texts.called(who, reader)} says: "{words}"\n' for who, words in said]
        return events, "".join([heard.note, *lines])

    # ---- Numbers ---------------------------------------------------------------------------------

    def earned(self, seat: int) -> float:
        """Return what a seat has earned since this was called for it last."""
        heard, total = self._heard[seat], float(self._returns()[seat])
        earned, heard.paid = total - heard.paid, total
        return earned

    def info(self, seat: int) -> dict[str, Any]:
        """The numbers of a seat, see :class:`TextTurn`."""
        heard = self._heard[seat]
        return {"step": self._steps, "mistakes": heard.mistakes, "idled": heard.idled}

    def _final(self) -> dict[str, Any]:
        return {"step": self._steps, "returns": self._returns(), "forfeited": self._forfeited}

    def _returns(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        returns = self.table.state.returns()
        if self._forfeited is not None:
            returns[self._forfeited] = self.penalty
        return returns


def _check_reply(reply: Any) -> None:
    """Raise TypeError unless a player may have written a reply, or chosen an action's id."""
    if isinstance(reply, str | Mapping):
        return
    try:
        whole(reply, "reply")
    except TypeError:
        raise TypeError(
            f"reply: {reply!r} is a {type(reply).__name__}; expected a text, a call of a tool as a "
            "dict, or an action's id"
        ) from None
