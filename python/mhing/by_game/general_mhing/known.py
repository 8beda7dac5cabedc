"""What is known of a table of General Mhing from an observation, as ``State.to_dict()`` has it."""

from __future__ import annotations

from typing import Any

from mhing.render.playing.known import piles
from mhing.render.seen import OVER, State
from mhing.render.sight import Sight

_DEALT = 7  # cards of a hand; a seat that has drawn and must discard has one more
_RANKS = 13


def known(sight: Sight) -> State:
    """Returns what the viewer knows; cards that it does not know are None."""
    phase, open_cards = _phase(sight), _open_cards(sight)
    return {
        **sight.head(),
        **piles(sight, int(sight.game.options["turn_limit"])),
        "phase": phase,
        "drawn": sight.cards("drawn"),
        "hands": sight.hands(open_cards),
        "shown": [card for row in open_cards for card in row],
        "sequences": _sequences(sight),
        "tallies": [int(tally) for tally in sight.by_seat("tally")],
        "scores": sight.listed("scores"),
        "result": _result(sight, phase == OVER),
    }


def _phase(sight: Sight) -> str:
    """Where a turn has come to, as everybody knows."""
    last = next(e for e in reversed(sight.events) if e["event"] not in ("swap", "shuffle"))
    on_turn = sight.number("on_turn") - 1
    if last["event"] == "over":
        return OVER
    if last["seat"] == sight.absolute(on_turn):
        if last["event"] == "take":
            return "taken"
        if last["event"] == "sequence":
            return "end"
    return "play" if sight.fields["hand_size"][on_turn] > _DEALT else "start"


def _open_cards(sight: Sight) -> list[list[str]]:
    """The cards of each hand that everybody knows: aces swapped back, and the card just taken."""
    cards = sight.game.labels["cards"]
    known = [
        {suit * _RANKS for suit, held in enumerate(aces) if held}
        for aces in sight.by_seat("aces_held")
    ]
    on_turn = sight.seat_of("on_turn")
    if on_turn is not None and _phase(sight) == "taken":
        known[on_turn].add(sight.number("taken") - 1)
    return [[cards[card] for card in sorted(held)] for held in known]


def _sequences(sight: Sight) -> list[list[dict[str, Any]]]:
    cards = sight.game.labels["cards"]
    kinds, aces = sight.by_seat("sequence_kind"), sight.by_seat("sequence_ace")
    rows: list[list[dict[str, Any]]] = []
    for kind_row, ace_row in zip(kinds, aces, strict=True):
        rows.append([])
        for kind, ace in zip(kind_row.tolist(), ace_row.tolist(), strict=True):
            if kind:
                suit, lowest = divmod(kind - 1, _RANKS - 2)
                first = suit * _RANKS + lowest
                text = sight.event_text("sequence", kind, ace)
                place = ace - 1 if ace else None
                rows[-1].append({"text": text, "cards": cards[first : first + 3], "ace": place})
    return rows


def _result(sight: Sight, over: bool) -> dict[str, Any] | None:
    """How the round finished last ended. The points of those who have not won are only summed."""
    numbers = sight.last_round()
    if numbers is None:
        return None
    parts = zip(sight.game.labels["parts"], sight.listed("parts") or [], strict=True)
    won = [[name, points] for name, points in parts if points]
    sequences = _sequences(sight)
    return {
        "winner": numbers["winner"],
        "points": numbers["points"],
        "ending": sight.game.labels["endings"][numbers["ending"]],
        "seats": [
            {
                "tally": tally,
                "parts": won if number == numbers["winner"] else [],
                "sequences": sequences[number] if over else None,
            }
            for number, tally in enumerate(sight.listed("tallies") or [])
        ],
    }
