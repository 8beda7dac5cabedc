"""Signs of the rules of General Mhing in play."""

from __future__ import annotations

from collections.abc import Iterator

from reference.general_mhing import SEQUENCES

from rules.touched import Move, Table, Touches

UNTOUCHED = {
    "R1.1": "Every deal has this deck.",
    "R1.4": "It is about texts.",
    "R4.3": "It says what does not occur.",
    "R5.4": "They are examples.",
    "R7.1": "It is about options.",
    "R7.2": "It is about options.",
    "R7.3": "It is about options.",
    "R8.1": "It is about numbers of actions.",
    "R8.2": "It is about numbers of actions.",
    "R8.4": "It is about observations.",
    "R8.5": "It is about a command.",
    "R9.1": "It is about states as data.",
    "R9.2": "It is about states as data.",
}
"""Rules that no action shows, and why."""


def _laid(move: Move) -> Iterator[Table]:
    """The events of sequences laid."""
    return (event for event in move.events if event["event"] == "sequence")


def _word(move: Move) -> str:
    return move.action.split()[0]


def _begins_turn(move: Move) -> bool:
    return bool(move.after["turn"] == move.before["turn"] + 1)


def _changes_numbers(move: Move) -> bool:
    """Return whether a swap makes other numbers of a sequence."""
    if _word(move) != "swap" or move.begins_round():
        return False
    seat = move.before["on_turn"]
    before, after = (
        [SEQUENCES[laid["text"]].kind for laid in table["sequences"][seat]]
        for table in (move.before, move.after)
    )
    return before != after


def _offer_after_a_sequence(move: Move) -> bool:
    """True if nobody is asked about the top of the pile, since a sequence was laid after it."""
    after = move.after
    laid = next(_laid(move), None)
    return bool(laid and after["discards"] and after["phase"] == "play" and _begins_turn(move))


def _parts(move: Move) -> set[str]:
    """The names of what seats scored in the round that ends."""
    seats = move.after["result"]["seats"] if move.ends() else []
    return {name for seat in seats for name, _ in seat["parts"]}


def _ace_scores(move: Move) -> bool:
    """Return whether an ace stands for another card where a round ends with points."""
    seats = move.after["result"]["seats"] if move.ends() else []
    return any(
        seat["tally"] and "*" in laid["text"] for seat in seats for laid in seat["sequences"]
    )


def _equal_tallies(move: Move, won: bool) -> bool:
    """Return whether a round ends with the highest score twice, and somebody wins it, or nobody."""
    if not move.ends():
        return False
    result = move.after["result"]
    tallies = [seat["tally"] for seat in result["seats"]]
    return tallies.count(max(tallies)) > 1 and (result["winner"] >= 0) == won


def _game_over(move: Move) -> bool:
    return bool(move.after["phase"] == "over" and move.after["options"]["episode"] == "game")


TOUCHED: Touches = {
    "R1.2": lambda move: any(event["text"][:3] in ("A23", "JQK") for event in _laid(move)),
    "R1.3": lambda move: any("*" in event["text"] for event in _laid(move)),
    "R2.1": lambda move: (
        _begins_turn(move)
        and move.after["on_turn"]
        == (move.before["on_turn"] + 1) % move.after["options"]["num_players"]
    ),
    "R2.2": lambda move: (
        move.begins_round()
        and move.after["starter"]
        == (move.before["starter"] + 1) % move.after["options"]["num_players"]
    ),
    "R2.3": lambda move: (
        move.begins_round() and {len(hand) for hand in move.after["hands"]} == {7, 8}
    ),
    "R3.1": _offer_after_a_sequence,
    "R3.2": lambda move: _word(move) == "take",
    "R3.3": lambda move: _word(move) == "sequence" and move.after["round"] == move.before["round"],
    "R3.4": _changes_numbers,
    "R3.5": lambda move: _word(move) == "swap" and move.action.split()[1] in move.before["drawn"],
    "R3.6": lambda move: _word(move) == "discard" and _begins_turn(move),
    "R3.7": lambda move: _word(move) == "take" and move.after["phase"] != "taken",
    "R4.1": lambda move: move.ends("fourth sequence"),
    "R4.2": lambda move: move.has("shuffle"),
    "R4.4": lambda move: move.ends("turn limit"),
    "R4.5": lambda move: move.ends("turn limit") and move.after["result"]["points"] > 0,
    "R5.1": lambda move: len(_parts(move)) == 4,
    "R5.2": _ace_scores,
    "R5.3": lambda move: (
        move.ends() and any(not seat["sequences"] for seat in move.after["result"]["seats"])
    ),
    "R5.5": lambda move: _equal_tallies(move, won=True) or _equal_tallies(move, won=False),
    "R6.1": lambda move: (
        _game_over(move) and max(move.after["scores"]) >= move.after["options"]["target"] > 0
    ),
    "R6.2": lambda move: (
        _game_over(move) and move.after["round"] + 1 == move.after["options"]["rounds"]
    ),
    "R6.3": lambda move: _game_over(move) and any(move.after["rewards"]),
    "R7.4": lambda move: move.ends() and any(move.after["rewards"]),
    "R8.3": lambda move: (
        _word(move) == "sequence" and move.action.split()[1][:3] != "A23" and "*" in move.action
    ),
    "R9.3": lambda move: move.after["phase"] == "over" and any(move.after["sequences"]),
}
