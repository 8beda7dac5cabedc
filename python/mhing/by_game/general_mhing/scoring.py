"""Scoring alone: what sequences of General Mhing score together.

Sequences are written as in all of the game: three ranks ``A 2-9 T J Q K`` and a suit ``s h d c``,
with a star after the rank that an ace stands for: ``"789h"``, ``"78*9h"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mhing._lib import scoring


@dataclass(frozen=True, slots=True)
class SequenceScore:
    """The points of sequences together."""

    points: int
    parts: list[tuple[str, int]]
    """Points by name, only those that were earned; they sum to `points`."""


def score_sequences(sequences: Sequence[str]) -> SequenceScore:
    """Scores the sequences in front of a player of General Mhing, by its rules R5.

    Args:
        sequences: up to four, of one deck.

    Raises:
        ValueError: one cannot be read, they are more than four, or a card is in two of them.
        TypeError: `sequences` is not a list of str.

    >>> score_sequences(["789h", "TJQh", "789s"])
    SequenceScore(points=5, parts=[('same suit', 1), ('same values', 1), ('in order', 2), \
('all high or all low', 1)])
    """
    if isinstance(sequences, str) or not all(isinstance(one, str) for one in sequences):
        raise TypeError(
            f"sequences: {sequences!r} is not a list of str; write for example ['789h', '78*9s']"
        )
    for one in sequences:
        if [one] != one.replace("\0", " ").split():
            raise ValueError(f"sequences: {one!r} is not one sequence, such as '789h'")
    score = scoring.score_sequences(" ".join(sequences))
    parts = zip(scoring.part_names("general_mhing"), score.part, strict=True)
    return SequenceScore(score.points, [(name, points) for name, points in parts if points])
