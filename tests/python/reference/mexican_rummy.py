"""Follows a game of Mexican Rummy from `State.to_dict()` and says what must come next.

    referee = RummyReferee(state.to_dict())
    assert set(texts of the legal actions) == referee.legal_actions()
    state.apply(action); referee.apply(text, state.to_dict())
    assert referee.differences(state.to_dict()) == []

The referee keeps its own whole table and changes it by the rules. What it cannot know it takes
from the engine after checking it: the order of a shuffle, the cards of a new deal, and which of two
equal cards from different shuffles goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from reference.copies import copied
from reference.differences import differences
from reference.events import remember
from reference.rummy_melds import (
    DECK,
    Table,
    in_order,
    is_meld,
    kinds_of,
    laid_of,
    meld_of,
    number_of,
    points_of,
    type_of,
)
from reference.rummy_plan import (
    NO_DISCARDO,
    OBJECTIVES,
    PLACES,
    RANKS,
    SUITS,
    TYPES,
    Meld,
    Plan,
    can_finish,
)

HAND = 10
ENDINGS = ["", "last card laid", "No Discardo", "no card to draw", "turn limit"]


class RummyReferee:
    """A table that changes by the rules."""

    def __init__(self, table: Table) -> None:
        self.table = copied(table)
        self.options = self.table["options"]
        self.seats = self.options["num_players"]
        self._awaits_deal = False
        self._unordered: set[str] | None = None
        self._theirs: Table = {}

    # ---- What is legal --------------------------------------------------------------------------

    @property
    def objective(self) -> int:
        return int(self.table["objective"])

    @property
    def _is_down(self) -> bool:
        return bool(self.table["melds"][self.table["on_turn"]])

    def _plan(self) -> Plan:
        """The plan so far, or one with nothing in it."""
        planned = self.table["plan"]
        if planned is None:
            return Plan(tuple(map(type_of, self.table["hands"][self.table["on_turn"]])))
        melds = tuple(meld_of(laid) for laid in planned["melds"])
        rest = tuple(map(type_of, planned["rest"]))
        return Plan(rest, melds, planned["to_fill"], planned["wanted"])

    def legal_actions(self) -> set[str]:
        """The texts of all that the seat to act may do."""
        table = self.table
        fixed = {
            "over": set(),
            "ask": {"may i", "pass"},
            "answer": {"grant", "refuse", "take"},
            "start": {"draw", "take"},
        }
        found: dict[str, Callable[[], set[str]]] = {
            "play": self._plays,
            "swap": lambda: {spot for spot, _ in self._swaps(table["chosen"])},
            "place": lambda: {spot for spot, _ in self._places(table["chosen"])},
            "meld": lambda: self._steps(self._plan().begins(self.objective)),
            "fill": lambda: self._steps(self._plan().fills()),
            "extend": self._extensions,
        }
        phase = table["phase"]
        return fixed[phase] if phase in fixed else found[phase]()

    def _plays(self) -> set[str]:
        hand = {type_of(card) for card in self.table["hands"][self.table["on_turn"]]}
        actions = {f"discard {card}" for card in hand}
        if self._is_down:
            return actions | {f"lay {card}" for card in hand if any(self._places(card))}
        if can_finish(self.objective, self._plan()):
            actions |= self._steps(self._plan().begins(self.objective))
        return actions | {f"swap {card}" for card in hand if any(self._swaps(card))}

    def _steps(self, steps: Iterator[tuple[str, Plan]]) -> set[str]:
        return {action for action, plan in steps if can_finish(self.objective, plan)}

    def _extensions(self) -> set[str]:
        return {
            action
            for action, _, plan in self._plan().extensions()
            if can_finish(self.objective, plan)
        }

    def _melds(self) -> Iterator[tuple[int, int, int, Meld]]:
        """Every meld: seats clockwise, seat, number, and itself."""
        for step in range(self.seats):
            seat = (self.table["on_turn"] + step) % self.seats
            for number, laid in enumerate(self.table["melds"][seat]):
                yield step, seat, number, meld_of(laid)

    def _places(self, card: str) -> Iterator[tuple[str, Any]]:
        """The places where a card can be laid: the action, and the plan or the meld after it."""
        if self.table["plan"] is not None:
            for action, spot, plan in self._plan().extensions():
                if action == f"lay {card}" and can_finish(self.objective, plan):
                    yield spot, plan
            return
        for step, seat, number, meld in self._melds():
            for end, longer in meld.spots(card):
                yield f"{end} {step}.{number + 1}", (seat, number, longer)

    def _swaps(self, card: str) -> Iterator[tuple[str, Any]]:
        """Black 2s that a card can be given for: the action; seat, meld, place, and the black 2."""
        if self._is_down or self._needs_no_swap():
            return
        for step, seat, number, meld in self._melds():
            for place in range(meld.low, meld.low + len(meld.cards)):
                if meld.is_set or not meld.is_wild(place) or meld.stands_for(place) != card:
                    continue
                two = meld.cards[place - meld.low]
                rest = list(self._plan().rest)
                rest.remove(card)
                rest = sorted([*rest, two], key=TYPES.index)
                if can_finish(self.objective, Plan(tuple(rest), wanted=two)):
                    end = "onto" if card[0] != "A" else "low" if place == 0 else "high"
                    yield f"{end} {step}.{number + 1}", (seat, number, place, two)

    def _needs_no_swap(self) -> bool:
        """Return whether what could be laid without a swap forbids one."""
        if self.options["swaps"] == "any" or self.table["plan"] is not None:
            return False
        return can_finish(self.objective, self._plan())

    def faults(self) -> list[str]:
        """The faults of the table as it is, without knowing how it came about."""
        table, faults = self.table, []
        names = sorted(map(type_of, card_names(table)))
        if names != sorted(TYPES * 2):
            faults.append("these are not the cards of two decks")
        if table["phase"] != "over" and len(self.legal_actions()) < 2:
            faults.append(f"asked without a choice: {self.legal_actions()}")
        for melds in table["melds"]:
            for laid in melds:
                if laid_of(meld_of(laid)) != laid or not is_meld(meld_of(laid)):
                    faults.append(f"{laid} is no meld")
            if melds and [laid["kind"] for laid in melds] != kinds_of(self.objective):
                faults.append(f"{melds} are not objective {self.objective}")
        if not set(table["shown"]) <= {card for hand in table["hands"] for card in hand}:
            faults.append(f"{table['shown']} are not in a hand")
        return faults

    # ---- What an action does --------------------------------------------------------------------

    def apply(self, action: str, theirs: Table) -> None:
        """Plays a legal action on the referee's own table; `theirs` is the engine's after it."""
        assert action in self.legal_actions(), f"not legal: {action}"
        self._theirs = theirs
        self._do(action)
        if self._unordered is not None and not self._awaits_deal:
            assert set(theirs["draw_pile"]) == self._unordered
            self.table["draw_pile"] = list(theirs["draw_pile"])
        self._unordered = None

    def _do(self, action: str) -> None:
        table = self.table
        word, _, what = action.partition(" ")
        match word:
            case "may":
                self._event(
                    "ask", table["seat"], type_of(table["offer"]), number_of(table["offer"])
                )
                table.update(asker=table["seat"], seat=table["on_turn"], phase="answer")
            case "pass":
                self._ask_after(table["seat"])
            case "grant" | "refuse":
                self._answer(word)
            case "take":
                self._take()
            case "draw":
                self._draw_and_play()
            case "discard":
                self._discard(what)
            case "set" | "run":
                steps = self._plan().begins(self.objective)
                self._plan_on(dict(steps)[action], planned=table["plan"] or {"swap": None})
            case "swap":
                table["chosen"] = what
                self._advance("swap")
            case "lay" if table["phase"] == "fill":
                self._plan_on(dict(self._plan().fills())[action], planned=table["plan"])
            case "lay":
                table["chosen"] = what
                self._advance("place")
            case _:
                self._place(action)

    def _answer(self, word: str) -> None:
        table = self.table
        asker, card = table["asker"], table["offer"]
        way = (asker - table["on_turn"]) % self.seats
        self._event(word, table["on_turn"], type_of(card), number_of(card), way)
        table["asker"] = None
        if word == "refuse":
            table["refused"] = sorted([*table["refused"], asker])
            self._ask_after(asker)
            return
        self._take_discard(asker)
        if self._draw(asker) is None:
            table["refused"] = []
            self._end_round("no card to draw")
        else:
            self._draw_and_play()

    def _take(self) -> None:
        table = self.table
        card = self._take_discard(table["on_turn"])
        table.update(taken=card, asker=None, refused=[])
        self._event("take", table["on_turn"], type_of(card), number_of(card))
        self._advance("play")

    def _take_discard(self, seat: int) -> str:
        table = self.table
        card: str = table["discards"].pop()["card"]
        assert card == table["offer"]
        table.update(offer=None, offered_by=None)
        self._give(seat, card)
        table["shown"] = in_order([*table["shown"], card])
        return card

    def _draw_and_play(self) -> None:
        table = self.table
        card = self._draw(table["on_turn"])
        table.update(offer=None, offered_by=None, refused=[])
        if card is None:
            self._end_round("no card to draw")
            return
        table["drawn"] = card
        self._advance("play")

    def _draw(self, seat: int) -> str | None:
        """Draws a card; an empty draw pile is made anew of the discards but the last."""
        table = self.table
        if not table["draw_pile"] and not self._unordered:
            if len(table["discards"]) < 2:
                return None
            *below, top = table["discards"]
            table["discards"] = [top]
            table["shuffles"] += 1
            self._unordered = {made["card"] for made in below}
            table["shuffle_of"].update(dict.fromkeys(self._unordered, table["shuffles"]))
            self._event("shuffle", table["on_turn"])
        if self._unordered:
            card = self._drawn_by_them(seat)
            self._unordered.remove(card)
        else:
            card = table["draw_pile"].pop(0)
        self._give(seat, card)
        return card

    def _drawn_by_them(self, seat: int) -> str:
        """The card of a draw pile just shuffled that the engine gave to a seat."""
        assert self._unordered
        theirs = self._theirs
        for card in theirs["hands"][seat]:
            if card in self._unordered and card not in self.table["hands"][seat]:
                return str(card)
        return min(self._unordered)  # the round has ended since, and nobody can tell

    def _discard(self, card: str) -> None:
        table = self.table
        seat = table["on_turn"]
        discarded = self._open(card)
        table["discards"].append({"card": discarded, "by": seat})
        self._event("discard", seat, card, number_of(card))
        if not table["hands"][seat]:
            self._end_round("last card laid")
        else:
            self._begin_turn((seat + 1) % self.seats)

    def _begin_turn(self, seat: int) -> None:
        table = self.table
        table.update(taken=None, drawn=None, refused=[])
        turns = self.options["turn_limit"] * (2 if self.objective == NO_DISCARDO else 1)
        if table["turn"] == min(turns, 65535):
            self._end_round("turn limit")
            return
        table["turn"] += 1
        table["on_turn"] = seat
        if not table["discards"]:
            self._draw_and_play()
            return
        last = table["discards"][-1]
        table.update(offer=last["card"], offered_by=last["by"])
        self._ask_after(seat)

    def _ask_after(self, seat: int) -> None:
        """Asks the next seat whether it wants the discard; not the one that made it."""
        table = self.table
        seat = (seat + 1) % self.seats
        if seat == table["offered_by"] and seat != table["on_turn"]:
            seat = (seat + 1) % self.seats
        table.update(seat=seat, phase="start" if seat == table["on_turn"] else "ask")

    def _advance(self, phase: str) -> None:
        """The seat on turn is asked, unless it has no choice."""
        self.table.update(seat=self.table["on_turn"], phase=phase)
        legal = self.legal_actions()
        assert legal
        if len(legal) == 1:
            self._do(*legal)

    # ---- Laying ---------------------------------------------------------------------------------

    def _place(self, action: str) -> None:
        """Lays or swaps the chosen card where the action says."""
        table = self.table
        card = table["chosen"]
        if table["phase"] == "swap":
            seat, number, place, two = dict(self._swaps(card))[action]
            table["chosen"] = None
            given = self._card_of(table["hands"][table["on_turn"]], card)
            got = min(c for c in self._laid_cards() if type_of(c) == two)
            swap = {"given": given, "got": got, "seat": seat, "meld": number, "place": place}
            rest = in_order([*self._without(table["hands"][table["on_turn"]], given), got])
            plan = Plan(tuple(map(type_of, rest)), wanted=two)
            self._plan_on(plan, planned={"swap": swap, "rest": rest})
            return
        found = dict(self._places(card))[action]
        table["chosen"] = None
        if table["plan"] is not None:
            self._plan_on(found, planned=table["plan"])
            return
        seat, number, longer = found
        self._open(card)
        table["melds"][seat][number] = laid_of(longer)
        self._event("lay", table["on_turn"], card, number_of(card), self._place_of(seat, number))
        if not table["hands"][table["on_turn"]]:
            self._end_round("last card laid")
        else:
            self._advance("play")

    def _plan_on(self, plan: Plan, planned: Table) -> None:
        """Takes over a plan, in which at most one card has gone from the rest."""
        table = self.table
        rest = list(planned.get("rest", table["hands"][table["on_turn"]]))
        have, need = [type_of(card) for card in rest], list(plan.rest)
        for name in need:
            have.remove(name)
        for name in have:
            swapped = planned["swap"] and planned["wanted"] == name
            rest.remove(planned["swap"]["got"] if swapped else self._card_of(rest, name))
        table["plan"] = {
            "rest": in_order(rest),
            "melds": [laid_of(meld) for meld in plan.melds],
            "to_fill": plan.to_fill,
            "wanted": plan.wanted,
            "swap": planned["swap"],
        }
        if plan.is_complete(self.objective):
            self._lay_down()
        elif plan.to_fill:
            self._advance("fill")
        elif len(plan.melds) < sum(OBJECTIVES[self.objective - 1]):
            self._advance("meld")
        else:
            self._advance("extend")

    def _lay_down(self) -> None:
        """The swap and all melds happen at once."""
        table = self.table
        seat, planned = table["on_turn"], table["plan"]
        swap = planned["swap"]
        if swap:
            run = meld_of(table["melds"][swap["seat"]][swap["meld"]])
            cards = list(run.cards)
            cards[swap["place"] - run.low] = type_of(swap["given"])
            table["melds"][swap["seat"]][swap["meld"]] = laid_of(run._replace(cards=tuple(cards)))
            place = self._place_of(swap["seat"], swap["meld"])
            self._event("swap", seat, type_of(swap["given"]), number_of(swap["given"]), place)
        table["hands"][seat] = planned["rest"]
        table["melds"][seat] = planned["melds"]
        for meld in map(meld_of, planned["melds"]):
            size = len(meld.cards)
            if meld.is_set:
                self._event("set", seat, meld.of, RANKS.index(meld.of) + 1, size)
            else:
                name = "".join(RANKS[(meld.low + i) % 13] for i in range(size)) + meld.of
                self._event("run", seat, name, 1 + SUITS.index(meld.of) * PLACES + meld.low, size)
        table.update(plan=None, drawn=None)
        held = {card for hand in table["hands"] for card in hand}
        table["shown"] = [card for card in table["shown"] if card in held]
        if not table["hands"][seat]:
            no_discardo = self.objective == NO_DISCARDO
            self._end_round("No Discardo" if no_discardo else "last card laid")
        else:
            self._advance("play")

    def _place_of(self, seat: int, meld: int) -> int:
        """The number of a meld in an event."""
        return 1 + 3 * ((seat - self.table["on_turn"]) % self.seats) + meld

    # ---- How a round and a game end -------------------------------------------------------------

    def _end_round(self, ending: str) -> None:
        table = self.table
        self._event("over", table["on_turn"], ending, ENDINGS.index(ending))
        table.update(offer=None, offered_by=None, taken=None, drawn=None)
        points = [points_of(hand, self.objective) for hand in table["hands"]]
        out = ending in ("last card laid", "No Discardo")
        winner = table["on_turn"] if out else -1
        table["scores"] = [have + new for have, new in zip(table["scores"], points, strict=True)]
        table["result"] = {
            "round": table["round"],
            "winner": winner,
            "ending": ending,
            "points": points,
        }
        over = (
            self.options["episode"] == "round"
            or self.objective == NO_DISCARDO
            or table["round"] + 1 == self.options["rounds"]
        )
        for seat, reward in enumerate(self._rewards(points, over)):
            table["returns"][seat] += reward
        if over:
            held = in_order(card for hand in table["hands"] for card in hand)
            table.update(phase="over", seat=-1, shown=held)
        else:
            self._awaits_deal = True

    def _rewards(self, points: list[int], over: bool) -> list[float]:
        scores = self.table["scores"]
        if self.options["reward"] == "score":
            return [-float(count) for count in points]
        if not over:
            return [0.0] * self.seats
        if self.options["reward"] == "win":
            return [(score == min(scores)) / scores.count(min(scores)) for score in scores]
        return [
            float(sum(score < other for other in scores) - sum(score > other for other in scores))
            for score in scores
        ]

    # ---- Comparing with the engine --------------------------------------------------------------

    def differences(self, theirs: Table) -> list[str]:
        """Differences of the engine's table from the referee's."""
        if self._awaits_deal:
            self._adopt_deal(theirs)
        return differences(self.table, theirs)

    def _adopt_deal(self, theirs: Table) -> None:
        """Starts the next round with the engine's cards, if they can have been dealt."""
        starter = (self.table["starter"] + 1) % self.seats
        faults = deal_faults(theirs)
        assert not faults, faults
        self.table.update(
            round=self.table["round"] + 1,
            objective=self.objective + 1,
            turn=0,
            starter=starter,
            on_turn=starter,
            discards=copied(theirs["discards"]),
            draw_pile=list(theirs["draw_pile"]),
            hands=copied(theirs["hands"]),
            shuffles=0,
            shuffle_of=dict.fromkeys(DECK, 0),
            shown=[],
            melds=[[] for _ in range(self.seats)],
            plan=None,
        )
        if self.options["turned_up"]:
            top = self.table["discards"][0]["card"]
            self._event("deal", starter, type_of(top), number_of(top))
        else:
            self.table["draw_pile"].insert(0, theirs["drawn"])
            self.table["hands"][starter].remove(theirs["drawn"])
            self._event("deal", starter)
        self._begin_turn(starter)
        self._awaits_deal = False

    # ---- Small things ---------------------------------------------------------------------------

    def _card_of(self, held: Iterable[str], name: str) -> str:
        """The one of two equal cards that goes: one that everybody knows, else at random."""
        cards = in_order(card for card in held if type_of(card) == name)
        cards = [card for card in cards if card in self.table["shown"]] or cards
        if len({self.table["shuffle_of"][card] for card in cards}) == 1:
            return cards[0]
        return min(cards, key=self._where_they_have)

    def _where_they_have(self, card: str) -> tuple[bool, bool]:
        """Orders cards of the hand on turn: by the engine laid, then discarded, then kept."""
        theirs = self._theirs
        kept = theirs["plan"]["rest"] if theirs["plan"] else theirs["hands"][self.table["on_turn"]]
        return card in kept, card in [made["card"] for made in theirs["discards"]]

    def _without(self, cards: list[str], card: str) -> list[str]:
        return [held for held in cards if held != card]

    def _laid_cards(self) -> set[str]:
        """The cards in melds: all that lie nowhere else."""
        table = self.table
        elsewhere = {*table["draw_pile"], *(made["card"] for made in table["discards"])}
        return set(DECK) - elsewhere - {card for hand in table["hands"] for card in hand}

    def _give(self, seat: int, card: str) -> None:
        self.table["hands"][seat] = in_order([*self.table["hands"][seat], card])

    def _open(self, name: str) -> str:
        """A card of the hand on turn lies open from now on."""
        table = self.table
        hand = table["hands"][table["on_turn"]]
        card = self._card_of(hand, name)
        hand.remove(card)
        table["shown"] = self._without(table["shown"], card)
        table["drawn"] = None
        return card

    def _event(
        self, event: str, seat: int, text: str = "", detail: int = 0, place: int = 0
    ) -> None:
        new = {"seat": seat, "event": event, "text": text, "detail": detail, "place": place}
        self.table["events"] = remember(self.table["events"], new)


def card_names(table: Table) -> list[str]:
    """Every card, wherever it lies; those in melds without the mark of their deck."""
    names = [*table["draw_pile"], *(made["card"] for made in table["discards"])]
    for hand in table["hands"]:
        names += hand
    for melds in table["melds"]:
        for laid in melds:
            names += laid["cards"]
    return names


def legal_actions(table: Table) -> set[str]:
    """The texts of all that the seat to act may do."""
    return RummyReferee(table).legal_actions()


def deal_faults(table: Table) -> list[str]:
    """The faults of a table at the first decision of a round."""
    seats, starter = table["options"]["num_players"], table["starter"]
    faults = RummyReferee(table).faults()
    up = table["options"]["turned_up"]
    sizes = [len(hand) for hand in table["hands"]]
    if sizes != [HAND + (not up and seat == starter) for seat in range(seats)]:
        faults.append(f"hand sizes {sizes}")
    if [made["by"] for made in table["discards"]] != [None] * up:
        faults.append(f"{table['discards']} is turned up")
    first = "ask" if up else "play"
    if table["on_turn"] != starter or table["turn"] != 1 or table["phase"] != first:
        faults.append("the starter's turn has not begun")
    return faults
