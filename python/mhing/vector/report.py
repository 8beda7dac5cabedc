"""The return values of a vector environment: its observations, rewards, flags and ``infos``."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing._lib.rows import LAST_INFO, LAST_OBSERVED
from mhing._support.environments import Forfeits
from mhing.batches import Batch
from mhing.env import Info, Observation
from mhing.game import Game
from mhing.vector.ends import Ends
from mhing.vector.fresh import Fresh
from mhing.vector.infos import Infos

Shown: TypeAlias = tuple[NDArray[np.uint8], NDArray[np.int8]]
"""Observations and masks of all rows."""

Step: TypeAlias = tuple[
    Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Info
]


class StepReport:
    """Returns what resets and steps report, from the arrays of a batch.

    Args:
        game: the rows are of this game.
        batch: the source of all arrays.
        copy: arrays are fresh copies, not views of the batch's.
        as_dict: observations are dicts with a mask.
        shared: the caller plays several seats of a row.
        followed: where an episode ends, another one begins in the same step.
        forfeits: illegal actions end episodes, and many in a row give a warning.
        tells_seeds: the seeds of the episodes are among the infos.
    """

    def __init__(
        self,
        game: Game,
        batch: Batch,
        *,
        copy: bool,
        as_dict: bool,
        shared: bool,
        followed: bool,
        forfeits: bool,
        tells_seeds: bool,
    ) -> None:
        self._batch, self._copy, self._dict, self._followed = batch, copy, as_dict, followed
        self._fresh_observations, self._fresh_masks = Fresh(batch.observations), Fresh(batch.masks)
        self._fresh_twins = Fresh(batch.masks)  # observations and infos share no memory
        self._infos = Infos(game, batch, copy, tells_seeds)
        self._ends = None
        if shared or followed:
            self._ends = Ends(
                self._infos, batch, copy=copy, as_dict=as_dict, shared=shared, followed=followed
            )
        self._forfeits = Forfeits() if forfeits else None
        self._final_count = batch.final_count.data
        self._has_results, self._illegal = batch.has_results_bytes, batch.illegal_bytes
        self.terminated = batch.terminated.view(np.bool_)
        """The rows that are over, the batch's own array."""
        self._nowhere = np.zeros(len(self.terminated), np.bool_)
        self._nowhere.flags.writeable = False

    def of_reset(self, chosen: NDArray[np.bool_]) -> tuple[Observation, Info]:
        """Return what a reset of the chosen rows does."""
        observations, masks = self.shown()
        return self._observation(observations, masks), self._infos.of_chosen(masks, chosen)

    def of_now(self) -> tuple[Observation, Info]:
        """Return observations and ``infos`` of all rows as they are."""
        observations, masks = self.shown()
        return self._observation(observations, masks), self._infos.now(masks)

    def of_step(self, shown: Shown | None = None, chosen: NDArray[np.bool_] | None = None) -> Step:
        """Return what a step of the chosen rows does (None: of all), which has written `shown`."""
        observations, masks = shown or self.shown()
        if chosen is None:
            infos = self._infos.of_all(masks, 1 in self._has_results)
            terminated = self.terminated.copy() if self._copy else self.terminated
        else:
            infos, terminated = self._infos.of_chosen(masks, chosen), self.terminated & chosen
        illegal = self._illegal.count(1) if 1 in self._illegal else 0
        if count := self._final_count[0]:
            if self._ends is not None:
                self._ends.add(infos, count, terminated.copy() if self._copy else terminated)
            if self._forfeits is not None:
                self._forfeits.see(count, illegal)
        if illegal:
            self._infos.add_illegal(infos, ~terminated if self._followed else None)
        rewards, truncated = self._batch.rewards, self._nowhere
        if self._copy:
            rewards, truncated = rewards.copy(), truncated.copy()
        observation = self._observation(observations, masks) if self._dict else observations
        return observation, rewards, terminated, truncated, infos

    def unset(self) -> Shown:
        """Return memory for what a step shows, which only the caller has."""
        return self._fresh_observations.unset(), self._fresh_masks.unset()

    def shown(self) -> Shown:
        """Return observations and masks as they are; with `copy`, the batch's own may be older."""
        if not self._copy:
            return self._batch.observations, self._batch.masks
        shown = self.unset()
        self._batch.observe(*shown)
        return shown

    def _observation(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> Observation:
        if not self._dict:
            return observations
        twin = self._fresh_twins.copy(masks) if self._copy else masks
        return {"observation": observations, "action_mask": twin}


def unreported(shared: bool, followed: bool) -> list[str]:
    """The batch's arrays that are never reported; leaving them out saves time."""
    names: list[str] = []
    if not followed:
        names += LAST_INFO
        if not shared:
            names += LAST_OBSERVED
    return names
