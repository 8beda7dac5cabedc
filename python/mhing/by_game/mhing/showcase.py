"""Demonstrations of Mhing: hands won on a discard, the best of all, speed of scoring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import mhing
from mhing.by_game import Showcase
from mhing.by_game.mhing.hand import cards_of, result_text
from mhing.cli.doors import Measured
from mhing.game import Game, State


class Declarations:
    """The declarations at a learner's table, by whomever."""

    def __init__(self) -> None:
        self.declared = self.on_discards = 0
        self.best: Mapping[str, Any] | None = (
            None  # the result of the round with the most valuable hand
        )

    def see(self, state: State, info: Mapping[str, Any]) -> None:
        """Take note of a round that is over."""
        self.declared += info["winner"] >= 0
        self.on_discards += info["payer"] >= 0
        if self.best is None or info["credits"] > self.best["credits"]:
            self.best = state.to_dict()["result"]

    def columns(self) -> dict[str, str]:
        """The share of declarations on a discard."""
        return {"won on a discard": f"{self.on_discards / max(1, self.declared):.0%}"}

    def figures(self) -> dict[str, int]:
        """Return the number of declarations, and of those on a discard."""
        return {"declared": self.declared, "on_discards": self.on_discards}


def closing(declared: Sequence[Declarations]) -> tuple[dict[str, Any], str]:
    """The hand worth most."""
    results = [each.best for each in declared if each.best]
    best = max(results, key=lambda result: int(result["credits"]))
    return {"best": best}, f"The best hand of all: {result_text(best)}"


def works(rounds: int = 100) -> Iterator[Measured]:
    """Scoring hands as greedy play declares them, and the distance of hands as it holds them."""
    game = Game("mhing")
    ends = [game.new_state(seed).play_out("greedy", seed).to_dict() for seed in range(rounds)]
    declared = [cards_of(end["result"]["arrangement"]) for end in ends if end["result"]["parts"]]
    held = ["".join(hand) for end in ends for hand in end["hands"] if len(hand) == 13]

    def score() -> int:
        for hand in declared:
            mhing.score_hand(hand)
        return len(declared)

    def distance() -> int:
        for hand in held:
            mhing.distance(hand)
        return len(held)

    yield "mhing.score_hand, from text", "hands", score
    yield "mhing.distance, from text", "hands", distance


SHOWCASE = Showcase(Declarations, closing, works)
