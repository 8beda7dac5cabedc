"""The features of each move in General Mhing, slowly, from one observation.

It goes through forms of sequences as sets of cards, where the engine looks at bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from reference.general_expert import Expert, Kinds, score
from reference.general_mhing import DECK, RANKS, SEQUENCES, SUITS, Sequence

Features = dict[str, list[float]]

FORMS = {
    (low, suit): [s for s in SEQUENCES.values() if (s.low, s.suit) == (low, suit)]
    for suit in SUITS
    for low in range(11)
}
"""By kind: the sequences that stand for the same cards."""
LEVELS = [(0, 0), (1, 0), (1, 1), *((2, i) for i in range(4)), *((3, i) for i in range(7))]


def one_of(count: int, *places: int) -> list[float]:
    return [float(i in places) for i in range(count)]


def gain_place(gain: int, places: int = 6) -> int:
    return min(max(gain + 1, 0), places - 1)


def level_of(laid: Kinds) -> int:
    points = [points for count, points in LEVELS if count == len(laid)]
    return LEVELS.index((len(laid), min(score(laid), max(points))))


class Seen:
    """Facts from an observation of the seat to act, whatever it does."""

    def __init__(self, seen: dict[str, Any], reward: str, top: bool) -> None:
        self.expert = Expert(seen, reward, top)
        self.unseen = self.expert.unseen
        self.turns_left = int(seen["turns_left"].view("<u2")[0])
        self.laid: list[Kinds] = [
            tuple((int(k - 1) % 11, SUITS[int(k - 1) // 11]) for k in row if k)
            for row in seen["sequence_kind"]
        ]
        self.aces = [{"A" + SUITS[i] for i in range(4) if row[i]} for row in seen["aces_held"]]
        self.next_discards = {
            DECK[card - 1]
            for card, by in zip(seen["discards"], seen["discarded_by"], strict=True)
            if card and by == 2
        }

    def of_others(self, tally: int) -> Features:
        """Moves of the others; `tally` is the score of the seat's sequences then."""
        kinds, passing, aces = [[0.0] * 6, [0.0] * 6], [0.0, 0.0], [0.0, 0.0]
        levels = [[0.0] * 14, [0.0] * 14]
        for i, laid in enumerate(self.laid[1:]):
            levels[i] = one_of(14, level_of(laid))
            aces[i] = len(self.aces[i + 1])
            for kind, forms in FORMS.items():
                if any(form.cards <= self.unseen | self.aces[i + 1] for form in forms):
                    points = score((*laid, kind))
                    kinds[i][gain_place(points - score(laid))] += 1 / 16
                    passing[i] += (points > tally) / 16
        return {
            "next_level": levels[0],
            "third_level": levels[1],
            "next_kinds": kinds[0],
            "third_kinds": kinds[1],
            "passing": passing,
            "known_aces": aces,
            "unseen": [len(self.unseen) / 52],
            "turns_left": [min(self.turns_left / 40, 1)],
        }

    def of_hand(self, hand: frozenset[str], laid: Kinds) -> Features:
        """The distances of the hand from sequences."""
        tally = score(laid)
        lacking = {0: [0.0] * 6, 1: [0.0] * 6, 2: [0.0] * 6, 3: [0.0] * 6}
        best: dict[str, int] = {}
        helping: set[str] = set()
        near: list[tuple[int, str]] = []
        for kind, forms in FORMS.items():
            lacks = [f.cards - hand for f in forms if f.cards <= hand | self.unseen]
            if not lacks:
                continue
            least = min(map(len, lacks))
            points = score((*laid, kind))
            if least == 1:
                for (card,) in (cards for cards in lacks if len(cards) == 1):
                    best[card] = max(best.get(card, points), points)
            elif least:
                lacking[least][gain_place(points - tally)] += 1 / 16
            else:
                lacking[0][gain_place(points - tally)] = 1
            if least <= 1:
                naturals = forms[0].stands_for
                helping |= {*naturals} if {*naturals} <= hand else {*naturals, "A" + kind[1]}
            if least <= 2:
                near.append(kind)
        for points in best.values():
            lacking[1][gain_place(points - tally)] += 1 / 8
        return {
            "ready": lacking[0],
            "lacks_one": lacking[1],
            "lacks_two": lacking[2],
            "lacks_three": lacking[3],
            "plans": self.plans(hand, laid, near),
            "loose": [len(hand - helping) / 8],
            "aces": [sum(card[0] == "A" for card in hand)],
        }

    def plans(self, hand: frozenset[str], laid: Kinds, near: list[tuple[int, str]]) -> list[float]:
        plans = [0.0] * 24
        for one, other in combinations(near, 2) if len(laid) <= 2 else ():
            forms = [
                one_form.cards | other_form.cards
                for one_form in FORMS[one]
                for other_form in FORMS[other]
                if not one_form.cards & other_form.cards
                and not {*one_form.stands_for} & {*other_form.stands_for}
                and one_form.cards | other_form.cards <= hand | self.unseen
            ]
            lacking = min((len(cards - hand) for cards in forms), default=9)
            if lacking <= 2:
                gain = score((*laid, one, other)) - score(laid)
                plans[lacking * 8 + gain_place(gain, 8)] += 1 / 16
        return plans

    def freeing(self, hand: frozenset[str], laid: list[tuple[int, str, int | None]]) -> Features:
        counts = [0.0, 0.0]
        for low, suit, ace in laid:
            if ace is not None:
                stay = {RANKS[low + i] + suit for i in range(3) if i != ace}
                forms = [f for f in SEQUENCES.values() if f.suit == suit and stay < f.cards]
                wanted = {card for f in forms for card in f.cards - stay if card[0] != "A"}
                counts[0] += len(wanted & hand)
                counts[1] += len(wanted & self.unseen)
        return {"freeing": counts}

    def of_discard(self, card: str) -> Features:
        gift = [0.0] * 6
        held = self.expert.held
        for form in SEQUENCES.values():
            if card in form.cards and card[0] != "A":
                one, other = form.cards - {card}
                points = score((*self.laid[1], (form.low, form.suit)))
                place = gain_place(points - score(self.laid[1]))
                gift[place] += held.get(one, 0) * held.get(other, 0)
        near = {
            other
            for other in self.next_discards
            if other[1] == card[1]
            and other[0] != "A"
            and abs(RANKS.index(other[0]) - RANKS.index(card[0])) <= 2
        }
        return {
            "gift": gift,
            "gift_chance": [self.expert.danger(card)],
            "beside": [len(near) / 2],
        }


Laid = list[tuple[int, str, int | None]]


class Afterstates:
    """All that a seat may have in front of it after its next moves, as (action, features)."""

    def __init__(self, seen: dict[str, Any], reward: str, top: bool = False) -> None:
        self.seen = Seen(seen, reward, top)
        self.expert = self.seen.expert
        self.hand = self.expert.hand
        self.laid: Laid = list(self.expert.laid)

    def of(
        self, hand: frozenset[str], laid: Laid, draws: int, left: Iterable[str] = ()
    ) -> Features:
        """`left`: the discard, if any, that the next seat may take."""
        kinds = tuple((low, suit) for low, suit, _ in laid)
        return {
            "draws": one_of(3, draws),
            "level": one_of(14, level_of(kinds)),
            **self.seen.of_others(score(kinds)),
            **self.seen.of_hand(hand, kinds),
            **self.seen.freeing(hand, laid),
            "gift": [0.0] * 6,
            "gift_chance": [0.0],
            "beside": [0.0],
            **{name: row for card in left for name, row in self.seen.of_discard(card).items()},
        }

    def lay(
        self, hand: frozenset[str], laid: Laid, form: Sequence, left: Iterable[str]
    ) -> Features | None:
        """None where the round is over."""
        after = [*laid, (form.low, form.suit, form.ace)]
        return None if len(after) == 4 else self.of(hand - form.cards, after, 2, left)

    def play(self, hand: frozenset[str], laid: Laid) -> Iterator[tuple[str, Features | None]]:
        for form in SEQUENCES.values():
            if form.cards <= hand:
                yield f"sequence {form.text}", self.lay(hand, laid, form, self.expert.left)
        for card in hand:
            yield f"discard {card}", self.of(hand - {card}, laid, 0, [card])

    def swapped(self, card: str) -> tuple[frozenset[str], Laid]:
        laid: Laid = []
        for low, suit, ace in self.laid:
            if suit == card[1] and ace is not None:
                stay = [RANKS[low + i] + suit for i in range(3) if i != ace]
                low = min(RANKS.index(rank) for rank, _ in [*stay, card])  # noqa: PLW2901
                ace = None  # noqa: PLW2901
            laid.append((low, suit, ace))
        return (self.hand - {card}) | {"A" + card[1]}, laid

    def taking(self, hand: frozenset[str], laid: Laid) -> Iterator[Features | None]:
        if offer := self.expert.offer:
            for form in SEQUENCES.values():
                if offer in form.cards and form.cards <= hand | {offer}:
                    yield self.lay(hand | {offer}, laid, form, self.expert.below)

    def of_action(self, action: str) -> Iterator[Features | None]:
        """One for each way in which the seat may continue."""
        phase = self.expert.phase
        if action in ("draw", "end"):
            draws = int(action == "draw")
            yield self.of(self.hand, self.laid, draws, () if draws else self.expert.left)
        elif action == "take":
            yield from self.taking(self.hand, self.laid)
        elif action.startswith("swap"):
            hand, laid = self.swapped(action.split()[1])
            if phase == 3:
                yield from (after for _, after in self.play(hand, laid))
            else:
                draws = int(phase == 1)
                yield self.of(hand, laid, draws, () if draws else self.expert.left)
                yield from self.taking(hand, laid)
        elif phase == 2:
            form = SEQUENCES[action.split()[1]]
            yield self.lay(self.hand, self.laid, form, self.expert.left)
        else:
            yield dict(self.play(self.hand, self.laid))[action]
