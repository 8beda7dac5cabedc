"""Refusals: tables of Mhing with one thing in them that no play leads to."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from every_game import Table
from matches import Match
from reference.cards import NAMES
from reference.referee import Referee

FOLLOWS = {"turn", "on_turn", "offer", "offered_by", "claimed_from", "to_ask", "rewards", "game"}
"""Keys that follow from others."""


def check_refused(match: Match, rng: Random) -> None:
    """A table with one thing in it that no play leads to is not taken."""
    table = {key: value for key, value in match.state.to_dict().items() if key not in FOLLOWS}
    if table["phase"] != "claim":
        del table["seat"]
    damage = rng.choice(DAMAGES)
    if not damage(table, match.referee, rng):
        return
    try:
        match.state.game.state_from_dict(table)
    except ValueError:
        return
    raise AssertionError(f"taken: {damage.__name__}")


def odd_score(table: Table, referee: Referee, rng: Random) -> bool:
    table["scores"][rng.randrange(referee.seats)] += 1
    return True


def won_already(table: Table, referee: Referee, rng: Random) -> bool:
    """A score that would have ended the game."""
    options, seat = table["options"], rng.randrange(referee.seats)
    table["scores"][seat] = target = options["target"] + options["target"] % 2
    del table["returns"]
    return bool(target and options["episode"] == "game" and options["scoring"] == "points")


def more_chips(table: Table, referee: Referee, rng: Random) -> bool:
    if table["chips"]:
        table["chips"][rng.randrange(referee.seats)] += 2
    return bool(table["chips"])


def no_rounds_left(table: Table, referee: Referee, rng: Random) -> bool:
    rounds = table["options"]["rounds"]
    if table["options"]["episode"] == "round" or rounds < 1 or table["round"] == 0:
        return False
    table["round"] = rounds
    del table["result"]["round"]
    return table["options"]["dealer"] < 0


def no_decisions(table: Table, referee: Referee, rng: Random) -> bool:
    table["decisions"] = 0
    return bool(table["discards"])


def another_drawn(table: Table, referee: Referee, rng: Random) -> bool:
    """A card drawn that the seat has not got, or in a turn that began with a claim."""
    seat = referee.table["on_turn"]
    laid = [meld for meld in table["melds"][seat] if meld["from"] is None]
    held = {*table["hands"][seat]}
    absent = [name for name in NAMES if name not in held and name != "F"]
    table["drawn"] = rng.choice(absent)
    return table["phase"] == "turn" and not laid


def another_discarder(table: Table, referee: Referee, rng: Random) -> bool:
    if table["discards"]:
        made = rng.choice(table["discards"])
        made["by"] = (made["by"] + 1) % referee.seats
    return bool(table["discards"])


def another_source(table: Table, referee: Referee, rng: Random) -> bool:
    """A meld whose discard another seat has made."""
    melds = [meld for laid in table["melds"] for meld in laid if meld["from"] is not None]
    if melds:
        meld = rng.choice(melds)
        meld["from"] = (meld["from"] + 1) % referee.seats
    return bool(melds)


def claim_of_nobody(table: Table, referee: Referee, rng: Random) -> bool:
    """A meld that was laid from the hand, said to have a discard of another seat."""
    melds = [
        (seat, meld)
        for seat, laid in enumerate(table["melds"])
        for meld in laid
        if meld["from"] is None
    ]
    if melds:
        seat, meld = rng.choice(melds)
        meld["from"] = (seat + rng.randrange(1, referee.seats)) % referee.seats
    return bool(melds)


def card_more(table: Table, referee: Referee, rng: Random) -> bool:
    """A card too many in a hand."""
    cards = [card for card in table["source"] if card != "F"]
    if cards:
        table["source"].remove(cards[0])
        table["hands"][rng.randrange(referee.seats)].append(cards[0])
    return bool(cards)


def answer_of_nobody(table: Table, referee: Referee, rng: Random) -> bool:
    """An answer that is given too early, or of cards that the seat has not got."""
    if table["phase"] != "claim":
        return False
    seat = rng.choice([table["seat"], *referee.table["to_ask"]])
    word = "pass"
    if table["claims"] and rng.random() < 0.5:
        seat = table["claims"].pop(rng.randrange(len(table["claims"])))["seat"]
        others = {f"triplet {name * 3}" for name in "ESWN"} | {"mhing", "discard J"}
        word = rng.choice(sorted(others - referee.claims(seat)))
    table["claims"].append({"seat": seat, "action": word})
    return True


def passed_over(table: Table, referee: Referee, rng: Random) -> bool:
    if table["claims"]:
        table["claims"].pop(rng.randrange(len(table["claims"])))
        return True
    if table["phase"] == "claim" and referee.table["to_ask"]:
        table["seat"] = rng.choice(referee.table["to_ask"])
        return True
    return False


def asked_in_vain(table: Table, referee: Referee, rng: Random) -> bool:
    """A seat is asked that has nothing to claim with."""
    if table["phase"] != "claim":
        return False
    idle = [seat for seat in range(referee.seats) if not referee.claims(seat)]
    table["seat"] = rng.choice([referee.table["on_turn"], *idle])
    return True


Damage = Callable[[Table, Referee, Random], bool]

DAMAGES: list[Damage] = [
    odd_score,
    won_already,
    more_chips,
    no_rounds_left,
    no_decisions,
    another_drawn,
    another_discarder,
    another_source,
    claim_of_nobody,
    card_more,
    answer_of_nobody,
    passed_over,
    asked_in_vain,
]
"""Each changes a table into one that no play leads to, or says that this one does not lend itself
to it."""
