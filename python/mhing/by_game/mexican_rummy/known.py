"""What is known of a table of Mexican Rummy from an observation, as ``State.to_dict()`` has it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing.by_game.mexican_rummy.view import PHASES
from mhing.render.playing.known import piles
from mhing.render.seen import OVER, State
from mhing.render.sight import Sight

_SETS = 13  # kinds of melds up to here are sets, by rank; runs by suit follow
_MELDS, _PLACES = 3, 14  # of a seat; in a meld
_NO_DISCARDO = 6  # the objective of the last round, which is twice as long
_MOST_TURNS = 65535


def known(sight: Sight) -> State:
    """Returns what the viewer knows; cards that it does not know are None."""
    open_cards = [sight.counted(counts) for counts in sight.by_seat("known")]
    objective, own = sight.number("objective"), sight.number("phase")
    turn_limit = int(sight.game.options["turn_limit"]) * (1 + (objective == _NO_DISCARDO))
    turn_limit = min(turn_limit, _MOST_TURNS)
    over = sight.events[-1]["event"] == "over"
    asked = not over and own > 0
    return {
        **sight.head(),
        **piles(sight, turn_limit),
        "objective": objective,
        "phase": OVER if over else PHASES[own - 1] if asked else _phase(sight),
        "seat": sight.seat if asked else None,
        "drawn": sight.card("drawn"),
        "hands": sight.hands(open_cards),
        "shown": [card for row in open_cards for card in row],
        "melds": [
            _melds(sight, *columns)
            for columns in zip(sight.by_seat("meld_kind"), sight.by_seat("meld_cards"), strict=True)
        ],
        "plan": _plan(sight),
        "scores": sight.listed("scores"),
        "result": _result(sight),
    }


def _phase(sight: Sight) -> str:
    """Where a turn has come to, as those see who are not asked."""
    if sight.number("asker"):
        return "answer"
    return "start" if sight.number("offer") else "play"


def _melds(
    sight: Sight, kinds: NDArray[np.uint8], cards: NDArray[np.uint8]
) -> list[dict[str, Any]]:
    """Melds from the fields of a seat, or of what it plans."""
    labels = sight.game.labels["cards"]
    melds = []
    for kind, places in zip(kinds.tolist(), cards.reshape(_MELDS, _PLACES), strict=True):
        filled = places.nonzero()[0].tolist()
        laid = [labels[places[place] - 1] for place in filled]
        if kind > _SETS:
            low = filled[0] if filled else 0
            melds.append({"kind": "run", "cards": laid, "suit": kind - _SETS - 1, "low": low})
        elif kind:
            melds.append({"kind": "set", "cards": laid, "rank": kind - 1})
    return melds


def _plan(sight: Sight) -> dict[str, Any] | None:
    """What the viewer is laying down."""
    given = sight.card("swap_card")
    melds = _melds(sight, sight.fields["plan_kind"], sight.fields["plan_cards"])
    if not melds and given is None:
        return None
    swap = None
    if given is not None:
        meld, place = (int(number) - 1 for number in sight.fields["swap_from"])
        seat, meld = divmod(meld, _MELDS)
        swap = {"given": given, "seat": sight.absolute(seat), "meld": meld, "place": place}
    return {"rest": sight.counted(sight.fields["hand"]), "melds": melds, "swap": swap}


def _result(sight: Sight) -> dict[str, Any] | None:
    """How the round finished last ended."""
    numbers = sight.last_round()
    if numbers is None:
        return None
    return {
        "winner": numbers["winner"],
        "ending": sight.game.labels["endings"][numbers["ending"]],
        "points": sight.listed("points"),
    }
