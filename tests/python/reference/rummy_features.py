"""The features of Mexican Rummy, written down slowly from the meanings of its features.

All of it follows from an observation, the hand that stays, the card discarded and who gets cards.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.rummy_expert import Hand, Outlook, changed, lacking, melds
from reference.rummy_plan import PLACES

MOMENTS = ["has discarded", "draws", "waits", "has asked"]
NEARLY = 2
"""Useful cards are looked for where a hand lacks no more."""


def one_hot(number: int, count: int) -> list[float]:
    return [float(min(number, count - 1) == i) for i in range(count)]


def of_types(counts: NDArray[np.int64], types: set[int]) -> int:
    return int(sum(counts[card] for card in types))


def of_rank(card: int) -> set[int]:
    return {suit * 13 + card % 13 for suit in range(4)}


def near(card: int, ranks: int) -> set[int]:
    """Cards of its suit so many ranks up or down; an ace lies at both ends."""
    places = {place for place in range(PLACES) if place % 13 == card % 13}
    found = {
        card // 13 * 13 + other % 13
        for other in range(PLACES)
        for place in places
        if abs(other - place) <= ranks
    }
    return found - {card}


class Seat:
    """A seat, and what it knows however it plays."""

    def __init__(self, seen: dict[str, Any], reward: str, turned_up: bool) -> None:
        self.seen = seen
        self.outlook = Outlook(seen, reward == "win", turned_up)
        self.unseen = np.array(seen["unseen"], dtype=int)
        self.players = len(seen["hand_size"])

    def lacking(self, hand: Hand) -> int:
        sets, runs = self.outlook.sets, self.outlook.runs
        if runs:
            return lacking(hand, runs, sets)
        ranks = np.array(hand).reshape(4, 13).sum(axis=0)
        ways = combinations_with_replacement(range(13), sets)
        return min(
            int(np.maximum(3 * np.bincount(way, minlength=13) - ranks, 0).sum()) for way in ways
        )

    def share(self, types: set[int]) -> float:
        return of_types(self.unseen, types) / max(1, self.unseen.sum())

    def points(self, counts: NDArray[np.int64]) -> int:
        return int(sum(n * self.outlook.points(card) for card, n in enumerate(counts)))

    def features(
        self, hand: Hand, moment: str, gone: int | None = None, granted: int = 0
    ) -> dict[str, list[float]]:
        """All features by name; `granted` is the seat that gets two cards, clockwise."""
        seen, counts = self.seen, np.array(hand)
        down = bool(seen["meld_kind"][0].any())
        on_turn = int(seen["on_turn"]) - 1  # clockwise
        until = self.players - 1 if moment == "has discarded" else -on_turn % self.players
        fitting = counts * [card in self.outlook.fitting for card in range(52)]
        features = {
            "objective": one_hot(int(seen["objective"]) - 1, 6),
            "players": one_hot(self.players - 2, 5),
            "moment": one_hot(MOMENTS.index(moment), 4),
            "until_turn": [until / 6],
            "is_down": [float(down)],
            "cards": [counts.sum() / 10],
            "points": [self.points(counts) / 100],
            "fits": [fitting.sum() / 5, self.points(fitting) / 50],
            "left": one_hot(counts.sum() - 1, 6) if down else [0.0] * 6,
            "asked": [float(moment == "has asked" and seen["meld_kind"][on_turn].any())],
        }
        return features | self.objective(hand, down) | self.table() | self.others(granted) | (
            self.discard(gone)
        )  # fmt: skip

    def objective(self, hand: Hand, down: bool) -> dict[str, list[float]]:
        """Numbers of a hand that has not been laid."""
        sizes = {"lacking": 8, "useful": 1, "chances": 3, "likely_sets": 5, "likely_runs": 4}
        sizes |= {"ranks": 3, "idle": 1, "wilds": 1}
        if down:
            return {name: [0.0] * size for name, size in sizes.items()}
        outlook, lack = self.outlook, self.lacking(hand)
        judged = outlook.judge(hand)
        useful = {
            card
            for card in range(52)
            if lack <= NEARLY and self.unseen[card] and self.lacking(changed(hand, card)) < lack
        }
        suits = [outlook.suit(hand, suit)[0] for suit in range(4)]
        runs = [p for n in (0, 1) for p in sorted(at_most[n] for at_most in suits)[:1:-1]]
        held = np.array(hand).reshape(4, 13).sum(axis=0)
        pairs = {suit * 13 + rank for rank in range(13) if held[rank] == 2 for suit in range(4)}
        return {
            "lacking": one_hot(lack, 8),
            "useful": [self.share(useful)],
            "chances": [judged.runs, judged.sets, judged.met],
            "likely_sets": sorted(judged.ones, reverse=True)[:5],
            "likely_runs": runs if outlook.runs else [0.0] * 4,
            "ranks": [(held >= 3).sum() / 4, (held == 2).sum() / 5, self.share(pairs)],
            "idle": [judged.idle / 50],
            "wilds": [sum(hand[card] for card in outlook.wild) / 4],
        }

    def table(self) -> dict[str, list[float]]:
        seen, all_melds = self.seen, melds(self.seen)
        pile, shuffles = int(seen["draw_pile_left"]), int(seen["shuffles"].view("<u2")[0])
        sets = sum(meld.is_set for meld in all_melds)
        return {
            "turns": [self.outlook.turns / 10, self.outlook.drawn / self.players / 10],
            "pile": [pile / 84, float(shuffles > 0)],
            "table": [self.share(self.outlook.fitting), sets / 6, (len(all_melds) - sets) / 6],
        }

    def others(self, granted: int) -> dict[str, list[float]]:
        seen = self.seen
        none = [0.0] * (6 - self.players)
        seats = range(1, self.players)
        cards = [int(seen["hand_size"][seat]) + 2 * (seat == granted) for seat in seats]
        down = [bool(seen["meld_kind"][seat].any()) for seat in seats]
        few = [n for n, is_down in zip(cards, down, strict=True) if is_down]
        return {
            "others_down": [sum(down) / len(seats)],
            "nearest": one_hot(min(few) - 1, 6) if few else [0.0] * 6,
            "other_down": [float(is_down) for is_down in down] + none,
            "other_cards": [n / 10 for n in cards] + none,
            "other_few": [is_down / n for n, is_down in zip(cards, down, strict=True)] + none,
            "other_known": [int(seen["known"][seat].sum()) / 5 for seat in seats] + none,
        }

    def discard(self, gone: int | None) -> dict[str, list[float]]:
        """The card discarded, and what it may bring the next seat."""
        if gone is None:
            return {"gone": [0.0] * 4, "gone_unseen": [0.0] * 2, "gone_next": [0.0] * 4}
        seen, points = self.seen, self.outlook.points(gone)
        known = np.array(seen["known"][1], dtype=int)
        gave = [
            int(card) - 1
            for card, by in zip(seen["discards"], seen["discarded_by"], strict=True)
            if by == 2
        ]
        alike = of_rank(gone) | near(gone, 1)
        return {
            "gone": [
                1.0,
                points / 20,
                float(gone in self.outlook.fitting),
                float(gone in self.outlook.wild),
            ],
            "gone_unseen": [
                of_types(self.unseen, of_rank(gone)) / 8,
                of_types(self.unseen, near(gone, 2)) / 8,
            ],
            "gone_next": [
                float(not seen["meld_kind"][1].any()),
                float(of_types(known, of_rank(gone)) > 0),
                float(of_types(known, near(gone, 3)) > 0),
                sum(card in alike for card in gave) / max(1, len(gave)),
            ],
        }
