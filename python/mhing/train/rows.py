"""Games played at once, in which a learner has one seat or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mhing.game import Game
from mhing.players import Given, Pool
from mhing.train.afterstate_net import AfterstateInputs
from mhing.train.layers import FeatureRoom
from mhing.train.learner import FRESH, OBSERVATION, SELF
from mhing.train.observation_net import ObservationInputs
from mhing.vector import CardGameVectorEnv

Inputs = ObservationInputs | AfterstateInputs
"""Inputs of a network, by its kind."""


class LearnerRows:
    """`count` games, each waiting for the learner; bots play the other seats.

    Args:
        game: what is played.
        opponents: one for all other seats, or one for each clockwise; "self": the learner's; or a
            pool.
        seed: of the deals, below `FRESH`.
        count: how many.
        threads: of the batch.
        teacher: a bot that can be asked what it would do; None: nobody.
        sees: what the learner sees, observations and masks or the features of what moves leave.
        skip: names of features that it does not read.

    Raises:
        ValueError: an opponent or the teacher cannot play, or the seed is too large.
    """

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Given] | Pool,
        seed: int,
        count: int,
        threads: int = 1,
        teacher: str | None = None,
        sees: str = OBSERVATION,
        skip: Sequence[str] = (),
    ) -> None:
        if not 0 <= seed < FRESH:
            raise ValueError(f"seed: {seed} is not from 0 to {FRESH - 1}")
        options: dict[str, Any] = game.options
        fixed: Sequence[Given] = () if isinstance(opponents, Pool) else opponents
        alone = fixed[0] if len(fixed) == 1 else None
        self.envs = CardGameVectorEnv(
            count, game=game.id, opponents=alone or opponents,
            autoreset_mode="same_step", num_threads=threads, copy=False, **options,
        )  # fmt: skip
        self.teacher, self._sees, self._skip = teacher, sees, skip
        if teacher is not None:
            game.bot_index(teacher)
        self.shared = SELF in fixed
        self.seats = game.num_seats if self.shared else 1
        self._winner = next((field.name for field in game.info_role("winner")), None)
        self.envs.reset(seed=seed)
        self._rounds, self._earned, self._won = 0, 0.0, 0
        self._room = FeatureRoom()

    def observe(self) -> tuple[Inputs, Tensor]:
        """Return the network's inputs and the seats to act; 0 where the learner has one seat."""
        observations, infos = self.envs.observe()
        seats = torch.tensor(infos["seat"] if self.shared else np.zeros_like(infos["seat"]))
        if self._sees == OBSERVATION:
            masks = torch.from_numpy(self.envs.action_masks())
            return ObservationInputs(torch.tensor(observations), masks), seats
        seen = self.envs.afterstates(skip=self._skip)
        rows, actions, features, values = map(torch.from_numpy, seen)
        counts = torch.bincount(rows, minlength=self.envs.num_envs)
        places = torch.arange(len(rows))
        inputs = (counts, actions.long(), values.float(), places, features.half())
        return AfterstateInputs(*inputs), seats

    def join(self, seen: Sequence[Any]) -> Inputs:
        """Return in one what was seen in several steps, until the next call."""
        if self._sees == OBSERVATION:
            return ObservationInputs.join(seen)
        return AfterstateInputs.join(seen, self._room)

    def choose(self, logits: Tensor) -> Tensor:
        """Draw actions."""
        return torch.tensor(self.envs.sample_actions(logits=logits.numpy())).long()

    def teacher_actions(self) -> Tensor:
        """Return the teacher's action in each row; meaningless where there is no teacher."""
        if self.teacher is None:
            return torch.zeros(self.envs.num_envs, dtype=torch.int64)
        return torch.from_numpy(self.envs.bot_actions(self.teacher)).long()

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Plays.

        Returns:
            What :func:`mhing.train.gae.gae` calls `earned`, `ends` and `last`.
        """
        _, rewards, over, _, infos = self.envs.step(actions.numpy())
        earned, ends = torch.tensor(rewards), torch.tensor(over)
        if not self.shared:
            last = earned[:, None]
        elif "seat_rewards" in infos:
            last = torch.tensor(infos["seat_rewards"])
        else:
            last = torch.zeros(len(earned), self.seats)
        self._rounds += int(ends.sum())
        if self._winner and "final_info" in infos:
            final = infos["final_info"]
            self._won += int((final[self._winner] == final["seat"])[over].sum())
        self._earned += float(earned[~ends].sum() + last[ends].sum()) / self.seats
        return earned, ends, last

    def numbers(self) -> dict[str, float]:
        """Episodes that have ended since the last call, what one brought a seat, and which share
        of them the learner (of several seats that it plays: one of them) has won."""
        rounds, earned, won = self._rounds, self._earned, self._won
        self._rounds, self._earned, self._won = 0, 0.0, 0
        ended = max(1, rounds)
        return {"rounds": float(rounds), "return": earned / ended, "wins": won / ended}

    def state(self) -> Tensor:
        """All that the next steps depend on: (rows, bytes) the snapshots of all rows."""
        snapshots = map(self.envs.save, range(self.envs.num_envs))
        return torch.from_numpy(np.stack([np.frombuffer(one, np.uint8) for one in snapshots]))

    def restore(self, state: Tensor) -> None:
        """Continue from `state` in as many rows as it has; the others continue with their games.

        Raises:
            ValueError: it is of other games.
        """
        for row, snapshot in enumerate(state[: self.envs.num_envs]):
            self.envs.load(row, snapshot.numpy().tobytes())


def together(parts: Sequence[dict[str, float]]) -> dict[str, float]:
    """The numbers of several rows as if they were one: rounds are added up, the rest are means."""
    rounds = sum(part["rounds"] for part in parts)
    means = {
        name: sum(part[name] * part["rounds"] for part in parts) / max(1.0, rounds)
        for name in parts[0]
    }
    return {**means, "rounds": rounds}
