"""A game in play on this machine: who has which seat, what was played, and what can be taken back.

People and bots sit at it. What a person sees and how a move is chosen is the business of its
holder: a page, a terminal, a notebook.

>>> import mhing
>>> table = Table(mhing.Game("general_mhing"), ["random", None], seed=3)
>>> while table.choice is not None:
...     events = table.play(table.choice)
>>> table.state.seat
1
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from mhing import render
from mhing.game import Game
from mhing.players.asking import reason
from mhing.players.player import Player
from mhing.players.seating import Given, seat
from mhing.state import State

_SPREAD = 0x9E3779B97F4A7C15  # odd, and its bits are well mixed: the golden ratio of 2**64


class PlayerFailed(ValueError):
    """A player has raised an exception, or given an answer that is no legal action.

    Its text may be shown to anybody at the table. The cause may name the player's cards.

    Attributes:
        seat: the player's.
    """

    def __init__(self, name: str, seat: int) -> None:
        super().__init__(f"{name}, the player in seat {seat}, fails")
        self.seat = seat

    @property
    def whole(self) -> str:
        """The text with the cause, for the host alone."""
        return str(self) if self.__cause__ is None else f"{self}: {reason(self.__cause__)}"


@dataclass(frozen=True, slots=True)
class PublicEvent:
    """A public event."""

    seat: int
    """The seat whose event it is."""
    kind: str
    """Its name among ``game.events``."""
    numbers: tuple[int, int, int, int]
    """The event's numbers; :meth:`mhing.Game.event_words` makes a sentence of them."""


@dataclass(frozen=True, slots=True)
class PlayedAction:
    """One action."""

    seat: int
    action: int
    by: str
    """``"player"`` or ``"bot"``: who decided, as records say it."""
    seed: int | None = None
    """The seed of the next round's deal, see :class:`mhing.records.RecordedMove`."""
    replies: tuple[str, ...] = ()
    """The texts that led to it, if the player writes, see :class:`mhing.records.RecordedMove`."""


class Table:
    """A game in play.

    Args:
        game: the game with its options.
        players: who has each seat, a name or an object, see :mod:`mhing.players`; None: a person.
        seed: of the deal, 0 to 2**64 - 1; None: fresh entropy.

    Raises:
        ValueError: there is no such player, not one for each seat, or the seed is out of range.
        TypeError: a player is neither text nor callable.
        ModuleNotFoundError: an extra is missing.
    """

    def __init__(
        self, game: Game, players: Sequence[Given | None], seed: int | None = None
    ) -> None:
        if len(players) != game.num_seats:
            raise ValueError(f"players: {len(players)} given for {game.num_seats} seats")
        self.game = game
        self.players: list[Player | None] = [
            None if player is None else seat(player, game, "players") for player in players
        ]
        self.seed = secrets.randbits(64) if seed is None else seed
        self.state = game.new_state(self.seed)
        self.played: list[PlayedAction] = []
        self._replies: tuple[str, ...] = ()

    @property
    def choice(self) -> int | None:
        """Return the action of the bot to act; None where a person is to act, or nobody.

        It is the same whenever it is asked, also after a move was taken back.

        Raises:
            PlayerFailed: a policy has failed, or its answer is not legal.
        """
        state = self.state
        player = None if state.seat < 0 else self.players[state.seat]
        if player is None:
            return None
        number = (self.seed + (len(self.played) + 1) * _SPREAD) % 2**64
        try:
            action, self._replies = player.decide(state, number)
        except Exception as error:  # whatever its code raises
            raise PlayerFailed(player.name, state.seat) from error
        return action

    def play(
        self, action: int, seed: int | None = None, replies: tuple[str, ...] = ()
    ) -> list[PublicEvent]:
        """Play an action of the seat to act, and return what everybody sees of it.

        An action that ends a round deals nothing: the state is between rounds then. `seed` is that
        of the next round where a record has one, see :class:`mhing.records.RecordedMove`. `replies`
        are the texts of a person or a model that led to the action; those of a player are known.

        Raises:
            ValueError: the action is not legal.
            RuntimeError: nobody is to act.
        """
        before = self.state.clone()
        by, said = "player", replies
        if self.players[before.seat] is not None:
            by, said = "bot", self._replies
        self.state.apply(action, deal=False)
        self.played.append(PlayedAction(before.seat, action, by, seed, said))
        return public_events(before, self.state)

    def next_round(self) -> list[PublicEvent]:
        """Deal the next round, and return what everybody sees of it.

        Raises:
            RuntimeError: the state is not between rounds.
        """
        before = self.state.clone()
        self.state.next_round(self.played[-1].seed if self.played else None)
        return public_events(before, self.state)

    def take_back(self, count: int) -> None:
        """Go back to where `count` actions had been played, and the next one was to come."""
        played, self.played = self.played[:count], []
        self.state = self.game.new_state(self.seed)
        for one in played:
            self.state.apply(one.action, deal=False)
            self.played.append(one)
            if self.state.is_between_rounds:
                self.state.next_round(one.seed)


def public_events(before: State | None, after: State) -> list[PublicEvent]:
    """The public events of the one action or deal that led from one state to another.

    With None for the state before, those that the deal has shown.
    """
    game = after.game
    view = render.View(game, after.public_observation())
    fresh = view.tail if before is None else map(tuple, after._events(before))
    return [
        PublicEvent(seat - 1, game.events[kind].name, (seat - 1, kind, detail, extra))
        for seat, kind, detail, extra in fresh
    ]


def is_visible(before: State, after: State) -> bool:
    """Return whether others see anything of the one action that led from one state to another."""
    return bool(after._events(before))


def shows_nothing(before: State, action: int, after: State) -> bool:
    """Return whether neither the seat that acted nor another has learned anything by its action.

    Then it may take the action back in every game, as one that lays cards onto the table still
    plans. Worlds that the seat cannot distinguish must look the same to it after the action.
    """
    seat = before.seat
    if after.seat != seat or is_visible(before, after):
        return False
    observation = after.observation(seat).tobytes()
    for number in range(_WORLDS):
        other = before.resample(seat, number)
        other.apply(action)
        if other.observation(seat).tobytes() != observation:
            return False
    return True


_WORLDS = 16
"""Worlds that are tried: of unknown cards, two are hardly the same in all."""
