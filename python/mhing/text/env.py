"""``TextEnv``: one seat of a game in words, the others played by bots."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from mhing._lib.arguments import positive, seed64
from mhing._support.seats import seat_number
from mhing.game import DEFAULT_GAME, Game
from mhing.players.seating import Given, one_per_seat
from mhing.players.seating import seat as seat_player
from mhing.text.tables import TextTable, TextTurn
from mhing.text.texts import Texts

_NEXT = 0x9E3779B97F4A7C15


class TextEnv:
    """One seat of a game in words.

    >>> env = TextEnv("mhing", opponents="greedy")
    >>> turn = env.reset(seed=1)
    >>> while not turn.is_over:
    ...     turn = env.step(list(turn.moves)[0])  # a model's reply to turn.text
    >>> turn.info["mistakes"]
    0

    The first message to a model is ``env.texts.system()``; ``env.seat`` is its seat. A last
    message, with ``is_over``, says how the episode has ended. Episodes that would end before the
    seat is asked are skipped.

    Args:
        texts: the form of its texts; a game, or its id, is one in the default form.
        opponents: one player for all other seats, see :mod:`mhing.players`, or one for each,
            clockwise from this seat; None: the game's default bot.
        seat: which one it is; None: drawn from the seed.
        chat: as in :class:`mhing.text.TextTable`, and so are the next three.
        mistakes: how many replies to a question may be no moves.
        then: ``"idle"`` or ``"end"``.
        penalty: the seat's return where its mistakes end the episode.

    Raises:
        ValueError: an argument has a value that it cannot have.
        TypeError: an argument is of the wrong type.
    """

    def __init__(
        self,
        texts: Texts | Game | str = DEFAULT_GAME,
        *,
        opponents: Given | Sequence[Given] | None = None,
        seat: int | None = None,
        chat: bool = True,
        mistakes: int = 2,
        then: str = "idle",
        penalty: float = -1.0,
    ) -> None:
        self.texts = texts if isinstance(texts, Texts) else Texts(texts)
        self.game = game = self.texts.game
        given = one_per_seat(game, opponents)
        self._others = [seat_player(one, game, "opponents") for one in given]
        self._given_seat = None if seat is None else seat_number(game, seat)
        self._settings: dict[str, Any] = {
            "chat": chat, "mistakes": mistakes, "then": then, "penalty": penalty,
        }  # fmt: skip
        self._at = self._seated(0)
        self.seat = 0 if self._given_seat is None else self._given_seat
        """The seat in this episode."""

    @property
    def table(self) -> TextTable:
        """The table at which it sits."""
        return self._at

    def reset(self, seed: int | None = None) -> TextTurn:
        """Deal, and return the first question.

        Args:
            seed: 0 to 2**64 - 1, or an info's ``seed``, which may be negative: the same seed, the
                same deal, seat and bots' randomness; None: fresh entropy.

        Raises:
            ValueError: the seed is out of range.
            PlayerFailed: an opponent has failed; a ValueError.
        """
        number = secrets.randbits(64) if seed is None else seed64(seed)
        while True:
            drawn = Random(number).randrange(self.game.num_seats)
            self.seat = drawn if self._given_seat is None else self._given_seat
            self._at = self._seated(self.seat)
            turn = self._at.reset(number)
            if not turn.is_over:
                return turn
            number = (number + _NEXT) % 2**64

    def step(self, reply: Any) -> TextTurn:
        """Take a reply, and return the next question, or the end.

        Args:
            reply: a text, see :mod:`mhing.text.answers`, a call of a tool as a dict, or the id of
                an action.

        Raises:
            RuntimeError: the episode is over, or has not begun.
            PlayerFailed: an opponent has failed, and with it the episode; it is a ValueError, whose
                text may be shown to the model.
            TypeError: it is no reply, such as None: that is no mistake of the player.
        """
        turn = self._at.step(reply)
        if not turn.is_over:
            return turn
        return replace(
            turn,
            text=self._at.closing(self.seat),
            reward=self._at.earned(self.seat),
            info={**turn.info, **self._at.info(self.seat)},
        )

    def group(self, size: int, seed: int | None = None) -> list[tuple[TextEnv, TextTurn]]:
        """Make environments like this one with the same first question, as GRPO compares them.

        The deal, the seat and the bots' randomness are the same in all. They stay the same as long
        as the replies are.

        Args:
            size: how many.
            seed: as in :meth:`reset`.

        Raises:
            ValueError: `size` is below 1, or as in :meth:`reset`.

        >>> group = TextEnv("general_mhing").group(4, seed=1)
        >>> len({turn.text for env, turn in group})
        1
        """
        number = secrets.randbits(64) if seed is None else seed64(seed)
        envs = [
            TextEnv(self.texts, opponents=self._others, seat=self._given_seat, **self._settings)
            for _ in range(positive(size, "size"))
        ]
        return [(env, env.reset(number)) for env in envs]

    def _seated(self, seat: int) -> TextTable:
        """A table at which it has this seat."""
        seats = self.game.num_seats
        players: list[Any] = [None] * seats
        for place, other in enumerate(self._others):
            players[(seat + 1 + place) % seats] = other
        return TextTable(self.texts, players, **self._settings)
