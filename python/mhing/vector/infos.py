"""The ``infos`` of a vector environment: everything about its rows but observations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mhing.batches import Batch
from mhing.env import Info
from mhing.game import Game
from mhing.vector.fresh import Fresh


class Infos:
    """Puts ``infos`` together from the arrays of a batch, as views or, with `copy`, fresh ones.

    With `tells_seeds` the seeds of the episodes are among them.
    """

    def __init__(self, game: Game, batch: Batch, copy: bool, tells_seeds: bool) -> None:
        self._game, self._batch, self._copy = game, batch, copy
        self.tells_seeds = tells_seeds

        # Where public numbers are: columns and blocks of an array.
        self._parts = {name: (slice(None), place) for name, place in game._info_places}
        self._present = [f"_{name}" for name in self._parts]

        self._illegal = batch.illegal.view(np.bool_)
        self._has_results = batch.has_results.view(np.bool_)
        everywhere = np.ones(len(batch.seats), np.bool_)
        everywhere.flags.writeable = False
        self._columns = {"seat": batch.seats}
        if tells_seeds:
            self._columns["seed"] = batch.seeds.view(np.int64)  # as signed_seed has them
        self._everywhere = everywhere
        self._fresh_results = Fresh(batch.results)
        always: Info = {"action_mask": batch.masks, "_action_mask": everywhere}
        for name, values in self._columns.items():
            always |= {name: values, f"_{name}": everywhere}
        present = dict.fromkeys(self._present, self._has_results)
        self._views = (always, {**always, **self.named(batch.results), **present})
        """Infos without and with results."""

    def of_all(self, masks: NDArray[np.int8], results: bool) -> Info:
        """The infos of all rows, with their `masks`; with `results` also the public numbers where
        an episode has begun or a round has ended.
        """
        infos = self._copies(masks, results) if self._copy else self._views[results].copy()
        if results:
            self.add_earlier(infos, is_final=False)
        return infos

    def _copies(self, masks: NDArray[np.int8], results: bool) -> Info:
        """Infos of fresh arrays; flags of entries that are there together are one array."""
        everywhere = self._everywhere.copy()
        infos: Info = {"action_mask": masks, "_action_mask": everywhere}
        for name, values in self._columns.items():
            infos[name], infos[f"_{name}"] = values.copy(), everywhere
        if results:
            numbers = self._fresh_results.unset()
            self._batch.copy_results(numbers)
            infos |= self.named(numbers)
            infos |= dict.fromkeys(self._present, self._has_results.copy())
        return infos

    def now(self, masks: NDArray[np.int8]) -> Info:
        """The infos of all rows as they are, with the public numbers, whatever a step told."""
        infos = self.of_all(masks, False)
        everywhere = np.ones(len(self._batch.seats), np.bool_)
        numbers = self._batch.info.copy() if self._copy else self._batch.info
        self.add_results(infos, everywhere, self.named(numbers))
        return infos

    def of_chosen(self, masks: NDArray[np.int8], chosen: NDArray[np.bool_]) -> Info:
        """The infos of the chosen rows, which have just been reset or stepped."""
        reported = self._has_results & chosen
        if chosen.all():
            return self.of_all(masks, bool(reported.any()))
        infos = self._of_some(masks, chosen)
        if reported.any():
            self.add_results(infos, reported, self.named(self._batch.results * reported[:, None]))
            self.add_earlier(infos, is_final=False, among=chosen)
        return infos

    def _of_some(self, masks: NDArray[np.int8], chosen: NDArray[np.bool_]) -> Info:
        rows = chosen.nonzero()[0]
        infos: Info = {}
        for name, values in {"action_mask": masks, **self._columns}.items():
            infos[name] = np.zeros(values.shape, values.dtype)
            infos[name][rows] = values[rows]
            infos[f"_{name}"] = chosen.copy()
        return infos

    def named(self, numbers: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """The public numbers of all rows by name, as views."""
        return {name: numbers[part] for name, part in self._parts.items()}

    def add_results(
        self, infos: Info, rows: NDArray[np.bool_], results: dict[str, NDArray[np.int64]]
    ) -> None:
        """Add the public numbers of these rows, which are no copies."""
        infos.update(results)
        infos.update(dict.fromkeys(self._present, rows))

    def add_earlier(
        self, infos: Info, is_final: bool, among: NDArray[np.bool_] | None = None
    ) -> None:
        """Add the rounds before the last one where several have ended, by row a list; `is_final`:
        those of episodes that others have followed.
        """
        rounds = self._batch.earlier()
        if not rounds:
            return
        earlier = np.empty(len(self._batch.seats), np.object_)
        present = np.zeros(len(earlier), np.bool_)
        for row, final, numbers in rounds:
            if final == is_final and (among is None or among[row]):
                earlier[row] = [*(earlier[row] or ()), self._game.name_numbers(numbers)]
                present[row] = True
        if present.any():
            infos["earlier_rounds"], infos["_earlier_rounds"] = earlier, present

    def add_illegal(self, infos: Info, among: NDArray[np.bool_] | None = None) -> None:
        """Add which rows had an illegal action; `among`: of these rows only."""
        illegal = self._illegal.copy() if among is None else self._illegal & among
        if illegal.any():
            infos["illegal_action"], infos["_illegal_action"] = illegal, illegal.copy()
