"""The features of Mhing, slowly: what is left after a move, by what mhing.def says they mean.

They are made of a state's JSON, of the hand before its next draw, and of what its seat knows. Two
of the expert's numbers need its rates, which are written down here as in envs/mhing/bots/outlook.c.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from reference.cards import JOKER, PLAYABLE, suit
from reference.distance import distance, pairs_shared, unconnected_shared
from reference.mhing_plans import (
    PLANS,
    TYPE_SETS,
    Melds,
    _targets,
    _triplets,
    missing,
    missing_melds,
    with_melds,
)
from reference.scoring import best_score, is_complete, points

Features = dict[str, list[float]]
FAR = 6
DRAGONS = range(31, 34)
HONOURS = range(27, 34)


@dataclass(frozen=True)
class Left:
    """A hand before its next draw, and what its seat knows."""

    table: dict[str, Any]
    seat: int
    hand: Counter[int]
    laid: Melds
    unseen: Counter[int]
    """Cards of each type that it has not seen."""
    discard: int | None
    """The card given away for it."""

    @property
    def players(self) -> int:
        return len(self.table["hands"])

    @property
    def seven_pairs(self) -> bool:
        return bool(self.table["options"]["seven_pairs"])


def features(left: Left) -> Features:
    """All of them; a share of useful cards that mhing.def does not settle (`SETTLED`) is 0."""
    found = plans(left)
    jokers, laid = left.hand[JOKER], left.laid
    twice = [card for card in PLAYABLE if left.hand[card] >= 2]
    thrice = [card for card in twice if left.hand[card] >= 3]
    sequences = [meld for meld in laid if meld[0] != meld[1]]
    triplets = [meld for meld in laid if meld[0] == meld[1]]
    others = [len(melds) for seat, melds in enumerate(left.table["melds"]) if seat != left.seat]
    way = (left.seat - left.table["on_turn"]) % left.players
    return {
        "distances": [flag for flags, _ in found for flag in flags],
        "useful": [found[0][1]],
        "useful_for": [share for _, share in found[1:]],
        "expert": expert(left),
        "jokers": flag(min(jokers, 3), 4),
        "sets": [
            sum(card < 27 for card in twice) / 4,
            sum(card < 27 for card in thrice) / 4,
            sum(card >= 27 for card in twice) / 4,
            sum(card >= 27 for card in thrice) / 4,
            sum(card in DRAGONS for card in twice) / 4,
        ],
        "melds": flag(len(laid), 5),
        "laid": [
            len(sequences) / 4,
            sum(meld[0] < 27 for meld in triplets) / 4,
            sum(meld[0] >= 27 for meld in triplets) / 4,
        ],
        "flowers": [left.table["flowers"][left.seat] / 4],
        "given": given(left),
        "turns": [1.0 if left.discard is not None else way / left.players],
        "clock": [
            ends(left, 0),
            ends(left, 2),
            ends(left, 4),
            len(left.table["source"]) / 124,
            len(left.table["discards"]) / left.players / 20,
        ],
        "others": [*flag(max(others), 5), sum(others) / 8],
        "players": flag(left.players - 2, 5),
        "rules": [float(left.seven_pairs)],
    }


def flag(place: int, count: int) -> list[float]:
    return [float(i == place) for i in range(count)]


def given(left: Left) -> list[float]:
    """The card discarded."""
    card = left.discard
    if card is None:
        return [0.0] * 8
    if card == JOKER:
        return [*[0.0] * 5, 1.0, 0.0, 0.0]
    near = [
        other for other in range(27)
        if other != card and suit(other) == suit(card) and abs(other - card) <= 2
    ]  # fmt: skip
    latest: dict[int, str] = {made["by"]: made["card"] for made in left.table["discards"]}
    same = [seat for seat, text in latest.items() if seat != left.seat and text == name_of(card)]
    return [
        *flag(left.unseen[card], 4),
        float(card >= 27),
        0.0,
        sum(left.unseen[other] for other in near) / 16 if card < 27 else 0.0,
        float(bool(same)),
    ]


def name_of(card: int) -> str:
    return f"{card % 9 + 1}{'spm'[card // 9]}" if card < 27 else "ESWNRGPJ"[card - 27]


# ---- Plans --------------------------------------------------------------------------------------

SETTLED = {name for name in PLANS if name != "all five"}


def plans(left: Left) -> list[tuple[list[float], float]]:
    """Flags for the distance and the share of cards that bring nearer, by plan."""
    natural = Counter({card: n for card, n in left.hand.items() if card != JOKER and n})
    jokers, unseen = left.hand[JOKER], sum(left.unseen.values())
    nearest = missing(natural, left.laid, left.seven_pairs)
    rows = []
    for name in PLANS:
        away = max(0, nearest[name] - jokers)
        useful = 0
        if (away < FAR or name == "any") and name in SETTLED:
            useful = max(
                left.unseen[JOKER]
                + sum(
                    left.unseen[card]
                    for card in PLAYABLE
                    if left.unseen[card] and way(natural + Counter([card])) < nearest[name]
                )
                for way in ways(name, left)
                if way(natural) == nearest[name]
            )
        rows.append((flag(away, 8), useful / max(1, unseen)))
    return rows


Way = Callable[[Counter[int]], int]


def any_missing(counts: Counter[int], left: Left) -> int:
    """Natural cards that a hand lacks of its nearest shape."""
    shapes = [missing_melds(counts, 4 - len(left.laid))]
    if not left.laid:
        shapes.append(14 - unconnected_shared(counts))
        if left.seven_pairs:
            shapes.append(14 - pairs_shared(counts))
    return min(shapes)


def ways(plan: str, left: Left) -> Iterator[Way]:
    """Each way to a plan: how many natural cards a hand lacks on it."""
    laid, melds = left.laid, 4 - len(left.laid)
    if plan == "any":
        yield lambda counts: any_missing(counts, left)
    if plan == "triplets":
        yield lambda counts: min(_triplets(counts, melds))
    if plan == "nothing connects":
        yield lambda counts: 14 - unconnected_shared(counts)
    if plan == "seven pairs":
        yield lambda counts: 14 - pairs_shared(counts)
    for name, types in TYPE_SETS:
        if name == plan and all(card in types for meld in laid for card in meld):
            yield lambda counts, types=types: missing_melds(
                Counter({card: n for card, n in counts.items() if card in types}), melds
            )
    for name, wanted, enough in _targets():
        if name == plan:
            yield lambda counts, wanted=wanted, enough=enough: with_melds(
                counts, laid, wanted, enough
            )


# ---- The expert ---------------------------------------------------------------------------------

GIVEN, GIVEN_MELD, GIVEN_JOKER = 0.8, 0.6, 0.1
HAZARDS = [
    [0, 2, 7, 20, 35, 58, 71, 89, 103, 115, 128, 151],
    [1, 9, 31, 69, 114, 164, 208, 248, 287, 326, 342, 377],
    [3, 22, 70, 147, 240, 332, 404, 491, 531, 545, 622, 622],
    [6, 41, 130, 261, 395, 548, 634, 744, 827, 827, 827, 827],
    [11, 76, 214, 413, 603, 795, 998, 998, 998, 998, 998, 998],
]
"""Thousandths of a cycle's declarations by the other seats, by players and cycle."""


def ends(left: Left, stage: int) -> float:
    """The rate at which others declare once so many useful cards have come."""
    row = HAZARDS[left.players - 2]
    cycle = len(left.table["discards"]) / left.players + 1 + 1.25 * stage
    before = min(int(cycle), len(row) - 1)
    after = min(before + 1, len(row) - 1)
    rate = row[before] + (row[after] - row[before]) * (cycle - before if after > before else 0)
    return max(0.01, 0.9 * rate / 1000)


def worth(left: Left, credits: int) -> float:
    """The pay for a hand of so many credits, no matter whose discard completes it."""
    unit, won = left.table["options"]["reward"], points(credits)
    if unit == "credits":
        return credits
    if unit == "points":
        return won
    if unit == "win":
        return 1
    chips, others = left.table["chips"], [s for s in range(left.players) if s != left.seat]
    drawn = sum(min(won, chips[seat]) for seat in others)
    claimed = [drawn - min(won, chips[payer]) + min(2 * won, chips[payer]) for payer in others]
    by_discard = len(others) * GIVEN / (1 + len(others) * GIVEN)
    return (1 - by_discard) * drawn + by_discard * sum(claimed) / len(others)


def lost(left: Left) -> float:
    """The seat's earnings when somebody else declares: it pays for a hand of 16 points."""
    if left.table["options"]["reward"] != "chips":
        return 0
    others = left.players - 1
    by_discard = others * GIVEN / (1 + others * GIVEN)
    return -min(16 * (1 + by_discard / others), left.table["chips"][left.seat])


def race(cards: Iterable[tuple[float, float]], end: float, nothing: float) -> float:
    """The best set of cards to take, of rates and worths (expert.h)."""
    value, rates = end * nothing, end
    best = value / rates
    for rate, pays in sorted(cards, key=lambda card: -card[1]):
        value, rates = value + rate * pays, rates + rate
        best = max(best, value / rates)
    return best


def expert(left: Left) -> list[float]:
    """The expert's values one card from complete; the test bounds those two cards away."""
    if distance(left.hand.elements(), len(left.laid), left.seven_pairs) != 1:
        return [0.0, 0.0]
    unseen = sum(left.unseen.values())
    cards = []
    for card in (*PLAYABLE, JOKER):
        hand = left.hand + Counter([card])
        if not left.unseen[card] or not is_complete(
            hand.elements(), len(left.laid), left.seven_pairs
        ):
            continue
        best = best_score(
            list(hand.elements()), left.laid, left.table["flowers"][left.seat], left.seven_pairs
        )
        assert best is not None
        others = (left.players - 1) * (GIVEN_JOKER if card == JOKER else GIVEN)
        cards.append((left.unseen[card] / unseen * (1 + others), worth(left, best.credits)))
    value = race(cards, ends(left, 0), lost(left)) / worth(left, 5)
    return [value / (1 + abs(value)), 0.0]
