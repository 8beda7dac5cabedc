"""What observations of games with playing cards have in common, as ``State.to_dict()`` has it."""

from __future__ import annotations

from typing import Any

from mhing.render.sight import Sight


def piles(sight: Sight, turn_limit: int) -> dict[str, Any]:
    """Turn, draw pile and discards, which lie open in order."""
    makers = sight.fields["discarded_by"].tolist()
    return {
        "turn": turn_limit - sight.number("turns_left"),
        "starter": sight.seat_of("starter"),
        "on_turn": sight.seat_of("on_turn"),
        "offer": sight.card("offer"),
        "draw_pile": [None] * sight.number("draw_pile_left"),
        "discards": [
            {"card": card, "by": sight.absolute(by - 1) if by else None}
            for card, by in zip(sight.cards("discards"), makers, strict=False)
        ],
    }
