"""Policies as opponents in a batch: each is asked once about all rows that wait for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.rows import GUEST, LocalBatch
from mhing.players.player import Player, Policy, ask, legal


class Guests:
    """Lets the policies among the players of a batch play inside its calls.

    Args:
        batch: the rows; its guests are the `players`, in this order.
        players: policies; those with a method ``choose_rows`` are asked about all their rows at
            once, others row by row.
    """

    def __init__(self, batch: LocalBatch, players: Sequence[Player]) -> None:
        self._batch = batch
        self._policies: list[Any] = [player.policy for player in players]
        self._answers = np.zeros(len(batch.seats), np.int32)

    def complete(self, call: Callable[[], object]) -> None:
        """Make a call into the batch, and let the policies play until all rows wait for the
        caller or are over. Whatever goes wrong, all rows are then as they were before the call.

        Raises:
            RuntimeError: a policy has raised an exception.
            ValueError: an action is not legal, or there is not one for each row.
            TypeError: an action is not a whole number.
        """
        try:
            call()
            while self._choose():
                self._batch.answer(self._answers)
        except BaseException:
            self._batch.undo()
            raise

    def _choose(self) -> bool:
        """Ask each policy about the rows that wait for it; whether there were any."""
        some = False
        for number, policy in enumerate(self._policies):
            rows = self._batch.waiting(GUEST - number)
            if len(rows):
                self._answers[rows] = self._ask(policy, rows)
                some = True
        return some

    def _ask(self, policy: Policy, rows: NDArray[np.int32]) -> NDArray[Any]:
        if not hasattr(policy, "choose_rows"):
            return np.array([self._ask_one(policy, row) for row in rows.tolist()])
        masks = self._batch.masks[rows]
        try:
            actions = np.asarray(policy.choose_rows(self._batch.observations[rows], masks.copy()))
        except Exception as error:
            where = f"row {rows[0]}" if len(rows) == 1 else f"rows {rows[0]} to {rows[-1]}"
            raise RuntimeError(f"opponent, asked about {where}: {_words(error)}") from error
        if actions.shape != rows.shape:
            raise ValueError(
                f"opponent: choose_rows returned an array {actions.shape}; "
                f"expected {rows.shape}, an action for each row"
            )
        if actions.dtype.kind in "iu":
            inside = (actions >= 0) & (actions < masks.shape[1])
            if (inside & (masks[np.arange(len(rows)), actions * inside] == 1)).all():
                return actions
        for row, action, mask in zip(rows.tolist(), actions, masks, strict=True):
            legal(action, mask, self._name(row))
        return actions

    def _ask_one(self, policy: Policy, row: int) -> int:
        batch = self._batch
        mask = batch.masks[row]
        try:
            answer = ask(policy, batch.observations[row], mask, int(batch.seats[row]))
        except Exception as error:
            raise RuntimeError(f"{self._name(row)}: {_words(error)}") from error
        return legal(answer, mask, self._name(row))

    def _name(self, row: int) -> str:
        return f"opponent at seat {self._batch.seats[row]} in row {row}"


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
