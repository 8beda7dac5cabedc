"""The report of a vector environment on the episodes that ended in a step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mhing.batches import Batch
from mhing.env import Info, Observation
from mhing.vector.infos import Infos


class Ends:
    """Adds to ``infos`` what rows saw and earned last, from the arrays of a batch.

    Args:
        infos: builds the other entries.
        batch: the source of all arrays.
        copy: arrays are fresh copies, not views of the batch's.
        as_dict: observations are dicts with a mask.
        shared: the caller plays several seats of a row, so all of them see its end.
        followed: another episode has already begun (autoreset in the same step), so the infos of
            the step that ended the episode are added as well.
    """

    def __init__(
        self, infos: Infos, batch: Batch, *, copy: bool, as_dict: bool, shared: bool, followed: bool
    ) -> None:
        self._infos, self._batch = infos, batch
        self._copy, self._dict, self._shared, self._followed = copy, as_dict, shared, followed
        self._round_ended = batch.final_round_ended.view(np.bool_)
        self._results = infos.named(batch.final_info)
        seen = batch.final_observations
        self._seen = seen if shared else seen[:, 0]
        self._views = list(self._seen)
        self._final_rows = batch.final_rows.data

        # `final_obs` where it is not fresh, and its rows that are not None.
        self._last = np.empty(len(batch.seats), np.object_)
        self._rows: list[int] = []

    def add(self, infos: Info, count: int, present: NDArray[np.bool_]) -> None:
        """Add the last observations of the `count` episodes that have ended, in the rows where
        `present` is set, their last infos where others have followed, and the last rewards of all
        seats where they are the caller's.
        """
        infos["final_obs"], infos["_final_obs"] = self._observations(count), present
        if self._shared:
            rewards = self._batch.final_rewards
            infos["seat_rewards"] = rewards.copy() if self._copy else rewards
            infos["_seat_rewards"] = present
        if self._followed:
            infos["final_info"], infos["_final_info"] = self._final(present, count), present

    def _observations(self, count: int) -> NDArray[np.object_]:
        rows = self._final_rows[:count].tolist()
        if self._copy:
            last = np.empty(len(self._last), np.object_)
        else:
            last = self._last
            for row in self._rows:
                last[row] = None
            self._rows = rows
        finals = list(self._seen[:count].copy()) if self._copy else self._views
        for row, final in zip(rows, finals, strict=False):
            last[row] = self._with_mask(final) if self._dict else final
        return last

    def _with_mask(self, final: NDArray[np.uint8]) -> Observation:
        masks = np.ones((*final.shape[:-1], self._batch.masks.shape[1]), np.int8)
        return {"observation": final, "action_mask": masks}

    def _final(self, present: NDArray[np.bool_], count: int) -> Info:
        """The last infos of the `count` episodes that have ended and been followed by others."""
        batch = self._batch
        columns = {"seat": batch.final_seats}
        if self._infos.tells_seeds:
            columns["seed"] = batch.final_seeds.view(np.int64)
        ended, results = self._round_ended, self._results
        if self._copy:
            columns = {name: values.copy() for name, values in columns.items()}
            ended = ended.copy()
        # All 1 in these rows, all 0 in the others: one number a row, seen as often as needed.
        masks: NDArray[np.int8] = np.ndarray(batch.masks.shape, np.int8, present, strides=(1, 0))
        final: Info = {"action_mask": masks, "_action_mask": present}
        for name, values in columns.items():
            final |= {name: values, f"_{name}": present}
        rounds = np.count_nonzero(ended)
        if rounds < count:  # illegal actions ended the others, whose numbers were given before
            results = self._infos.named(batch.final_info * ended[:, None])
        elif self._copy:
            results = self._infos.named(batch.final_info.copy())
        if rounds:
            self._infos.add_results(final, ended, results)
            self._infos.add_earlier(final, is_final=True)
        if 1 in batch.illegal_bytes:
            self._infos.add_illegal(final, present)
        return final
