"""A league: the learner meets its own past and the built-in bots, those that beat it more often.

The rows are shared out among a few pools. A pool plays against one member for a while, then another
one is drawn for it.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import torch
from torch import Tensor

from mhing.game import Game
from mhing.train.afterstate_net import AfterstateNet
from mhing.train.learner import FRESH, Settings
from mhing.train.observation_net import ObservationNet
from mhing.train.player import Seats
from mhing.train.rows import Inputs, Rows, join, together

GROUPS = 4
STAY = 10  # iterations that a pool stays with its member
GROW = 25  # iterations after which the learner's present version joins
PAST = 10  # past versions at most; the one that the learner beats most leaves
FADE = 0.9  # of what is known of a member when it is met again
LEAST = 0.05  # weight of a member that is always beaten


class League:
    """Rows whose opponents change; what :class:`Rows` offers, and `advance`.

    Args:
        game: what is played.
        settings: of the run.
        seed: of the deals, below 2**32, and of what is drawn.
        count: how many rows, at least as many as pools.
        net: the learner's; past versions are copies of it.

    Raises:
        ValueError: there are fewer rows than groups, or the teacher cannot play.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings,
        seed: int,
        count: int,
        net: ObservationNet | AfterstateNet,
    ) -> None:
        if count < GROUPS:
            raise ValueError(f"tuning: rows: {count} are less than the league's {GROUPS} groups")
        self._game, self._settings, self._seed, self._net = game, settings, seed, net
        self._counts = [count // GROUPS + (group < count % GROUPS) for group in range(GROUPS)]
        self.teacher = settings.teacher
        able = [bot.name for bot in game.bots if _plays(game, bot.name)]
        bots = able[1:] or able  # the first one is random
        self.known = {bot: [0.0, 0.0] for bot in bots}  # rounds won by the learner, and played
        self._past: dict[str, ObservationNet | AfterstateNet] = {}
        self._seats = Seats(game, settings)
        self._generator = torch.Generator().manual_seed(seed)
        self._iterations = self._drawn = 0
        self.names = ["" for _ in range(GROUPS)]
        self.groups = [self._make_group(group, self._draw()) for group in range(GROUPS)]

    def observe(self) -> tuple[Inputs, Tensor]:
        """See :meth:`Rows.observe`."""
        seen, seats = zip(*(rows.observe() for rows in self.groups), strict=True)
        return join(seen), torch.cat(seats)

    def choose(self, logits: Tensor) -> Tensor:
        """Draw actions."""
        parts = zip(self.groups, torch.split(logits, self._counts), strict=True)
        return torch.cat([rows.choose(part) for rows, part in parts])

    def teacher_actions(self) -> Tensor:
        """Return the teacher's action in each row."""
        return torch.cat([rows.teacher_actions() for rows in self.groups])

    def step(self, actions: Tensor) -> tuple[Tensor, ...]:
        """See :meth:`Rows.step`."""
        parts = zip(self.groups, torch.split(actions, self._counts), strict=True)
        played = [rows.step(part) for rows, part in parts]
        return tuple(map(torch.cat, zip(*played, strict=True)))

    def numbers(self) -> dict[str, float]:
        """See :meth:`Rows.numbers`; it also counts for the members what was won against them."""
        found = [rows.numbers() for rows in self.groups]
        for name, one in zip(self.names, found, strict=True):
            self.known[name][0] += one["wins"] * one["rounds"]
            self.known[name][1] += one["rounds"]
        return {**together(found), "members": float(len(self.known))}

    def advance(self) -> None:
        """End an iteration: the learner may join, and a pool may get another member."""
        self._iterations += 1
        if self._iterations % GROW == 0:
            self._join(f"past:{self._iterations}")
        group = self._iterations % STAY
        if group < GROUPS:
            self.groups[group] = self._make_group(group, self._draw())

    def weights(self) -> dict[str, float]:
        """Return the weight of each member in the draw: the more it beats the learner, the larger.

        The learner's share of wins is taken relative to the share of its seat, so that 0.5 is as
        good as the others; nothing is known of a member that was never met.
        """
        shares = {
            name: min(1.0, won / played * self._game.num_seats / 2) if played else 0.0
            for name, (won, played) in self.known.items()
        }
        return {name: LEAST + (1 - share) ** 2 for name, share in shares.items()}

    def state(self) -> dict[str, Any]:
        """All that the next steps depend on."""
        return {
            "known": self.known,
            "past": {name: net.state_dict() for name, net in self._past.items()},
            "names": self.names,
            "pools": [rows.state() for rows in self.groups],
            "generator": self._generator.get_state(),
            "counts": [self._iterations, self._drawn],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned."""
        self._past = {}
        for name, weights in state["past"].items():
            self._past[name] = deepcopy(self._net)
            self._past[name].load_state_dict(weights)
        self.known = state["known"]
        self.groups = [self._make_group(group, name) for group, name in enumerate(state["names"])]
        for rows, saved in zip(self.groups, state["pools"], strict=True):
            rows.restore(saved)
        self._generator.set_state(state["generator"])
        self._iterations, self._drawn = state["counts"]

    def _draw(self) -> str:
        weights = self.weights()
        chances = torch.tensor([*weights.values()])
        drawn = torch.multinomial(chances, 1, generator=self._generator)
        return [*weights][int(drawn)]

    def _make_group(self, group: int, name: str) -> Rows:
        """Rows against this member, for a pool; their deals are new."""
        self._drawn += 1
        self.names[group] = name
        self.known[name] = [FADE * number for number in self.known[name]]
        seed = (self._seed + (self._drawn << 32)) % FRESH
        past = self._past.get(name)
        return Rows(
            self._game, [self._seats.player(past) if past else name], seed, self._counts[group],
            self._settings.threads, self.teacher, self._settings.inputs(self._game),
        )  # fmt: skip

    def _join(self, name: str) -> None:
        """The learner's present version becomes a member."""
        self._past[name] = deepcopy(self._net)
        self.known[name] = [0.0, 0.0]
        idle = [one for one in self._past if one not in (name, *self.names)]
        if len(self._past) > PAST and idle:
            weights = self.weights()
            beaten = min(idle, key=weights.__getitem__)
            del self._past[beaten], self.known[beaten]


def _plays(game: Game, bot: str) -> bool:
    """Return whether a bot plays this game with its options."""
    try:
        game.bot_index(bot)
    except ValueError:
        return False
    return True
