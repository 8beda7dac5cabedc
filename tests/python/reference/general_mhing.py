"""Follows a game of General Mhing from `State.to_dict()` and says what must come next.

    referee = GeneralReferee(state.to_dict())
    assert set(texts of the legal actions) == referee.legal_actions()
    state.apply(action); referee.apply(text, state.to_dict())
    assert referee.differences(state.to_dict()) == []

The referee keeps its own whole table and changes it by the rules. What it cannot know it takes
from the engine after checking it: the order of a shuffle, and the cards of a new deal.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from reference.copies import copied
from reference.differences import differences
from reference.events import remember

Table = dict[str, Any]

RANKS = "A23456789TJQK"
SUITS = "shdc"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
HAND = 7


class Sequence:
    """Three cards on the table: what they stand for, and which of them is an ace (None: none)."""

    def __init__(self, low: int, suit: str, ace: int | None) -> None:
        self.low, self.suit, self.ace = low, suit, ace
        self.kind = SUITS.index(suit) * 11 + low
        """Its number, by what it stands for."""
        self.stands_for = [RANKS[low + place] + suit for place in range(3)]
        self.cards = {
            "A" + suit if place == ace else card for place, card in enumerate(self.stands_for)
        }
        """The cards that it is made of."""
        stars = ["*" if place == ace and low + place else "" for place in range(3)]
        self.text = "".join(RANKS[low + place] + stars[place] for place in range(3)) + suit


def every_sequence() -> list[Sequence]:
    """All sequences with all places of an ace; in A-2-3 the ace is itself."""
    return [
        Sequence(low, suit, ace)
        for suit in SUITS
        for low in range(11)
        for ace in ((0,) if low == 0 else (None, 0, 1, 2))
    ]


SEQUENCES = {sequence.text: sequence for sequence in every_sequence()}
WITH = {card: [s for s in SEQUENCES.values() if card in s.cards] for card in DECK}
"""By card: the sequences that it lies in."""


def parts_of(sequences: Iterable[Sequence]) -> dict[str, int]:
    """The score of sequences together, by name."""
    found = list(sequences)
    parts = dict.fromkeys(("same suit", "same values", "in order", "all high or all low"), 0)
    for one, other in combinations(found, 2):
        parts["same suit"] += one.suit == other.suit
        parts["same values"] += one.low == other.low
        parts["in order"] += abs(one.low - other.low) == 3
    lows = [sequence.low for sequence in found]
    seven = RANKS.index("7")
    if found and (min(lows) >= seven or max(lows) + 2 <= seven):
        parts["all high or all low"] = 1
    return {name: points for name, points in parts.items() if points}


def winner_of(tallies: list[int], counts: list[int]) -> int:
    """The seat with the highest tally, then the fewest sequences; -1 if several are equal."""
    ranks = [(-tally, count) for tally, count in zip(tallies, counts, strict=True)]
    best = min(ranks)
    return ranks.index(best) if ranks.count(best) == 1 else -1


class GeneralReferee:
    """One game, followed from any point."""

    def __init__(self, table: Table) -> None:
        self.table = copied(table)
        self.options = self.table["options"]
        self.seats: int = self.options["num_players"]
        self._theirs: Table = {}  # the engine's table after the action that is being applied
        self._unordered: set[str] | None = None  # a draw pile just shuffled
        self._awaits_deal = False

    # ---- What may be done -----------------------------------------------------------------------

    def legal_actions(self) -> set[str]:
        """The texts of all that the seat to act may do."""
        table = self.table
        phase, seat = table["phase"], table["on_turn"]
        if phase == "over":
            return set()
        hand = set(table["hands"][seat])
        if phase == "taken":
            return {f"sequence {text}" for text in self._laid_with(hand, table["taken"])}
        actions = {f"swap {card}" for card in hand if self._swapped(seat, card)}
        if phase == "start":
            actions.add("draw")
            if table["offer"] and self._laid_with(hand | {table["offer"]}, table["offer"]):
                actions.add("take")
        elif phase == "play":
            actions |= {f"discard {card}" for card in hand}
            actions |= {f"sequence {s.text}" for s in SEQUENCES.values() if s.cards <= hand}
        else:
            actions.add("end")
        return actions

    def _laid_with(self, hand: set[str], card: str) -> list[str]:
        """The sequences of a hand in which that card lies."""
        return [s.text for s in WITH[card] if s.cards <= hand]

    def _swapped(self, seat: int, card: str) -> tuple[int, Sequence] | None:
        """The sequence that gives its ace for the card, and the one that it becomes."""
        for place, laid in enumerate(self.table["sequences"][seat]):
            old = SEQUENCES[laid["text"]]
            if old.ace is None or card[0] == "A" or card[1] != old.suit:
                continue
            wanted = old.cards - {"A" + old.suit} | {card}
            for new in WITH[card]:
                if new.cards == wanted:
                    return place, new
        return None

    def has_choice(self) -> bool:
        """Return whether there is more than one legal action."""
        return len(self.legal_actions()) > 1

    def faults(self) -> list[str]:
        """The faults of the table as it is, without knowing how it came about."""
        table, faults = self.table, []
        if sorted(card_names(table)) != sorted(DECK):
            faults.append("these are not the cards of the deck")
        if table["phase"] != "over" and not self.has_choice():
            faults.append(f"asked without a choice: {self.legal_actions()}")
        for seat, sequences in enumerate(table["sequences"]):
            for laid in sequences:
                if self._laid(SEQUENCES[laid["text"]]) != laid:
                    faults.append(f"{laid} is no sequence")
            if table["tallies"][seat] != sum(self._parts(seat).values()):
                faults.append(f"seat {seat} does not score {table['tallies'][seat]}")
        shown = set(table["shown"])
        if not shown <= {card for hand in table["hands"] for card in hand}:
            faults.append(f"{shown} are not in a hand")
        return faults

    # ---- What an action does --------------------------------------------------------------------

    def apply(self, action: str, theirs: Table) -> None:
        """Plays a legal action on the referee's own table; `theirs` is the engine's after it."""
        assert action in self.legal_actions(), f"not legal: {action}"
        self._theirs = theirs
        table = self.table
        word, _, what = action.partition(" ")
        if word == "draw":
            self._draw_and_play()
        elif word == "take":
            self._take()
        elif word == "sequence":
            self._lay(SEQUENCES[what])
        elif word == "swap":
            self._swap(what)
        elif word == "discard":
            self._discard(what)
        else:
            self._begin_turn()
        if self._unordered is not None and not self._awaits_deal:
            assert set(theirs["draw_pile"]) == self._unordered
            table["draw_pile"] = list(theirs["draw_pile"])
        self._unordered = None

    def _take(self) -> None:
        table = self.table
        card = table["discards"].pop()["card"]
        assert card == table["offer"]
        table.update(taken=card, offer=None, offered_by=None, phase="taken")
        self._give(table["on_turn"], card)
        table["shown"] = in_order({*table["shown"], card})
        self._event("take", card, DECK.index(card) + 1)
        if not self.has_choice():
            (only,) = self.legal_actions()
            self._lay(SEQUENCES[only.removeprefix("sequence ")])

    def _lay(self, sequence: Sequence) -> None:
        table = self.table
        seat = table["on_turn"]
        for card in sequence.cards:
            self._open(seat, card)
        table["sequences"][seat].append(self._laid(sequence))
        self._count(seat)
        ace = 0 if sequence.ace is None else sequence.ace + 1
        self._event("sequence", sequence.text, sequence.kind + 1, ace)
        if len(table["sequences"][seat]) == 4:
            self._end_round("fourth sequence")
            return
        table.update(drawn=[], given=[])
        self._draw()
        self._draw()
        table["phase"] = "end"
        if not self.has_choice():
            self._begin_turn()

    def _swap(self, card: str) -> None:
        table = self.table
        seat = table["on_turn"]
        found = self._swapped(seat, card)
        assert found is not None
        place, new = found
        table["sequences"][seat][place] = self._laid(new)
        self._count(seat)
        self._open(seat, card)
        if table["drawn"]:
            table["given"] = in_order({*table["given"], card})
        self._give(seat, "A" + new.suit)
        table["shown"] = in_order({*table["shown"], "A" + new.suit})
        self._event("swap", card, DECK.index(card) + 1)
        if not self.has_choice():
            if table["phase"] == "start":
                self._draw_and_play()
            else:
                self._begin_turn()

    def _discard(self, card: str) -> None:
        table = self.table
        seat = table["on_turn"]
        self._open(seat, card)
        table["discards"].append({"card": card, "by": seat})
        table.update(offer=card, offered_by=seat)
        self._event("discard", card, DECK.index(card) + 1)
        self._begin_turn()

    def _begin_turn(self) -> None:
        """The next seat is on turn; it draws at once where there is nothing to choose."""
        table = self.table
        if table["turn"] == self.options["turn_limit"]:
            self._end_round("turn limit")
            return
        table["turn"] += 1
        table["on_turn"] = table["seat"] = (table["on_turn"] + 1) % self.seats
        table.update(taken=None, drawn=[], given=[], phase="start")
        if self.options["offer"] == "top" and table["discards"]:
            top = table["discards"][-1]
            table.update(offer=top["card"], offered_by=top["by"])
        if not self.has_choice():
            self._draw_and_play()

    def _draw_and_play(self) -> None:
        table = self.table
        table.update(offer=None, offered_by=None)
        self._draw()
        table["phase"] = "play"

    def _draw(self) -> None:
        """Draws a card for the seat on turn; an empty draw pile is made anew of the discards."""
        table = self.table
        seat = table["on_turn"]
        if not table["draw_pile"] and not self._unordered:
            *below, top = table["discards"]
            table["discards"] = [top]
            table["shuffles"] += 1
            self._unordered = {made["card"] for made in below}
            table["shuffle_of"].update(dict.fromkeys(self._unordered, table["shuffles"]))
            self._event("shuffle")
        if self._unordered:
            card = self._drawn_by_them(seat)
            self._unordered.remove(card)
        else:
            card = table["draw_pile"].pop(0)
        table["drawn"].append(card)
        self._give(seat, card)

    def _drawn_by_them(self, seat: int) -> str:
        """The card of a draw pile just shuffled that the engine gave to a seat."""
        assert self._unordered
        theirs = self._theirs
        if theirs["round"] != self.table["round"]:
            # The round has ended since, and nobody can tell: a card that let the seat end its turn.
            return min(card for card in self._unordered if not self._swapped(seat, card))
        drawn = theirs["drawn"] if theirs["on_turn"] == seat else []
        held = [*drawn, *theirs["hands"][seat]]
        return str(next(card for card in held if card in self._unordered))

    # ---- How a round and a game end -------------------------------------------------------------

    def _end_round(self, ending: str) -> None:
        table = self.table
        endings = ["", "fourth sequence", "turn limit"]
        self._event("over", ending, endings.index(ending))
        table.update(offer=None, offered_by=None, taken=None, drawn=[], given=[])
        counts = [len(sequences) for sequences in table["sequences"]]
        winner = winner_of(table["tallies"], counts)
        points = 0 if winner < 0 else table["tallies"][winner]
        if winner >= 0:
            table["scores"][winner] += points
        table["result"] = {
            "round": table["round"],
            "winner": winner,
            "points": points,
            "ending": ending,
            "seats": [
                {
                    "tally": table["tallies"][seat],
                    "parts": [[name, number] for name, number in self._parts(seat).items()],
                    "sequences": copied(table["sequences"][seat]),
                }
                for seat in range(self.seats)
            ],
        }
        over = (
            self.options["episode"] == "round"
            or 0 < self.options["rounds"] <= table["round"] + 1
            or 0 < self.options["target"] <= max(table["scores"])
        )
        self._reward(winner, points, over)
        if over:
            table.update(phase="over", seat=-1)
        else:
            self._awaits_deal = True

    def _reward(self, winner: int, points: int, over: bool) -> None:
        table, unit = self.table, self.options["reward"]
        earned = [0.0] * self.seats
        if unit == "win" and self.options["episode"] == "game":
            if over:
                best = [score == max(table["scores"]) for score in table["scores"]]
                earned = [is_best / sum(best) for is_best in best]
        elif winner >= 0:
            if unit == "margin":
                earned = [-points / (self.seats - 1)] * self.seats
            earned[winner] = 1.0 if unit == "win" else float(points)
        table["returns"] = [
            have + more for have, more in zip(table["returns"], earned, strict=True)
        ]

    # ---- Comparing with the engine --------------------------------------------------------------

    def differences(self, theirs: Table) -> list[str]:
        """Differences of the engine's table from the referee's."""
        if self._awaits_deal:
            self._adopt_deal(theirs)
        return differences(self.table, theirs)

    def _adopt_deal(self, theirs: Table) -> None:
        """Starts the next round with the engine's cards, if they can have been dealt."""
        step = int(self.options["next_starter"] == "clockwise")
        starter = (self.table["starter"] + step) % self.seats
        faults = deal_faults(theirs)
        assert not faults, faults
        self.table.update(
            round=self.table["round"] + 1,
            turn=1,
            starter=starter,
            phase="play",
            seat=starter,
            on_turn=starter,
            offer=None,
            offered_by=None,
            taken=None,
            discards=[],
            shuffles=0,
            shuffle_of=dict.fromkeys(DECK, 0),
            shown=[],
            sequences=[[] for _ in range(self.seats)],
            tallies=[0] * self.seats,
        )
        self._event("deal")
        for name in ("draw_pile", "hands", "drawn"):
            self.table[name] = copied(theirs[name])
        self._awaits_deal = False

    # ---- Small things ---------------------------------------------------------------------------

    def _parts(self, seat: int) -> dict[str, int]:
        return parts_of(SEQUENCES[laid["text"]] for laid in self.table["sequences"][seat])

    def _count(self, seat: int) -> None:
        self.table["tallies"][seat] = sum(self._parts(seat).values())

    def _laid(self, sequence: Sequence) -> Table:
        return {"text": sequence.text, "cards": sequence.stands_for, "ace": sequence.ace}

    def _give(self, seat: int, card: str) -> None:
        hands = self.table["hands"]
        hands[seat] = in_order([*hands[seat], card])

    def _open(self, seat: int, card: str) -> None:
        """A card of the hand lies open from now on."""
        self.table["hands"][seat].remove(card)
        self.table["shown"] = [name for name in self.table["shown"] if name != card]

    def _event(self, event: str, text: str = "", detail: int = 0, ace: int = 0) -> None:
        seat = self.table["on_turn"]
        new = {"seat": seat, "event": event, "text": text, "detail": detail, "ace": ace}
        self.table["events"] = remember(self.table["events"], new)


def in_order(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=DECK.index)


def card_names(table: Table) -> list[str]:
    """Every card, wherever it lies."""
    names = [*table["draw_pile"], *(made["card"] for made in table["discards"])]
    for hand in table["hands"]:
        names += hand
    for sequences in table["sequences"]:
        for laid in sequences:
            names += SEQUENCES[laid["text"]].cards
    return names


def legal_actions(table: Table) -> set[str]:
    """The texts of all that the seat to act may do."""
    return GeneralReferee(table).legal_actions()


def deal_faults(table: Table) -> list[str]:
    """The faults of a table at the starter's first decision."""
    seats, starter = table["options"]["num_players"], table["starter"]
    faults = GeneralReferee(table).faults()
    sizes = [len(hand) for hand in table["hands"]]
    if sizes != [HAND + (seat == starter) for seat in range(seats)]:
        faults.append(f"hand sizes {sizes} with starter {starter}")
    if len(table["drawn"]) != 1 or table["drawn"][0] not in table["hands"][starter]:
        faults.append("the starter has not drawn")
    if table["phase"] != "play" or table["on_turn"] != starter or table["turn"] != 1:
        faults.append("the starter is not on turn")
    return faults
