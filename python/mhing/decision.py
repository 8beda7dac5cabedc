"""A decision as a bot sees it: what it would play, and how it judges each action."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PROBABILITY = "probability"
"""The unit of a policy's judgement."""


def say_score(score: float, unit: str) -> str:
    """A score for people: ``"0.67"`` of values, ``"67%"`` of probabilities."""
    return f"{score:.0%}" if unit == PROBABILITY else f"{score:.2f}"


@dataclass(frozen=True, eq=False)
class Decision:
    """A bot's evaluation of a decision; see :func:`mhing.analyse`."""

    seat: int
    """The seat to act."""
    bot: str
    choice: int
    """The action that the bot plays."""
    actions: NDArray[np.int64]
    """(n,) the legal actions, in ascending order."""
    texts: tuple[str, ...]
    """The texts of these actions."""
    meanings: tuple[str, ...]
    """The same in words: with the meld onto which a card is laid."""
    values: NDArray[np.float64]
    """(n,) what the seat will earn from here to the end of the round; NaN for actions that the bot
    does not judge."""
    probabilities: NDArray[np.float64]
    """(n,) how likely a policy plays each action; NaN for all where it is no policy."""
    unit: str
    """The unit of `scores`: :attr:`mhing.Game.unit` of values, `PROBABILITY` of probabilities."""

    @property
    def judged(self) -> bool:
        """True if the bot has values or probabilities of any actions."""
        return bool(np.isfinite(self.scores).any())

    @property
    def scores(self) -> NDArray[np.float64]:
        """(n,) what actions are compared by: probabilities of a policy, or else values."""
        return self.probabilities if self.unit == PROBABILITY else self.values

    def text(self, action: int) -> str:
        """The text of a legal action."""
        return self.texts[self._place(action)]

    def meaning(self, action: int) -> str:
        """The meaning of a legal action."""
        return self.meanings[self._place(action)]

    def value(self, action: int) -> float:
        """Return the bot's value of a legal action; NaN if it has none."""
        return float(self.values[self._place(action)])

    def score(self, action: int) -> float:
        """The score of a legal action."""
        return float(self.scores[self._place(action)])

    def loss(self, action: int) -> float:
        """Return the score of the bot's choice less that of this action; NaN if it has none.

        It is never below 0: what looks better to a search, and is not chosen, is noise.
        """
        lost = self.score(self.choice) - self.score(action)
        return max(lost, 0.0) if np.isfinite(lost) else np.nan

    def ranked(self) -> list[int]:
        """The legal actions: the bot's choice, then the others from the best on.

        Those that the bot does not judge come last.
        """
        order = np.argsort(-self.scores, kind="stable")  # NaN comes last
        others = [int(action) for action in self.actions[order] if action != self.choice]
        return [self.choice, *others]

    def _place(self, action: int) -> int:
        """The place of a legal action; ValueError for another one."""
        (places,) = np.nonzero(self.actions == action)
        if len(places) != 1:
            raise ValueError(f"action: {action} is not legal there")
        return int(places[0])
