"""The distance of a hand of Mhing from each kind of valuable one, slowly.

The cards that a plan has no use for are set aside, or those of melds that it must have, and the
rest is compared with every target.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from reference.cards import HONOURS, PLAYABLE, number, suit
from reference.distance import melds_shared, pairs_shared, unconnected_shared

Melds = list[tuple[int, ...]]

PLANS = (
    "any",
    "nothing connects",
    "seven pairs",
    "one suit",
    "one suit with honours",
    "two suits",
    "high or low",
    "triplets",
    "all five",
    "identical double sequence",
    "double sequence",
    "royal run",
)
NEVER = 99


def _type_sets() -> Iterator[tuple[str, set[int]]]:
    suits = [{card for card in PLAYABLE if suit(card) == s} for s in range(3)]
    for s in suits:
        yield "one suit", s
        yield "one suit with honours", s | set(HONOURS)
    for one, other in combinations(suits, 2):
        yield "two suits", one | other
    yield "high or low", {card for card in PLAYABLE if (number(card) or 0) >= 5}
    yield "high or low", {card for card in PLAYABLE if (number(card) or 9) <= 5}


TYPE_SETS = list(_type_sets())


def missing_melds(counts: Counter[int], melds: int) -> int:
    return 3 * melds + 2 - melds_shared(counts, melds)


def _run(low: int) -> tuple[int, ...]:
    return (low, low + 1, low + 2)


def _targets() -> Iterator[tuple[str, list[tuple[int, ...]], int]]:
    """Melds that a plan must have, and how many of their cards must be there to think of it."""
    lows = [9 * s + n for s in range(3) for n in range(7)]
    for low in lows:
        yield "identical double sequence", [_run(low)] * 2, 4
    for n in range(7):
        for one, other in combinations(range(3), 2):
            yield "double sequence", [_run(9 * one + n), _run(9 * other + n)], 4
    for s in range(3):
        yield "royal run", [_run(9 * s + n) for n in (0, 3, 6)], 6


def with_melds(counts: Counter[int], laid: Melds, wanted: Melds, enough: int) -> int:
    """Cards missing from a hand with these melds; NEVER where too few of them are there."""
    on_table, there, missing, rest = list(laid), 0, 0, counts.copy()
    open_melds = 4 - len(laid)
    for meld in wanted:
        if meld in on_table:
            on_table.remove(meld)
            there += 3
            continue
        open_melds -= 1
        for card in meld:
            if rest[card]:
                rest[card] -= 1
                there += 1
            else:
                missing += 1
    if there < enough or open_melds < 0:
        return NEVER
    return missing + missing_melds(rest, open_melds)


def missing(counts: Counter[int], laid: Melds, seven_pairs: bool) -> dict[str, int]:
    """Natural cards that a hand lacks, by plan; NEVER where the melds laid rule it out."""
    melds, lacking = 4 - len(laid), dict.fromkeys(PLANS, NEVER)
    shapes = [missing_melds(counts, melds)]
    if not laid:
        lacking["nothing connects"] = 14 - unconnected_shared(counts)
        shapes.append(lacking["nothing connects"])
        if seven_pairs:
            lacking["seven pairs"] = 14 - pairs_shared(counts)
            shapes.append(lacking["seven pairs"])
    lacking["any"] = min(shapes)
    for plan, types in TYPE_SETS:
        if all(card in types for meld in laid for card in meld):
            kept = Counter({card: n for card, n in counts.items() if card in types})
            lacking[plan] = min(lacking[plan], missing_melds(kept, melds))
    if all(len(set(meld)) == 1 for meld in laid):
        lacking["triplets"] = min(_triplets(counts, melds))
    for plan, wanted, enough in _targets():
        lacking[plan] = min(lacking[plan], with_melds(counts, laid, wanted, enough))
    lacking["all five"] = min(_all_five(counts, laid), default=NEVER)
    return lacking


def _triplets(counts: Counter[int], melds: int) -> Iterator[int]:
    """Of the types held most, since a type that is not held lacks the same as any other."""
    types = sorted(PLAYABLE, key=lambda card: -counts[card])[: melds + 3]
    for pair in types:
        others = sorted((min(3, counts[card]) for card in types if card != pair), reverse=True)
        yield 3 * melds + 2 - min(2, counts[pair]) - sum(others[:melds])


def _all_five(counts: Counter[int], laid: Melds) -> Iterator[int]:
    fifths: list[Iterable[int]] = [range(0, 9), range(9, 18), range(18, 27), range(27, 31)]
    fifths.append(range(31, 34))
    covered = [next(i for i, fifth in enumerate(fifths) if meld[0] in fifth) for meld in laid]
    if len(set(covered)) < len(covered):
        return
    left = [set(fifth) for i, fifth in enumerate(fifths) if i not in covered]
    for pair in left:
        lacks = 2 - min(2, max(counts[card] for card in pair))
        for fifth in left:
            if fifth is not pair:
                ways = [(card,) * 3 for card in fifth]
                ways += [_run(c) for c in fifth if c < 27 and c % 9 < 7]
                lacks += min(_lacks(counts, way) for way in ways)
        yield lacks


def _lacks(counts: Counter[int], meld: tuple[int, ...]) -> int:
    return 3 - sum(min(counts[card], n) for card, n in Counter(meld).items())
