"""The speed at which rounds of Mhing end: the table `hazards` of envs/mhing/bots/outlook.c.

    python benchmarks/mhing_hazards.py [ROUNDS] [BOT]

Plays rounds with the same bot in every seat, 20,000 of greedy for each number of players. Prints
the rate at which the seats other than one declare, in thousandths a cycle (as many discards as
players), from the second cycle on; then the share of hands completed by a discard, and their points
on average.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import mhing

CYCLES = 12
SEED = 1_000_000
"""Of the first deal; other measurements use lower ones."""


@dataclass
class Round:
    """The course of one round."""

    discards: int
    declared: bool
    by_discard: bool
    points: int


def play(game: mhing.Game, seed: int, bot: str) -> Round:
    """One round, all seats by the same bot."""
    melds = game.action_id("discard J") + 1
    state = game.new_state(seed)
    discards, random = 0, seed
    while not state.is_terminal:
        action, random = state.bot_action(bot, random)
        discards += action < melds
        state.apply(action)
    info = state.info()
    won, paid = bool(info["winner"] >= 0), bool(info["payer"] >= 0)
    return Round(discards, won, paid, int(info["points"]))


def hazards(rounds: list[Round], players: int) -> list[int]:
    """The rate of the others by cycle; where under 1 % of rounds get, as in the cycle before."""
    ends, turns = [0] * CYCLES, [0] * CYCLES
    for played in rounds:
        for turn in range(played.discards + 1):
            turns[min(turn // players, CYCLES - 1)] += 1
        ends[min(played.discards // players, CYCLES - 1)] += played.declared
    rates: list[int] = []
    for end, turn in zip(ends, turns, strict=True):
        known = turn >= players * len(rounds) / 100
        rates.append(round(1000 * (players - 1) * end / turn) if known else rates[-1])
    return rates


def main() -> None:
    """Prints a line for each number of players."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    bot = sys.argv[2] if len(sys.argv) > 2 else "greedy"
    for players in range(2, 7):
        game = mhing.Game("mhing", num_players=players)
        rounds = [play(game, seed, bot) for seed in range(SEED, SEED + count)]
        declared = [played for played in rounds if played.declared]
        by_discard = sum(played.by_discard for played in declared) / len(declared)
        points = sum(played.points for played in declared) / len(declared)
        row = ", ".join(map(str, hazards(rounds, players)[1:]))
        print(f"{{{row}}}, by discard {by_discard:.2f}, points {points:.1f}", flush=True)


if __name__ == "__main__":
    main()
