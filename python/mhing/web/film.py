"""What each viewer sees of a recorded game, frame by frame.

A film is a game through the eyes of one seat, or with all cards open. It is made from the pictures
for these eyes and from the public events, and from nothing else.

The moment at which a picture changes says something, too: between a discard and the next turn
there is a moment more if somebody was asked for a claim. So films that are for seats alone have a
frame for each decision of their seat, as it was asked, and one for the end. Where a film with all
cards open is beside them there is nothing to hide, and they have a frame for every change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mhing import render
from mhing.analysis import Analysis, Played
from mhing.records import Record
from mhing.render.scene import Scene
from mhing.state import State

Event = Mapping[str, Any]


@dataclass
class News:
    """What has happened since the frame before."""

    words: list[str] = field(default_factory=list)
    """The moves, as far as they are known, or the public events."""
    kinds: list[str] = field(default_factory=list)
    """Names of the public events."""
    judgement: list[str] = field(default_factory=list)
    """What a bot says of the moves."""
    is_costly: bool = False
    """Whether one of a player's costliest moves led here, in the bot's judgement."""

    def add(self, later: News) -> None:
        """Adds what has happened then."""
        self.words += later.words
        self.kinds += later.kinds
        self.judgement += later.judgement
        self.is_costly |= later.is_costly


@dataclass(kw_only=True)
class Frame(News):
    """A picture, and what led there."""

    scene: Scene


@dataclass
class Film:
    """A game through the eyes of a seat; None: all cards lie open."""

    seat: int | None
    frames: list[Frame] = field(default_factory=list)

    def see(self, state: State, news: News) -> None:
        """Adds a position: as a frame, or to the last one where that shows the same."""
        scene = render.scene(state, self.seat)
        if not self.frames or news.kinds or scene.shapes != self.frames[-1].scene.shapes:
            self.frames.append(Frame(scene=scene))
        self.frames[-1].add(news)


def films(
    record: Record, seats: Sequence[int | None], analysis: Analysis | None = None
) -> list[Film]:
    """A film for each of the viewers, from one replay of the record.

    Args:
        record: the game.
        seats: the viewers; None sees all. Without None among them, a film has the frames of its
            seat's decisions only.
        analysis: what a bot says of the moves: to their player, and to who sees all.

    Raises:
        ValueError: a move is not legal there.
    """
    made = [Film(seat) for seat in seats]
    unseen = [News() for _ in seats]
    judged = {one.number: one for one in analysis.played} if analysis else {}
    worst = (
        {one.number for player in analysis.players for one in player.worst()} if analysis else ()
    )
    before: list[Event] = []
    for number, (said, seat, state) in enumerate(_positions(record)):
        events = state.to_dict()["events"]
        news = _since(before, events)
        before = events
        for place, film in enumerate(made):
            unseen[place].add(
                News(
                    words=[said] if film.seat is None and said else _told(state, news),
                    kinds=[event["event"] for event in news],
                )
            )
            if analysis and number in judged and film.seat in (None, seat):
                judgement = [_judgement(analysis, judged[number])]
                unseen[place].add(News(judgement=judgement, is_costly=number in worst))
            if None in seats or film.seat == state.seat or state.is_terminal or number == 0:
                film.see(state, unseen[place])
                unseen[place] = News()
    return made


def _positions(record: Record) -> Iterator[tuple[str, int, State]]:
    """Every position with the move that led there, and its seat; of the first one "" and -1."""
    yield "", -1, record.game.new_state(record.seed)
    for move, state in record.replay():
        other = "" if move.by in ("player", "bot") else f" ({move.by})"
        yield f"Seat {move.seat}: {move.text}{other}", move.seat, state


def _since(before: list[Event], events: list[Event]) -> list[Event]:
    """The events that are new, of the last ones of a round."""
    for gone in range(len(before) + 1):
        known = before[gone:]
        if events[: len(known)] == known:
            return events[len(known) :]
    raise AssertionError


def _told(state: State, events: list[Event]) -> list[str]:
    return [render.event_text(state, event) for event in events]


def _judgement(analysis: Analysis, one: Played) -> str:
    """What a bot says of a move."""
    played = f"Seat {one.move.seat}: {one.move.text}"
    if one.agrees:
        return f"{played}, as {analysis.bot} plays"
    loss = f" and loses {one.loss:.3f} {analysis.unit}" if one.loss > 0 else ""
    return f"{played}{loss}; {analysis.bot} plays {one.decision.text(one.decision.choice)}"
