"""What is known of a Mhing table from an observation, in the form of ``State.to_dict()``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mhing.by_game.mhing.scoring import score_hand
from mhing.by_game.mhing.view import SOMEBODY, Card, cards
from mhing.render.seen import OVER, State
from mhing.render.sight import Sight

_ASKED = (1, 2)  # phases of an observer that is to act
_TAKEN = 64  # added to a discard that was claimed
_ENDS = ("mhing", "wash")


def known(sight: Sight) -> State:
    """Returns what the viewer knows; cards that it does not know are None."""
    last = sight.events[-1]
    on_turn = sight.seat_of("on_turn")
    offer = sight.card("offer")
    over = last["event"] in _ENDS
    phase = OVER if over else "claim" if offer else "turn"
    melds = _melds(sight)
    discards = _discards(sight, melds)
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


# ---- Discards ---------------------------------------------------------------------------------


def _discards(sight: Sight, melds: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The discards, in the order of seats, and of every seat in the order made."""
    labels = sight.game.labels["cards"]
    made = [row[row > 0].tolist() for row in sight.by_seat("discards")]
    seen = _seen_claims(sight, [len(row) for row in made])
    claims = [
        (taker, meld["from"], meld["text"]) for taker, row in enumerate(melds) for meld in row
    ]
    for (by, _), (taker, text) in seen.items():
        if text:
            claims.remove((taker, by, text))
    discards = []
    for by, row in enumerate(made):
        for place, number in enumerate(row):
            card, taken_by = labels[number % _TAKEN - 1], None
            if (by, place) in seen:
                taken_by, _ = seen[by, place]
            elif number > _TAKEN:
                taken_by = _claimant([each for each in claims if each[1] == by], card)
            discards.append({"card": card, "by": by, "taken_by": taken_by})
    return discards


def _seen_claims(sight: Sight, made: list[int]) -> dict[tuple[int, int], tuple[int, str]]:
    """Who took a discard for which meld, "" for MHING, as far as the events of the round say.

    A discard is named by the seat that made it and its place in the row. `made` are the lengths of
    the rows, of which the events have the end.
    """
    events = sight.of_round
    deals = [place for place, event in enumerate(events) if event["event"] == "deal"]
    events = events[deals[-1] :] if deals else events
    place = list(made)
    for event in events:
        place[event["seat"]] -= event["event"] == "discard"
    claims: dict[tuple[int, int], tuple[int, str]] = {}
    last: tuple[int, int] | None = None
    for event in events:
        kind, seat = event["event"], event["seat"]
        if kind == "discard":
            last = seat, place[seat]
            place[seat] += 1
        elif last and (kind == "claim" or (kind == "mhing" and event["detail"])):
            claims[last] = seat, event["text"] if kind == "claim" else ""
    return claims


def _claimant(claims: Iterable[tuple[int, int, str]], card: str) -> int:
    """Who has claimed a card, if only one seat has laid a meld with it in one of these claims."""
    takers = {taker for taker, _, text in claims if Card(card) in cards(text)}
    return takers.pop() if len(takers) == 1 else SOMEBODY


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
