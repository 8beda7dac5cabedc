"""A decision as a bot sees it: what it would play, and what it expects of each action."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Decision:
    """What a bot makes of a decision; see :meth:`mhing.State.analyse`."""

    seat: int
    """Who is to act."""
    bot: str
    choice: int
    """The action that the bot plays."""
    actions: NDArray[np.int64]
    """(n,) the legal actions, in ascending order."""
    texts: tuple[str, ...]
    """Of these actions."""
    values: NDArray[np.float64]
    """(n,) what the seat will earn from here to the end of the round, in the unit of the option
    `reward`; NaN for actions that the bot does not judge."""

    @property
    def judged(self) -> bool:
        """Whether the bot judges any action."""
        return bool(np.isfinite(self.values).any())

    def text(self, action: int) -> str:
        """The text of a legal action."""
        return self.texts[self._place(action)]

    def value(self, action: int) -> float:
        """What the bot expects of a legal action; NaN if it does not judge it."""
        return float(self.values[self._place(action)])

    def loss(self, action: int) -> float:
        """How much better the bot's choice is than this action; NaN if not judged.

        It is never below 0: what looks better to a search, and is not chosen, is noise.
        """
        lost = self.value(self.choice) - self.value(action)
        return max(lost, 0.0) if np.isfinite(lost) else np.nan

    def ranked(self) -> list[int]:
        """The legal actions: the bot's choice, then the others from the best on.

        Those that the bot does not judge come last.
        """
        order = np.argsort(-self.values, kind="stable")  # NaN comes last
        others = [int(action) for action in self.actions[order] if action != self.choice]
        return [self.choice, *others]

    def _place(self, action: int) -> int:
        """The place of a legal action; ValueError for another one."""
        (places,) = np.nonzero(self.actions == action)
        if len(places) != 1:
            raise ValueError(f"action: {action} is not legal there")
        return int(places[0])
