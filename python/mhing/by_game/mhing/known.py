"""What is known of a Mhing table from an observation, in the form of ``State.to_dict()``."""

from __future__ import annotations

from typing import Any

from mhing.by_game.mhing.scoring import score_hand
from mhing.render.seen import OVER, State
from mhing.render.sight import Sight

_ASKED = (1, 2)  # phases of an observer that is to act
_TAKER = 36  # added to a discard for each seat clockwise to the one that claimed it
_ENDS = ("mhing", "wash")


def known(sight: Sight) -> State:
    """Returns what the viewer knows; cards that it does not know are None."""
    last = sight.events[-1]
    on_turn = sight.seat_of("on_turn")
    offer = sight.card("offer")
    over = last["event"] in _ENDS
    phase = OVER if over else "claim" if offer else "turn"
    melds = _melds(sight)
    discards = _discards(sight)
    draws = phase == "turn" or (over and last["event"] == "mhing" and not last["detail"])
    return {
        **sight.head(),
        "turn": len(discards) + draws,  # every turn but the one in play has ended with a discard
        "dealer": sight.seat_of("dealer"),
        "phase": phase,
        "on_turn": on_turn,
        "seat": sight.seat if sight.number("phase") in _ASKED else None,
        "drawn": sight.card("drawn"),
        "offer": offer,
        "offered_by": sight.seat_of("offered_by"),
        "claimed_from": sight.seat_of("claimed_from"),
        "claims": [],
        "to_ask": [],
        "source": [None] * sight.number("source_left"),
        "hands": sight.hands(),
        "melds": melds,
        "flowers": [int(number) for number in sight.by_seat("flowers")],
        "discards": sorted(discards, key=lambda each: each["by"] == on_turn),  # the offered last
        "scores": sight.listed("scores"),
        "chips": sight.listed("chips"),
        "result": _result(sight, melds, over),
    }


def _melds(sight: Sight) -> list[list[dict[str, Any]]]:
    columns = (sight.by_seat(f"meld_{name}") for name in ("kind", "jokers", "from"))
    return [
        [
            {
                "text": sight.event_text("lay_down", kind, jokers),
                "from": (number + way) % sight.game.num_seats if way else None,
            }
            for kind, jokers, way in zip(*(each.tolist() for each in of_seat), strict=True)
            if kind
        ]
        for number, of_seat in enumerate(zip(*columns, strict=True))
    ]


def _discards(sight: Sight) -> list[dict[str, Any]]:
    """The discards, in the order of seats, and of every seat in the order made."""
    labels, seats = sight.game.labels["cards"], sight.game.num_seats
    return [
        {
            "card": labels[number % _TAKER - 1],
            "by": by,
            "taken_by": (by + number // _TAKER) % seats if number > _TAKER else None,
        }
        for by, row in enumerate(sight.by_seat("discards"))
        for number in row[row > 0].tolist()
    ]


# ---- How the round finished last ended --------------------------------------------------------


def _result(sight: Sight, melds: list[list[dict[str, Any]]], over: bool) -> dict[str, Any] | None:
    numbers = sight.last_round()
    if numbers is None:
        return None
    parts = zip(sight.game.labels["parts"], sight.listed("parts") or [], strict=True)
    return {
        **{name: numbers[name] for name in ("winner", "payer", "credits", "points")},
        "payments": sight.listed("payments"),
        "parts": [[name, count] for name, count in parts if count],
        "arrangement": _arrangement(sight, melds, numbers["winner"]) if over else [],
    }


def _arrangement(sight: Sight, melds: list[list[dict[str, Any]]], winner: int) -> list[str]:
    """The winner's melds on the table, then the cards laid open, arranged as they were scored."""
    if winner < 0:
        return []
    laid = [meld["text"] for meld in melds[winner]]
    score = score_hand(
        "".join(sight.counted(sight.fields["revealed"])),
        [_stands_for(text) for text in laid],
        int(sight.by_seat("flowers")[winner]),
        bool(sight.game.options["seven_pairs"]),
    )
    return [] if score is None else [*laid, *score.arrangement[len(laid) :]]


def _stands_for(meld: str) -> str:
    return meld.replace("*", "")
