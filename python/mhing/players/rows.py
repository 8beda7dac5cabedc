"""Policies that answer for many rows at once, from what libraries have learned."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing.players.asking import ask_rows
from mhing.players.views import Sees

OBSERVATIONS: tuple[Sees, ...] = (None, "raw", "hints")
"""The views of what takes an observation and does not say of which size: the first that fits."""


class RowPolicy(ABC):
    """A :data:`mhing.players.Policy` made of its method `choose_rows`."""

    sees: Sees | tuple[Sees, ...] = None

    @abstractmethod
    def choose_rows(self, observations: Any, masks: NDArray[np.int8]) -> NDArray[Any]:
        """Choose an action for each row."""

    def __call__(self, observation: Any, mask: NDArray[np.int8], info: dict[str, Any]) -> Any:
        """Choose an action for one seat; `info` is not used."""
        (action,) = ask_rows(self, as_rows(observation), mask[None])
        return action


class LogitPolicy(RowPolicy):
    """A network that plays the legal action with its highest logit, the first one of equals.

    It judges decisions by the probabilities that its logits stand for.
    """

    deterministic = True
    """False: it draws an action by these probabilities."""

    @abstractmethod
    def logits(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[Any]:
        """Return a number for each action, (rows, num_actions); those of illegal ones are free."""

    def choose_rows(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Choose an action for each row; ValueError where what the network puts out is none."""
        logits = _checked(self.logits(observations, masks), masks)
        if not self.deterministic:
            logits = logits + np.random.default_rng().gumbel(size=logits.shape)
        actions: NDArray[np.int64] = np.where(masks, logits, -np.inf).argmax(1)
        return actions

    def probabilities(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the probability of each action, (rows, num_actions); raise as for choices."""
        return softmax(_checked(self.logits(observations, masks), masks), masks)


class OnlyRows(RowPolicy):
    """An object that is asked by `choose_rows`; it may have `probabilities`."""

    probabilities: Callable[[Any, NDArray[np.int8]], Any]

    def __init__(self, player: Any) -> None:
        self._player = player
        self.sees = getattr(player, "sees", None)
        if callable(likely := getattr(player, "probabilities", None)):
            self.probabilities = likely

    def choose_rows(self, observations: Any, masks: NDArray[np.int8]) -> Any:
        """Return what the object answers."""
        return self._player.choose_rows(observations, masks)


def as_rows(observation: Any) -> Any:
    """Return one view of a position as those of many rows are."""
    if isinstance(observation, dict):
        return {name: part[None] for name, part in observation.items()}
    return observation[None] if isinstance(observation, np.ndarray) else [observation]


def softmax(logits: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[np.float64]:
    """Probabilities of actions from their logits, (rows, num_actions); 0 for illegal ones."""
    scores = np.where(masks, np.asarray(logits, np.float64), -np.inf)
    likely = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(likely / likely.sum(1, keepdims=True))


def _checked(logits: NDArray[Any], masks: NDArray[np.int8]) -> NDArray[Any]:
    """Return logits; raise ValueError where there is not a number for each legal action."""
    if logits.shape != masks.shape or logits.dtype.kind not in "iuf":
        raise ValueError(
            f"it puts out {logits.dtype} {logits.shape}; expected numbers {masks.shape}, one for "
            "each action"
        )
    missing = np.isnan(logits) & (masks != 0)
    if missing.any():
        row, action = np.argwhere(missing)[0]
        raise ValueError(
            f"it puts out NaN for {missing[row].sum()} of {int(masks[row].sum())} legal actions, "
            f"such as {action}, so that none is its choice; are there NaN in its weights?"
        )
    return logits
