"""The seeds of a tournament, of deals and of orders: from a secret, or public ones in a row."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from random import Random

SMALL = 1 << 32
"""Seeds below this are found within minutes, by trying which one deals the hand that one has."""

_DEAL, _ORDER = b"deal", b"lot"


@dataclass(frozen=True)
class Seeds:
    """The seeds of deals 0, 1, ...

    With a `secret`, that of deal i is the hash of i by BLAKE2b with the secret as the key, so that
    no number of deals that are known tells another one. Otherwise it is ``first + i``, and 0
    follows 2**64 - 1: deals that anybody can compute, for reproduction.
    """

    secret: int | None
    first: int | None

    def deal(self, number: int) -> int:
        """The seed of a deal."""
        if self.first is not None:
            return (self.first + number) % 2**64
        return self._hash(number, _DEAL)

    def order(self, number: int) -> Random:
        """Return the generator of the order of play, from deal `number` on."""
        return Random(self._hash(number, _ORDER))

    def _hash(self, number: int, use: bytes) -> int:
        secret = self.secret if self.first is None else self.first
        assert secret is not None
        key, what = (one.to_bytes(8, "little") for one in (secret, number))
        return int.from_bytes(blake2b(what, digest_size=8, key=key, person=use).digest(), "little")
