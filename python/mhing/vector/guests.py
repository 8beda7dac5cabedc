"""Policies and programs as opponents in a batch: each is asked once about all rows that wait."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.rows import GUEST, LocalBatch
from mhing.game import Game, State
from mhing.players.asking import ask_each, ask_rows, check_shape
from mhing.players.lineups import Lineups
from mhing.players.player import Command, Player


class BatchGuests:
    """Lets the policies and programs among the players of a batch play inside its calls.

    Args:
        game: the game.
        batch: the rows; its guests are those of the `lineups`, in this order.
        lineups: who plays; policies with a method ``choose_rows`` are asked about all their rows at
            once, others row by row. More may be added.
    """

    def __init__(self, game: Game, batch: LocalBatch, lineups: Lineups) -> None:
        self._game, self._batch, self._lineups = game, batch, lineups
        self._players = lineups.guests
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

    def skip(self, call: Callable[[], object]) -> None:
        """Make a call into the batch; the first legal action is played wherever a policy would be
        asked."""
        call()
        while any(len(self._batch.waiting(GUEST - one)) for one in range(len(self._players))):
            self._batch.answer(self._batch.masks.argmax(1).astype(np.int32))

    def _choose(self) -> bool:
        """Ask each player about the rows that wait for it; whether there were any."""
        some = False
        for number, player in enumerate(self._players):
            rows = self._batch.waiting(GUEST - number)
            if player and len(rows):
                self._answers[rows] = self._asks(player)(player, rows)
                some = True
        return some

    def _asks(self, player: Player) -> Callable[[Player, NDArray[np.int32]], Any]:
        if isinstance(player.plays, Command):
            return self._ask_programs
        return self._ask_rows if hasattr(player.plays, "choose_rows") else self._ask_each

    def _ask_programs(self, player: Player, rows: NDArray[np.int32]) -> list[int]:
        asked = [(row, self._batch.seed(row), self._state(row)) for row in rows.tolist()]
        return self._lineups.programs.ask(player, asked)

    def _ask_rows(self, player: Player, rows: NDArray[np.int32]) -> NDArray[Any]:
        masks = self._batch.masks[rows]
        states = map(self._state, rows.tolist())
        observations = player.view.of_rows(self._batch.observations[rows], states)
        try:
            actions = ask_rows(player.policy, observations, masks)
        except Exception as error:
            where = f"row {rows[0]}" if len(rows) == 1 else f"rows {rows[0]} to {rows[-1]}"
            raised = type(error).__name__
            raise RuntimeError(
                f"opponent {player.name}, asked about {where}, has raised {raised}"
            ) from error
        try:
            check_shape(actions, len(rows))
        except ValueError as error:
            raise ValueError(f"opponent {player.name}: {error}") from None
        if actions.dtype.kind in "iu":
            inside = (actions >= 0) & (actions < masks.shape[1])
            if (inside & (masks[np.arange(len(rows)), actions * inside] == 1)).all():
                return actions
        return np.array([*map(partial(self._checked, player), rows.tolist(), actions)])

    def _ask_each(self, player: Player, rows: NDArray[np.int32]) -> NDArray[Any]:
        numbers = rows.tolist()
        answers = ask_each(player.policy, map(partial(self._question, player), numbers))
        return np.array([*map(partial(self._checked, player), numbers, answers)])

    def _question(self, player: Player, row: int) -> tuple[Any, NDArray[np.int8], int]:
        batch = self._batch
        observation = player.view.of_row(batch.observations[row], partial(self._state, row))
        return observation, batch.masks[row], int(batch.seats[row])

    def _checked(self, player: Player, row: int, answer: Any) -> int:
        where = player.called_at(int(self._batch.seats[row]), row)
        return player.action(answer, self._batch.masks[row], partial(self._state, row), where)

    def _state(self, row: int) -> State:
        return State(self._game, self._batch.state(row))
