"""Signs of the rules of Mhing in play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from reference.cards import JOKER, NAMES, TYPES, Meld, parse_meld, parse_starred
from reference.referee import PRIORITY
from reference.scoring import covers, meld_credits

from rules.touched import Move, Table, Touches

UNTOUCHED = {
    "R1.1": "Every deal has this deck.",
    "R1.5": "It is about texts.",
    "R6.7": "Nobody has twelve fives and two jokers by chance.",
    "R7.3": "They are examples.",
    "R9.1": "It is about options.",
    "R9.2": "It is about options.",
    "R9.3": "It is about options.",
    "R10.1": "It is about numbers of actions.",
    "R10.2": "It is about texts.",
    "R10.5": "It is about observations.",
    "R10.6": "It is about a command.",
    "R11.1": "It is about states as data.",
    "R11.2": "It is about states as data.",
}
"""Rules that no action shows, and why."""


def _begins_turn(move: Move) -> bool:
    return bool(move.after["turn"] == move.before["turn"] + 1)


def _next(move: Move) -> int:
    """The seat after the one on turn."""
    return int((move.before["on_turn"] + 1) % move.before["options"]["num_players"])


def _laid(move: Move, *kinds: str) -> Iterator[tuple[int, Meld]]:
    """The seats that have laid a meld, each with the meld."""
    for event in move.events:
        if event["event"] in (kinds or ("claim", "lay_down")):
            yield event["seat"], parse_meld(event["text"])


def _answers(move: Move) -> list[str]:
    """The answers to the discard on offer with this action, if that was one."""
    if move.before["phase"] != "claim":
        return []
    return [*(claim["action"] for claim in move.before["claims"]), move.action]


def _words(move: Move) -> list[str]:
    """Those answers that claim something, each by its call."""
    return [answer.split()[0] for answer in _answers(move) if answer != "pass"]


def _resolves(move: Move) -> bool:
    """Return whether nobody is asked about the discard any more."""
    return move.before["phase"] == "claim" and not move.before["to_ask"]


def _outranks(move: Move) -> bool:
    """Return whether another claim wins than the one that was made first."""
    words = _words(move)
    return _resolves(move) and bool(words) and max(words, key=PRIORITY.__getitem__) != words[0]


def _result(move: Move) -> Table:
    """The result of a round that a declaration has just ended, else an empty one."""
    result: Table = move.after["result"]
    return result if move.ends() and result["winner"] >= 0 else {}


def _parts(move: Move) -> dict[str, int]:
    return dict(_result(move).get("parts", []))


def _groups(move: Move) -> list[tuple[list[int], list[int]]]:
    """The groups of a hand declared, each with the places of its jokers."""
    return [parse_starred(text) for text in _result(move).get("arrangement", [])]


def _triplets(move: Move) -> list[int]:
    """The types of its triplets."""
    return [cards[0] for cards, _ in _groups(move) if len(cards) == 3 and len({*cards}) == 1]


def _declares(move: Move, phase: str) -> bool:
    return move.action == "mhing" and move.before["phase"] == phase and bool(_result(move))


def _fifth_copy(move: Move) -> bool:
    """Return whether a joker laid stands for a card of which its player can see all four."""
    for seat, meld in _laid(move):
        melds = [laid for melds in move.after["melds"] for laid in melds]
        used = Counter(card for laid in melds for card in _naturals(laid))
        used.update(made["card"] for made in move.after["discards"] if made["taken_by"] is None)
        used.update(move.after["hands"][seat])
        if any(used[NAMES[meld.cards[place]]] == 4 for place in meld.jokers):
            return True
    return False


def _naturals(laid: Table) -> list[str]:
    return [card for place, card in enumerate(laid["cards"]) if place not in laid["jokers"]]


def _keeps_a_joker_laid(move: Move) -> bool:
    """Return whether a player discards the card that a joker in a meld on the table stands for."""
    if not move.has("discard"):
        return False
    return any(
        meld["cards"][place] == move.action.split()[1]
        for melds in move.before["melds"]
        for meld in melds
        for place in meld["jokers"]
    )


def _second_pass(move: Move) -> bool:
    """Return whether a replacement for a flower that was dealt is a flower."""
    if not move.begins_round():
        return False
    dealt = [event["event"] for event in move.after["events"]]
    begun = len(dealt) - dealt[::-1].index("deal")
    dealer, seats = move.after["dealer"], move.after["options"]["num_players"]
    order = [(event["seat"] - dealer) % seats for event in move.after["events"][begun:]]
    return any(seat for at, seat in enumerate(order) if seat < max(order[:at], default=0))


def _several_ways(move: Move) -> bool:
    """Return whether a hand declared has arrangements that earn different credits."""
    result = _result(move)
    if result.get("shape") != "melds":
        return False
    naturals = Counter(TYPES[card] for card in result["hand"] if TYPES[card] != JOKER)
    if len(result["hand"]) - naturals.total() > 3:
        return True  # four jokers fit into more than one, and into too many to try them all
    laid = [parse_meld(text).cards for text in result["melds"]]
    found = {
        sum(meld_credits((*laid, *melds), pair).values())
        for melds, pair in covers(naturals, 4 - len(laid))
    }
    return len(found) > 1


def _alike(move: Move) -> bool:
    """Return whether some combination counts for every two, or every choice, of more than these."""
    least = {"double sequence": 3, "double triplet": 3, "broken royal run": 2, "royal run": 6}
    parts = _parts(move)
    return parts.get("identical double sequence", 0) in (9, 18) or any(
        parts.get(name, 0) >= credits for name, credits in least.items()
    )


def _natural_kept(move: Move) -> bool:
    """True if the hand holds the natural card that a joker in the meld just laid stands for."""
    return any(
        NAMES[meld.cards[place]] in move.after["hands"][seat]
        for seat, meld in _laid(move)
        for place in meld.jokers
    )


def _paid(move: Move) -> list[int]:
    """The payments of the seats that have not declared, where payments decide."""
    result = _result(move)
    if move.after["options"]["scoring"] != "chips" or not result.get("points"):
        return []
    return [-paid for paid in result["payments"] if paid <= 0]


def _game_over(move: Move, scoring: str) -> bool:
    options = move.after["options"]
    return (move.after["phase"], options["episode"], options["scoring"]) == (
        "over",
        "game",
        scoring,
    )


def _rounds_over(move: Move) -> bool:
    return bool(move.after["round"] + 1 == move.after["options"]["rounds"])


def _tied(move: Move) -> bool:
    """Return whether a game ends with the most that anybody has twice."""
    for scoring, key in (("points", "scores"), ("chips", "chips")):
        if _game_over(move, scoring):
            return bool(move.after[key].count(max(move.after[key])) > 1)
    return False


TOUCHED: Touches = {
    "R1.2": lambda move: any(len(jokers) > 1 for _, jokers in _groups(move)),
    "R1.3": _fifth_copy,
    "R1.4": lambda move: "flower" in _parts(move),
    "R2.1": lambda move: _begins_turn(move) and move.after["on_turn"] == _next(move),
    "R2.2": lambda move: (
        move.begins_round()
        and move.after["dealer"]
        == (move.before["dealer"] + 1) % move.after["options"]["num_players"]
    ),
    "R2.3": lambda move: (
        move.begins_round() and {len(hand) for hand in move.after["hands"]} == {13, 14}
    ),
    "R2.4": _second_pass,
    "R3.1": lambda move: _begins_turn(move) and move.has("flower"),
    "R3.2": lambda move: _declares(move, "turn"),
    "R3.3": lambda move: move.action == "discard J",
    "R3.4": _keeps_a_joker_laid,
    "R3.5": lambda move: move.has("wash"),
    "R4.1": lambda move: any(
        meld.is_sequence and seat != _next(move) for seat, meld in _laid(move, "claim")
    ),
    "R4.2": lambda move: move.before["offer"] == "J" and any(_laid(move, "claim")),
    "R4.3": lambda move: "mhing" in _answers(move)[:-1],
    "R4.4": _outranks,
    "R4.5": lambda move: any(_laid(move, "claim")) and move.after["drawn"] is None,
    "R4.6": lambda move: _resolves(move) and "mhing" in _words(move),
    "R4.7": lambda move: bool(_words(move)) and not move.events,
    "R4.8": lambda move: _resolves(move) and not _words(move) and _begins_turn(move),
    "R4.9": lambda move: _declares(move, "turn") and move.before["claimed_from"] is not None,
    "R5.1": lambda move: 0 < len(_triplets(move)) < 4,
    "R5.2": lambda move: bool(_result(move).get("melds")),
    "R5.3": lambda move: _result(move).get("shape") == "nothing connects",
    "R5.4": lambda move: "seven pairs" in _parts(move),
    "R5.5": _several_ways,
    "R6.1": lambda move: len(_parts(move)) > 2,
    "R6.2": _alike,
    "R6.3": lambda move: "three dragons" in _parts(move),
    "R6.4": lambda move: len([card for card in _triplets(move) if card >= 27]) > 1,
    "R6.5": lambda move: _result(move).get("shape") == "nothing connects",
    "R6.6": lambda move: {*_parts(move)} - {"flower"} > {"seven pairs"},
    "R7.1": lambda move: _result(move).get("credits", 0) > 5,
    "R7.2": lambda move: _result(move).get("credits") == 0,
    "R8.1": lambda move: move.begins_round(),
    "R8.2": lambda move: (
        _game_over(move, "points")
        and max(move.after["scores"]) >= move.after["options"]["target"] > 0
    ),
    "R8.3": lambda move: _game_over(move, "points") and _rounds_over(move),
    "R8.4": lambda move: bool(_paid(move)),
    "R8.5": lambda move: 2 * _result(move).get("points", 0) in _paid(move),
    "R8.6": lambda move: bool(_paid(move)) and min(_paid(move)) < move.after["result"]["points"],
    "R8.7": lambda move: _game_over(move, "chips"),
    "R8.8": _tied,
    "R9.4": lambda move: any(move.after["rewards"]),
    "R10.3": _natural_kept,
    "R10.4": lambda move: any(_laid(move, "lay_down")),
    "R11.3": lambda move: move.after["phase"] == "over" and _resolves(move) and move.has("mhing"),
}
