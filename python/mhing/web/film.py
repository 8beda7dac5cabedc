"""Films: each viewer's pictures of a recorded game, frame by frame.

A film is a game through the eyes of one seat, or with all cards open. It is made from the pictures
for these eyes and from the public events, and from nothing else.

The moment at which a picture changes says something as well: between a discard and the next turn
there is a moment more if somebody was asked for a claim. So films that are for seats alone have a
frame for each decision of their seat, as it was asked, and one for the end. Where a film with all
cards open is beside them there is nothing to hide, and they have a frame for every change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mhing import render, table
from mhing.records import Record, RecordedMove
from mhing.render.scene import Format, Scene
from mhing.state import State
from mhing.words import called, taken_back


@dataclass
class Unseen:
    """Events since the frame before."""

    words: list[str] = field(default_factory=list)
    """The moves, as far as they are known, or the public events; at the end who took moves back."""
    kinds: list[str] = field(default_factory=list)
    """Names of the public events."""
    made: list[int] = field(default_factory=list)
    """The viewer's decisions of which this came: numbers of moves in the record, from 1."""

    def add(self, later: Unseen) -> None:
        """Add what has happened then."""
        self.words += later.words
        self.kinds += later.kinds
        self.made += later.made


@dataclass(kw_only=True)
class Frame(Unseen):
    """A picture, and what led there."""

    scene: Scene
    at: int
    """The number of moves of the record before it."""
    asked: list[int] = field(default_factory=list)
    """The decisions that the viewer makes here, and was given a choice in: numbers of moves."""


@dataclass
class Film:
    """A game through the eyes of a seat; None: all cards lie open."""

    seat: int | None
    names: Sequence[str]
    """The players' names by seat."""
    shape: Format
    log: bool
    """True if the last events stand in the pictures."""
    frames: list[Frame] = field(default_factory=list)

    def see(self, at: int, state: State, unseen: Unseen) -> None:
        """Add a position after `at` moves: as a frame, or to the last one if it shows the same."""
        scene = render.scene(state, self.seat, shape=self.shape, names=self.names, log=self.log)
        if not self.frames or unseen.kinds or scene.rows() != self.frames[-1].scene.rows():
            self.frames.append(Frame(scene=scene, at=at))
        self.frames[-1].add(unseen)


def films(
    record: Record,
    seats: Sequence[int | None],
    shape: Format = "wide",
    *,
    log: bool = True,
) -> list[Film]:
    """A film for each of the viewers, from one replay of the record.

    Films of another shape have other pictures, and are alike in all else.

    Args:
        record: the game.
        seats: the viewers; None sees all, and makes all decisions. Without None among them, a film
            has the frames of its seat's decisions only.
        shape: of the pictures, see :func:`mhing.render.scene`.
        log: likewise.

    Raises:
        ValueError: a move is not legal there.
    """
    game, names = record.game, called(record.players)
    made = [Film(seat, names, shape, log) for seat in seats]
    unseen = [Unseen() for _ in seats]
    before: State | None = None
    was_asked = False
    number = 0
    for move, state in record.positions():
        number += move is not None
        events = table.public_events(before, state)
        before = state.clone()
        is_asked = len(state.legal_actions()) > 1
        for place, film in enumerate(made):
            if move and film.seat is None:
                words = [_said(move, names)]
            else:
                words = [game.event_words(*one.numbers, names=names) for one in events]
            unseen[place].add(Unseen(words=words, kinds=[one.kind for one in events]))
            if was_asked and move and film.seat in (None, move.seat):
                unseen[place].made.append(number)
            if None in seats or film.seat == state.seat or state.seat < 0 or number == 0:
                film.see(number, state, unseen[place])
                unseen[place] = Unseen()
            if is_asked and film.seat in (None, state.seat):
                film.frames[-1].asked.append(number + 1)
        was_asked = is_asked
    for film in made:
        film.frames[-1].words += taken_back(record.taken_back, names)
    return made


def _said(move: RecordedMove, names: Sequence[str]) -> str:
    other = "" if move.by in ("player", "bot") else f" ({move.by})"
    return f"{names[move.seat]}: {move.text}{other}"
