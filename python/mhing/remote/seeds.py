"""Seeds of a table: what they follow from, and whether the table kept its promise.

csrc/server/PROTOCOL.md says how, under Seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any


def seed_of(secret: str, deal: int, round: int = 0) -> int:
    """The seed of a round of a deal, both from 0, by the secret that ``end`` tells.

    >>> seed_of("00" * 32, 0)
    5587953045894373879
    """
    return int(sha256(f"{secret} {deal} {round}".encode()).hexdigest()[:16], 16)


def check_seeds(start: Mapping[str, Any], end: Mapping[str, Any]) -> None:
    """Check that a table dealt what it had settled before its first game.

    A series may have each deal once, or with `duplicate` once in each rotation of the seats.

    Args:
        start: any ``start`` of the series, as :meth:`mhing.remote.Bot.started` gets it.
        end: its last ``end``, as :meth:`mhing.remote.Bot.play` returns it.

    Raises:
        ValueError: the seeds are not those that were promised; or nothing was promised, as somebody
            gave the seed, or they are never told.
    """
    if "hash" not in start:
        reason = "somebody gave the seed" if start["seeded"] else "its seeds are not told"
        raise ValueError(f"{start['table']}: it promised nothing: {reason}")
    if "secret" not in end:
        raise ValueError(f"{start['table']}: this is not the end of its series")
    secret, seeds = end["secret"], end["seeds"]
    if sha256(secret.encode()).hexdigest() != start["hash"]:
        raise ValueError(f"{start['table']}: its secret is not the one that it had promised")
    repeats = {1, len(start["players"])} if len(seeds) % len(start["players"]) == 0 else {1}
    follow = [[seed_of(secret, place // each) for place in range(len(seeds))] for each in repeats]
    if seeds not in follow:
        raise ValueError(f"{start['table']}: its seeds do not follow from its secret")
