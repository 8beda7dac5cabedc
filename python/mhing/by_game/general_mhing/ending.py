"""How a round of General Mhing ended: the winner's sequences, and what they score."""

from __future__ import annotations

from mhing.by_game.general_mhing.view import look
from mhing.render.ending import Ending, Group, Part, ending
from mhing.render.playing.cards import face
from mhing.render.seen import State


def ended(d: State) -> Ending:
    """How the episode has ended, with what won its last round."""
    table, winner = look(d), d["result"]["winner"]
    if winner < 0:
        return ending(table, table.result)
    groups = [
        Group(tuple(face(card.face, card.wild) for card in meld.cards))
        for meld in table.seats[winner].melds
    ]
    parts = [Part(points, name) for name, points in d["result"]["seats"][winner]["parts"]]
    return ending(table, table.result, groups, parts)
