"""Signs of the rules of Mexican Rummy in play."""

from __future__ import annotations

from reference.rummy_melds import type_of
from reference.rummy_plan import OBJECTIVES, TWOS

from rules.touched import Move, Table, Touches

UNTOUCHED = {
    "R1.1": "Every deal has these decks.",
    "R1.2": "Every run shows it; R3.2 has the ace.",
    "R1.4": "It is about texts.",
    "R8.2": "They are examples.",
    "R9.1": "It is about numbers of actions.",
    "R9.6": "It is about observations.",
    "R9.7": "It is about a command.",
    "R10.1": "It is about states as data.",
    "R10.2": "It is about states as data.",
    "R11.1": "It is about options.",
    "R11.2": "It is about options.",
    "R11.3": "It is about options.",
}
"""Rules that no action shows, and why."""


def _laid_down(move: Move) -> list[Table]:
    """The melds of the seat on turn, if it has just laid them down."""
    before, after = move.before, move.after
    seat = before["on_turn"]
    same = before["round"] == after["round"]
    return after["melds"][seat] if same and not before["melds"][seat] else []


def _two_of_different_shuffles(move: Move) -> bool:
    """Return whether the card discarded is one of two that a shuffle has separated."""
    table, (word, _, card) = move.before, move.action.partition(" ")
    held = [have for have in table["hands"][table["on_turn"]] if type_of(have) == card]
    return word == "discard" and len({table["shuffle_of"][have] for have in held}) == 2


def _swapped_at_an_end(move: Move) -> bool:
    """Return whether the black 2 lay at an end of its run, where it can have been laid off."""
    swap = (move.before["plan"] or {}).get("swap")
    if not swap or not move.has("swap"):
        return False
    run = move.before["melds"][swap["seat"]][swap["meld"]]
    return swap["place"] in (run["low"], run["low"] + len(run["cards"]) - 1)


def _wild_left(move: Move) -> bool:
    """Return whether a round with runs ends with a black 2 in a hand that does not play."""
    table = move.before
    hands = [hand for seat, hand in enumerate(table["hands"]) if seat != table["on_turn"]]
    wild = OBJECTIVES[table["objective"] - 1][1] > 0
    return move.ends() and wild and any(type_of(card) in TWOS for hand in hands for card in hand)


TOUCHED: Touches = {
    "R1.3": lambda move: any("*" in meld["text"] for meld in _laid_down(move)),
    "R1.5": _two_of_different_shuffles,
    "R2.1": lambda move: (
        move.after["turn"] == move.before["turn"] + 1
        and move.after["on_turn"]
        == (move.before["on_turn"] + 1) % move.after["options"]["num_players"]
    ),
    "R2.2": lambda move: (
        move.begins_round() and move.after["objective"] == move.before["objective"] + 1
    ),
    "R2.3": lambda move: move.before["round"] == 0 and move.before["objective"] > 1,
    "R2.4": lambda move: (
        move.begins_round() and {len(hand) for hand in move.after["hands"]} == {10}
    ),
    "R2.5": lambda move: (
        move.begins_round()
        and move.after["starter"]
        == (move.before["starter"] + 1) % move.after["options"]["num_players"]
    ),
    "R3.1": lambda move: any(
        meld["kind"] == "set" and len(set(meld["cards"])) < len(meld["cards"])
        for meld in _laid_down(move)
    ),
    "R3.2": lambda move: any(
        meld["kind"] == "run" and "A" in meld["text"] for meld in _laid_down(move)
    ),
    "R4.1": lambda move: move.action in ("draw", "take") and move.before["phase"] == "start",
    "R4.2": lambda move: move.has("grant"),
    "R4.3": lambda move: any(
        event["event"] == "lay" and event["place"] > 3 for event in move.events
    ),
    "R4.4": lambda move: move.has("discard"),
    "R5.1": lambda move: move.has("swap"),
    "R5.2": _swapped_at_an_end,
    "R5.3": lambda move: move.has("swap") and move.has("set"),
    "R6.1": lambda move: move.ends("No Discardo"),
    "R7.1": lambda move: move.ends("last card laid"),
    "R7.2": lambda move: move.has("shuffle"),
    "R7.3": lambda move: move.ends("no card to draw"),
    "R7.4": lambda move: move.ends("turn limit"),
    "R8.1": _wild_left,
    "R8.3": lambda move: (
        move.after["phase"] == "over" and move.after["options"]["episode"] == "game"
    ),
    "R8.4": lambda move: any(move.after["rewards"]),
    "R9.2": lambda move: move.before["phase"] == "fill",
    "R9.3": lambda move: move.before["plan"] is not None,
    "R9.4": lambda move: move.action.startswith("set") and bool(_laid_down(move)),
    "R9.5": lambda move: move.before["phase"] in ("place", "swap"),
    "R10.3": lambda move: move.after["phase"] == "over",
}
