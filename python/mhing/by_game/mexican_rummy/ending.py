"""How a round of Mexican Rummy ended: the melds of the player who went out."""

from __future__ import annotations

from mhing.by_game.mexican_rummy.view import look
from mhing.render.ending import Ending, Group, ending
from mhing.render.playing.cards import face
from mhing.render.seen import State


def ended(d: State) -> Ending:
    """How the episode has ended, with what the winner of its last round has laid."""
    table, winner = look(d), d["result"]["winner"]
    melds = table.seats[winner].melds if winner >= 0 else ()
    groups = [Group(tuple(face(card.face, card.wild) for card in meld.cards)) for meld in melds]
    return ending(table, table.result, groups)
