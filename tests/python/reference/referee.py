"""Follows a game of Mhing from `State.to_dict()` and says what must come next.

    referee = Referee(state.to_dict())
    assert sorted(texts of the legal actions) == sorted(referee.legal_actions())
    referee.apply(text); state.apply(action)
    assert referee.differences(state.to_dict()) == []

The referee keeps its own whole table and changes it by the rules. Two things it cannot know
and takes from the engine after checking them: the shuffle of a new round, and which of several
equally dear arrangements of a declared hand is shown.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from typing import Any

from reference.arrangement import Declared, shape_of
from reference.cards import DECK, NAMES, TYPES, Meld, all_patterns, parse_meld
from reference.copies import copied
from reference.differences import difference, differences
from reference.events import remember
from reference.scoring import Best, is_complete, points

Table = dict[str, Any]

HAND = 13
MOST_SCORE = 2**31 - 2
PRIORITY = {"mhing": 3, "triplet": 2, "sequence": 1, "pass": 0}


class Referee:
    """One game, followed from any point."""

    def __init__(self, table: Table) -> None:
        self.table = copied(table)
        self.options = self.table["options"]
        self.seats: int = self.options["num_players"]
        self.declared = _declared(self.table["result"])
        """The hand laid open in the round finished last; None after a wash."""
        self._awaits_deal = False

    # ---- What may be done -----------------------------------------------------------------------

    def legal_actions(self) -> set[str]:
        """The texts of all that the seat to act may do."""
        table = self.table
        if table["phase"] == "over":
            return set()
        if table["phase"] == "claim":
            return self.claims(table["seat"]) | {"pass"}
        hand = self._hand(table["seat"])
        actions = {f"discard {NAMES[card]}" for card in hand}
        if self.options["lay_down"]:
            actions |= _laid_of(hand)
        if self._completes(table["seat"], hand):
            actions.add("mhing")
        return actions

    def claims(self, seat: int) -> set[str]:
        """A seat's possible answers to the discard on offer, apart from passing."""
        offer = TYPES[self.table["offer"]]
        with_offer = tuple(sorted((*self._hand(seat), offer)))
        actions = set(_laid_of(with_offer, offer))
        if self._completes(seat, with_offer):
            actions.add("mhing")
        return actions

    def _completes(self, seat: int, hand: tuple[int, ...]) -> bool:
        laid = len(self.table["melds"][seat])
        return _is_complete(hand, laid, self.options["seven_pairs"])

    def _hand(self, seat: int) -> tuple[int, ...]:
        """A seat's cards, in their order."""
        return tuple(sorted(TYPES[name] for name in self.table["hands"][seat]))

    def faults(self) -> list[str]:
        """The faults of the table as it is, without knowing how it came about."""
        table, faults = self.table, []
        if Counter(card_names(table)) != Counter(NAMES[card] for card in DECK):
            faults.append("these are not the cards of the deck")
        if table["drawn"] is not None and table["drawn"] not in self._cards_of(table["on_turn"]):
            faults.append(f"drawn {table['drawn']} is not there")
        if table["phase"] == "claim":
            claims = table["claims"]
            asked = [claim["seat"] for claim in claims] + [table["seat"]] + table["to_ask"]
            if asked != [seat for seat in self._after(table["on_turn"]) if self.claims(seat)]:
                faults.append(f"asked {asked}, hands {table['hands']}, offer {table['offer']}")
            for claim in claims:
                if claim["action"] not in self.claims(claim["seat"]) | {"pass"}:
                    faults.append(f"{claim} is not legal")
        return faults

    def _cards_of(self, seat: int) -> list[str]:
        """A seat's concealed cards, and those it has laid from the hand."""
        laid = [meld for meld in self.table["melds"][seat] if meld["from"] is None]
        return [*self.table["hands"][seat], *(name for meld in laid for name in _names(meld))]

    # ---- What an action does --------------------------------------------------------------------

    def apply(self, action: str) -> None:
        """Plays a legal action of the seat to act on the referee's own table."""
        assert action in self.legal_actions(), f"not legal: {action}"
        table = self.table
        if table["phase"] == "claim":
            table["claims"].append({"seat": table["seat"], "action": action})
            if table["to_ask"]:
                table["seat"] = table["to_ask"].pop(0)
            else:
                self._resolve_claims()
        elif action == "mhing":
            self._declare(table["seat"], table["claimed_from"], on_discard=False)
        elif action.startswith("discard "):
            self._discard(table["seat"], action.removeprefix("discard "))
        else:
            self._lay(table["seat"], _meld(action), None)

    def _discard(self, seat: int, name: str) -> None:
        table = self.table
        self._take(seat, [name])
        table["discards"].append({"card": name, "by": seat, "taken_by": None})
        self._event(seat, "discard", name, detail=TYPES[name] + 1)
        table.update(drawn=None, offer=name, offered_by=seat)
        able = [other for other in self._after(seat) if self.claims(other)]
        if able:
            table.update(phase="claim", seat=able[0], to_ask=able[1:])
        else:
            self._begin_turn(self._after(seat)[0])

    def _resolve_claims(self) -> None:
        """The best claim wins, the one who sits first after the discarder among equals."""
        table = self.table
        discarder = table["on_turn"]
        order = self._after(discarder)
        best = min(
            table["claims"],
            key=lambda claim: (
                -PRIORITY[claim["action"].split()[0]],
                order.index(claim["seat"]),
            ),
        )
        seat, action = best["seat"], best["action"]
        table.update(claims=[], to_ask=[])
        if action == "pass":
            self._begin_turn(order[0])
            return
        card = table["offer"]
        table["discards"][-1]["taken_by"] = seat
        table["hands"][seat] = _sorted(table["hands"][seat] + [card])
        table.update(offer=None, offered_by=None)
        if action == "mhing":
            self._declare(seat, discarder, on_discard=True)
        else:
            table.update(phase="turn", seat=seat, on_turn=seat, claimed_from=discarder)
            table["turn"] += 1
            self._lay(seat, _meld(action), discarder)

    def _lay(self, seat: int, meld: Meld, source: int | None) -> None:
        self._take(seat, [NAMES[card] for card in meld.needs().elements()])
        self.table["melds"][seat].append(
            {
                "kind": meld.kind,
                "text": meld.text,
                "cards": [NAMES[card] for card in meld.cards],
                "jokers": list(meld.jokers),
                "from": source,
            }
        )
        self._event(
            seat,
            "lay_down" if source is None else "claim",
            meld.text,
            detail=kind_number(meld) + 1,
            jokers=joker_number(meld),
        )

    def _begin_turn(self, seat: int) -> None:
        """The next player draws, flowers aside, or the round dies for want of cards."""
        table = self.table
        table.update(offer=None, offered_by=None)
        while table["source"] and table["source"][0] == "F":
            table["source"].pop(0)
            table["flowers"][seat] += 1
            self._event(seat, "flower")
        if not table["source"]:
            self._event(seat, "wash")
            self.declared = None
            self.end_round(None, None, Best(0))
            return
        table.update(phase="turn", seat=seat, on_turn=seat, claimed_from=None)
        table["turn"] += 1
        table["drawn"] = table["source"].pop(0)
        table["hands"][seat] = _sorted(table["hands"][seat] + [table["drawn"]])

    # ---- How a round and a game end -------------------------------------------------------------

    def _declare(self, seat: int, payer: int | None, on_discard: bool) -> None:
        how = "on the discard" if on_discard else "from the hand"
        self._event(seat, "mhing", how, detail=int(on_discard))
        self.declared = Declared(
            Counter(self._hand(seat)),
            tuple(parse_meld(meld["text"]) for meld in self.table["melds"][seat]),
            self.table["flowers"][seat],
        )
        best = self.declared.best(self.options["seven_pairs"])
        assert best is not None
        self.end_round(seat, payer, best)

    def end_round(self, winner: int | None, payer: int | None, best: Best) -> None:
        """Pays what the hand declared is worth, and says whether the episode is over."""
        table = self.table
        worth = points(best.credits)
        payments = self._pay(winner, payer, worth)
        if winner is not None:
            table["scores"][winner] = min(table["scores"][winner] + worth, MOST_SCORE)
        table["result"] = {
            "round": table["round"],
            "winner": -1 if winner is None else winner,
            "payer": -1 if payer is None else payer,
            "credits": best.credits,
            "points": worth,
            "parts": sorted(best.parts.items()),
            "payments": payments,
        }
        over = self._is_over()
        self._reward(winner, best.credits, worth, payments, over)
        if over:
            table.update(phase="over", seat=-1)
        else:
            self._awaits_deal = True

    def _pay(self, winner: int | None, payer: int | None, worth: int) -> list[int] | None:
        """Everybody else pays the points, `payer` double, and nobody more than there is."""
        chips = self.table["chips"]
        if chips is None:
            return None
        payments = [0] * self.seats
        if winner is not None:
            for seat in self._after(winner):
                payments[seat] = -min(chips[seat], worth * (2 if seat == payer else 1))
            payments[winner] = -sum(payments)
        self.table["chips"] = [have + change for have, change in zip(chips, payments, strict=True)]
        return payments

    def _is_over(self) -> bool:
        """Return whether the episode ends with the round just finished."""
        table, options = self.table, self.options
        if options["episode"] == "round":
            return True
        by_chips = options["scoring"] == "chips"
        rounds = options["rounds"]
        if rounds == -1:
            rounds = 100 if by_chips else 0
        if rounds and table["round"] + 1 >= rounds:
            return True
        if by_chips:
            return bool(max(table["chips"]) == sum(table["chips"]))
        return bool(0 < options["target"] <= max(table["scores"]))

    def _reward(
        self, winner: int | None, credits: int, worth: int, payments: list[int] | None, over: bool
    ) -> None:
        """Adds what each seat earned to the returns, in the unit of the option `reward`."""
        table, unit = self.table, self.options["reward"]
        earned = [0.0] * self.seats
        if unit == "chips":
            assert payments is not None
            earned = [float(change) for change in payments]
        elif unit == "win":
            if over:
                earned = self._win_shares(winner)
        elif winner is not None:
            earned[winner] = float(credits if unit == "credits" else worth)
        table["returns"] = [
            have + more for have, more in zip(table["returns"], earned, strict=True)
        ]

    def _win_shares(self, winner: int | None) -> list[float]:
        """1 for who won the episode, shared by equals."""
        if self.options["episode"] == "round":
            return [float(seat == winner) for seat in range(self.seats)]
        what = self.table["chips" if self.options["scoring"] == "chips" else "scores"]
        best = [have == max(what) for have in what]
        return [is_best / sum(best) for is_best in best]

    # ---- Comparing with the engine --------------------------------------------------------------

    def differences(self, theirs: Table) -> list[str]:
        """Differences of the engine's table from the referee's."""
        if self._awaits_deal:
            self._adopt_deal(theirs)
        found = differences(self.table, theirs, but=["result"])
        return found + self._result_differences(theirs["result"])

    def _result_differences(self, theirs: Table | None) -> list[str]:
        ours = self.table["result"]
        if ours is None or theirs is None or ours == theirs:
            return [] if ours == theirs else [difference("result", ours, theirs)]
        found = [
            difference(f"result {name}", ours[name], theirs[name])
            for name in ("round", "winner", "payer", "credits", "points", "payments")
            if ours[name] != theirs[name]
        ]
        if self.declared is not None:
            shown, parts = theirs["arrangement"], dict(theirs["parts"])
            found += self.declared.faults(shown, theirs["credits"], parts)
            if theirs["shape"] != shape_of(shown):
                found.append(f"result shape: {theirs['shape']} for {shown}")
        # The arrangement shown is one of several equal ones: keep theirs from here on.
        self.table["result"] = copied(theirs)
        return found

    def _adopt_deal(self, theirs: Table) -> None:
        """Starts the next round with the engine's cards, if they can have been dealt."""
        dealer = (self.table["dealer"] + 1) % self.seats
        faults = deal_faults(theirs)
        assert not faults, faults
        self._event(dealer, "deal")
        self.table.update(
            round=self.table["round"] + 1,
            turn=1,
            dealer=dealer,
            phase="turn",
            seat=dealer,
            on_turn=dealer,
            offer=None,
            offered_by=None,
            claimed_from=None,
            melds=[[] for _ in range(self.seats)],
            discards=[],
        )
        for name in ("source", "hands", "flowers", "drawn"):
            self.table[name] = copied(theirs[name])
        self.table["events"] = remember(self.table["events"], *_flower_events(theirs))
        self._awaits_deal = False

    # ---- Small things ---------------------------------------------------------------------------

    def _after(self, seat: int) -> list[int]:
        """The other seats, clockwise."""
        return [(seat + step) % self.seats for step in range(1, self.seats)]

    def _take(self, seat: int, names: list[str]) -> None:
        for name in names:
            self.table["hands"][seat].remove(name)

    def _event(
        self, seat: int, event: str, text: str = "", detail: int = 0, jokers: int = 0
    ) -> None:
        new = {"seat": seat, "event": event, "text": text, "detail": detail, "jokers": jokers}
        self.table["events"] = remember(self.table["events"], new)


def _declared(result: Table | None) -> Declared | None:
    """The hand that a result has, if somebody has declared one."""
    if result is None or result["winner"] < 0:
        return None
    return Declared(
        Counter(TYPES[name] for name in result["hand"]),
        tuple(map(parse_meld, result["melds"])),
        result["flowers"],
    )


def card_names(table: Table) -> list[str]:
    """Every card, wherever it lies."""
    names: list[str] = [*table["source"], *["F"] * sum(table["flowers"])]
    for hand in table["hands"]:
        names += hand
    for melds in table["melds"]:
        for meld in melds:
            names += _names(meld)
    # A discard that was taken lies in a meld or in the declared hand.
    return names + [made["card"] for made in table["discards"] if made["taken_by"] is None]


def _names(meld: Table) -> list[str]:
    """The cards that a meld is made of."""
    return ["J" if place in meld["jokers"] else name for place, name in enumerate(meld["cards"])]


def deal_faults(table: Table) -> list[str]:
    """The faults of a table at the dealer's first decision."""
    seats, dealer = table["options"]["num_players"], table["dealer"]
    faults = Referee(table).faults()
    sizes = [len(hand) for hand in table["hands"]]
    if sizes != [HAND + (seat == dealer) for seat in range(seats)]:
        faults.append(f"hand sizes {sizes} with dealer {dealer}")
    if any("F" in hand for hand in table["hands"]):
        faults.append("a flower in a hand")
    if table["drawn"] is None or table["on_turn"] != dealer:
        faults.append("the dealer has not drawn")
    order = [event["seat"] for event in _flower_events(table)]
    if [order.count(seat) for seat in range(seats)] != table["flowers"]:
        faults.append(f"flowers {table['flowers']} laid aside as {order}")
    if not _in_passes([(seat - dealer) % seats for seat in order], [HAND] * seats):
        faults.append(f"dealer {dealer}: flowers laid aside in the order {order}")
    return faults


def _flower_events(table: Table) -> list[Table]:
    """The flowers laid aside since the deal."""
    last_deal = max(
        place for place, event in enumerate(table["events"]) if event["event"] == "deal"
    )
    return [event for event in table["events"][last_deal:] if event["event"] == "flower"]


def _in_passes(order: list[int], may: list[int]) -> bool:
    """Return whether flowers can have been laid aside in this order (0: the dealer) in passes.

    In each pass every player, clockwise, lays aside at most as many as it was given last (`may`),
    and in the end the dealer's own draw can bring more.
    """
    if not any(order):
        return True
    for size in range(1, len(order) + 1):
        one_pass, rest = order[:size], order[size:]
        laid = [one_pass.count(seat) for seat in range(len(may))]
        if one_pass != sorted(one_pass) or any(n > most for n, most in zip(laid, may, strict=True)):
            return False
        if _in_passes(rest, laid):
            return True
    return False


def kind_number(meld: Meld) -> int:
    """The number of a meld's kind: sequences by suit and lowest number, then triplets by type."""
    first = meld.cards[0]
    return first // 9 * 7 + first % 9 if meld.is_sequence else 21 + first


def joker_number(meld: Meld) -> int:
    """Its joker places as bits in a sequence, their number in a triplet."""
    return sum(1 << place for place in meld.jokers) if meld.is_sequence else len(meld.jokers)


def _meld(action: str) -> Meld:
    return parse_meld(action.split()[1])


Needs = dict[int, int]

RECENT = 10_000
"""Hands of which answers are kept: the same are asked again and again, but only for a while."""


@cache
def _melds() -> list[tuple[str, Needs]]:
    """The actions that lay melds, and the cards of each."""
    return [(f"{meld.kind} {meld.text}", dict(meld.needs())) for meld in all_patterns()]


@cache
def _melds_with(card: int) -> list[tuple[str, Needs]]:
    """The melds in which this card, natural or a Mhing card, is laid as itself."""
    return [(action, needs) for action, needs in _melds() if card in needs]


@lru_cache(RECENT)
def _laid_of(cards: tuple[int, ...], card: int | None = None) -> frozenset[str]:
    """The actions that lay a meld of these cards, with this one in it."""
    hand, melds = Counter(cards), _melds() if card is None else _melds_with(card)
    return frozenset(
        action
        for action, needs in melds
        if needs.keys() <= hand.keys() and all(hand[each] >= needs[each] for each in needs)
    )


@lru_cache(RECENT)
def _is_complete(cards: tuple[int, ...], laid: int, seven_pairs: bool) -> bool:
    return is_complete(cards, laid, seven_pairs)


def _sorted(names: list[str]) -> list[str]:
    return sorted(names, key=TYPES.__getitem__)
