"""The messages of an arena's table to programs and guests: those of a server's table."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from mhing.arena.guests import Seated
from mhing.game import Game
from mhing.players.programs import relative, start_of
from mhing.remote.bridge import Program
from mhing.remote.memory import Memory
from mhing.remote.player import Turn
from mhing.state import State
from mhing.text.answers import Refusal


class Listeners:
    """The programs and guests at one table during a game, and what each has heard.

    One that has ended without being asked hears nothing; it is found out when it is asked.

    Args:
        clock: seconds for an answer.
        start: seconds for the first one of a program, from its start, if they end later.
        number: what they hear as the game's number.
        names: of the players, by seat.
        seats: who hears.
        state: of the game, after the deal.
    """

    def __init__(
        self,
        game: Game,
        clock: float,
        start: float,
        number: int,
        names: Sequence[str],
        seats: Mapping[int, Program | Seated],
        state: State,
    ) -> None:
        self._game, self._clock, self._start, self._number = game, clock, start, number
        self.seats = dict(seats)
        self._events: list[list[int]] = []
        self._heard = dict.fromkeys(self.seats, 0)
        self._memories = {seat: Memory(game) for seat in self.seats}
        self._substituted = Counter[int]()
        self.see(State(game), state)
        numbers = game.plain_numbers(state._numbers())
        for seat in self.seats:
            self._memories[seat].start(seat, numbers)
            keys = self._keys()
            self._send(seat, "started", start_of(game, seat, names[seat], clock, numbers, **keys))

    def see(self, before: State, after: State) -> None:
        """Take note of the events of an action."""
        self._events += after._events(before)

    def ask(self, seat: int, state: State) -> Turn:
        """A question to a seat, which a guest is sent at once.

        Each counts its own questions: numbers for all would tell of those that are secret.
        """
        asked = self.seats[seat]
        left = self._clock
        if isinstance(asked, Program) and asked.is_new:
            left = max(left, asked.launched + self._start - time.monotonic())
        turn = Turn(
            self._game, asked.turn + 1, round(1000 * left),
            state.observation(seat).tobytes(), state.action_mask().tobytes(),
            self._new_events(seat),
            memory=self._memories[seat],
        )  # fmt: skip
        if isinstance(asked, Seated):
            asked.ask(turn)
        return turn

    def answer(self, seat: int, turn: Turn) -> int | str:
        """The answer as it came, "" for none.

        Raises:
            RuntimeError: the program has ended, or the guest has left.
        """
        return self.seats[seat].act(turn)

    def refuse(self, seat: int, refusal: Refusal, retries: int) -> None:
        """Tell a program what was illegal, and how often it is asked again."""
        asked = self.seats.get(seat)
        if isinstance(asked, Program):
            with suppress(RuntimeError):
                asked.refuse(
                    "illegal", refusal.advice, turn=asked.turn, nearest=refusal.nearest,
                    legal=[*refusal.legal], ids=[*refusal.legal.values()], retries=retries,
                )  # fmt: skip

    def round_over(self, state: State) -> None:
        """Report how a round has ended."""
        numbers = self._game.plain_numbers(state._numbers())
        for seat in self.seats:
            self._memories[seat].round(numbers)
            self._send(seat, "round", numbers)

    def substitute(self, seat: int) -> None:
        """Take note of an action that was played in a seat's place."""
        self._substituted[seat] += 1

    def forfeit(self, seat: int, reason: str) -> None:
        """A seat has lost: a guest hears why and plays no more; a program that is not in step, or
        has ended, hears no more."""
        lost = self.seats.get(seat)
        if isinstance(lost, Seated):
            lost.dismiss(reason)
        if isinstance(lost, Seated) or (lost and not lost.is_in_step()):
            del self.seats[seat]

    def over(self, state: State) -> None:
        """Report the end of the game, after which guests wait for their next one."""
        for seat, one in self.seats.items():
            self._send(
                seat, "ended", self._keys(), over=False, seat=seat,
                returns=state.returns().tolist(), substituted=self._substituted[seat],
                events=self._new_events(seat),
            )  # fmt: skip
            if isinstance(one, Seated):
                one.dismiss()

    def _keys(self) -> dict[str, Any]:
        return {"table": "arena", "number": self._number}

    def _send(self, to: int, what: str, content: dict[str, Any], /, **more: Any) -> None:
        with suppress(RuntimeError):
            getattr(self.seats[to], what)(content | more)

    def _new_events(self, seat: int) -> list[list[int]]:
        """The events that a seat has not heard of, with seats counted from it."""
        fresh, seats = self._events[self._heard[seat] :], self._game.num_seats
        self._heard[seat] = len(self._events)
        return relative(seat, seats, fresh)
