"""A game with the referee beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import numpy as np
from every_game import GENERATORS
from policies import Policy
from reference.referee import Referee

import mhing


class Match:
    """Plays a state and has every decision of it judged."""

    referee_of: Callable[[dict[str, Any]], Any] = Referee

    def __init__(self, state: mhing.State) -> None:
        self.state = state
        self.referee = type(self).referee_of(state.to_dict())

    @property
    def table(self) -> dict[str, Any]:
        """The engine's table, which agrees with the referee's."""
        return self.referee.table

    def legal(self) -> list[str]:
        """The texts of the legal actions, after comparing them with the referee's."""
        text = self.state.game.action_text
        legal = [text(action) for action in self.state.legal_actions().tolist()]
        by_the_rules = self.referee.legal_actions()
        assert set(legal) == by_the_rules, (set(legal) ^ by_the_rules, str(self.state))
        return legal

    def play(self, *actions: str) -> None:
        """Plays these actions one after the other."""
        for action in actions:
            assert action in self.legal(), (action, self.legal(), str(self.state))
            before, returns = str(self.state), list(self.table["returns"])
            self.state.apply(self.state.game.action_id(action))
            after = self.state.to_dict()
            self.judge(action, after)
            self.count(returns, after)
            differences = self.referee.differences(after)
            assert not differences, (differences, action, before, str(self.state))

    def judge(self, action: str, after: dict[str, Any]) -> None:
        """Has the referee play the action; `after`: the engine's table, for what chance decides."""
        self.referee.apply(action)

    def count(self, returns: list[float], after: dict[str, Any]) -> None:
        """Keeps what no referee knows, since it is the same in all games; generators are chance."""
        table = self.table
        table["decisions"] += 1
        earned = zip(table["returns"], returns, strict=True)
        table["rewards"] = [float(np.float32(now - then)) for now, then in earned]
        table |= {name: after[name] for name in GENERATORS if name in after}

    def play_unclaimed(self, *actions: str) -> None:
        """Plays these actions, and after each everybody who may claim something (more) passes."""
        for action in actions:
            self.play(action)
            while self.table["phase"] == "claim":
                self.play("pass")

    def play_by(self, policy: Policy, rng: Random, decisions: int = 1_000_000) -> None:
        """Plays on by a policy, to the end of the episode or for so many decisions."""
        for _ in range(decisions):
            if self.state.is_terminal:
                assert self.legal() == []
                return
            self.play(policy(self.state, self.legal(), rng))


def restore_damaged_snapshots(
    games: Iterable[mhing.Game], decisions: int, match_of: type[Match], policy: Policy
) -> None:
    """Flips bits in snapshots of games that are played by a policy for up to so many decisions.

    What is not refused must be a table that the referee finds nothing wrong with, and that can be
    played on.
    """
    rng = Random(71)
    taken = 0
    for seed, game in enumerate(games):
        state = game.new_state(seed)
        for _ in range(rng.randint(1, decisions)):
            if not state.is_terminal:
                legal = [game.action_text(action) for action in state.legal_actions().tolist()]
                state.apply(game.action_id(policy(state, legal, rng)))
        for _ in range(2_000):
            damaged = bytearray(state.to_bytes())
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            try:
                match = match_of(game.from_bytes(bytes(damaged)))
            except ValueError:
                continue
            taken += 1
            assert match.referee.faults() == []
            match.play_by(policy, rng, decisions=5)
    assert taken
