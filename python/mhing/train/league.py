"""A league: a pool of the built-in bots and the learner's own past, for learners of all methods."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from mhing.game import Game
from mhing.players.pool import Pool
from mhing.train.learner import bots

PAST = 10
"""Past versions at most; the one that the learner beats most leaves."""

MEMORY = 2000
"""Episodes against a member after which an older one counts half: the learner has changed since."""


class League:
    """The pool, and the past versions in it.

    Args:
        game: what is played.
        seat: makes an opponent of the learner's weights.
        grow: iterations after which the learner's present version joins, and again each time.
    """

    def __init__(self, game: Game, seat: Callable[[Any], Any], grow: int) -> None:
        self._bots, self._seat, self._grow = bots(game), seat, grow
        self.past: dict[str, Any] = {}
        """The weights of past versions by name: the members, and others who are still met."""
        self._iterations = 0
        self._order = [*self._bots]  # who ever was a member
        self.pool = self._make_pool()

    def advance(self, weights: Callable[[], Any], met: Collection[str]) -> None:
        """End an iteration: the learner may join.

        Args:
            weights: returns a copy of the learner's.
            met: the members whom episodes in play meet.
        """
        self._iterations += 1
        if self._iterations % self._grow == 0:
            name = f"past:{self._iterations}"
            self.past[name] = weights()
            self._order.append(self.pool.add(self._seat(self.past[name]), name))
            self._retire(name)
        for name in {*self.past} - {*self.pool.members, *met}:
            del self.past[name]

    def _retire(self, newest: str) -> None:
        chances = self.pool.weights()
        past = [name for name in chances if name in self.past and name != newest]
        if len(past) >= PAST:
            self.pool.remove(min(past, key=chances.__getitem__))

    def state(self) -> dict[str, Any]:
        """All that the next iterations depend on."""
        return {
            "iterations": self._iterations,
            "order": self._order,
            "past": self.past,
            "counts": self.pool.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned.

        The pool has all who ever were members, in their order, so that a batch numbers them as
        before. Once it has been made, :meth:`settle` leaves those who are members now.
        """
        self._iterations, self._order, self.past = (
            state["iterations"],
            state["order"],
            state["past"],
        )
        self.pool = self._make_pool()
        self.pool.count(state["counts"])
        self._settled = {*state["counts"]}

    def settle(self) -> None:
        """End a restoration."""
        for name in {*self.pool.members} - self._settled:
            self.pool.remove(name)

    def _make_pool(self) -> Pool:
        somebody = self._bots[0]
        members = {
            name: self._seat(self.past[name]) if name in self.past else somebody
            for name in self._order
        } | {bot: bot for bot in self._bots}
        return Pool(members, "beats_me", memory=MEMORY)


def table(states: Sequence[dict[str, list[float]]]) -> dict[str, Any]:
    """The counts of the pools of all actors together, by member, as plain data for the log."""
    pool = Pool({name: name for state in states for name in state}, "beats_me")
    for state in states:
        pool.count(state)
    return {name: met.to_dict() for name, met in pool.report().items()}
