"""Parts of single games in this package beside their rules, which are the core's.

Everything here is optional. The parts of a game lie in ``mhing/by_game/<its id>/``, one module for
each part, and are loaded when they are asked for:

- ``cards.py`` with ``CARDS``, a :class:`Cards`: how its cards are written in a terminal;
- ``commands.py`` with ``add(commands)``: its own commands of ``mhing``;
- ``sheet.py`` with ``left_out(options)``: the public numbers that its score sheet does not show;
- ``terms.py`` with ``TERMS``, a :class:`Synonyms`: further words for its actions and cards, by
  which replies of language models are read;
- ``showcase.py`` with ``SHOWCASE``, a :class:`Showcase`: what ``mhing demo`` and ``mhing bench``
  show of it beside what they show of every game.

Everything outside of this package is for all games and names none of them. What a game adds to the
names of :mod:`mhing` itself is imported below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from mhing.by_game.general_mhing.scoring import SequenceScore, score_sequences
from mhing.by_game.mhing.scoring import (
    Score,
    distance,
    distances,
    hands_array,
    points,
    score_hand,
    score_hands,
)

if TYPE_CHECKING:
    from mhing.cli.doors import Measured
    from mhing.game import Game, State
    from mhing.render.lines import Paint

__all__ = [
    "PLAIN",
    "Cards",
    "Notes",
    "Score",
    "SequenceScore",
    "Showcase",
    "Synonyms",
    "cards",
    "commands",
    "distance",
    "distances",
    "hands_array",
    "left_out_of_sheet",
    "points",
    "score_hand",
    "score_hands",
    "score_sequences",
    "showcase",
    "terms",
]


Spell: TypeAlias = Callable[[str, "Paint", bool], str]
"""Put the cards in a text into colours, and into symbols if wanted."""


@dataclass(frozen=True)
class Cards:
    """The spelling of a game's cards in a terminal."""

    notation: str
    """Their spelling, for people."""
    legend: str
    """The meaning of marks on them."""
    spell: Spell
    symbols: str
    """The meaning of the symbols."""


PLAIN = Cards(
    "Cards and moves are written as in the list of moves.",
    "",
    lambda text, paint, symbols: text,
    "",
)
"""The cards of a game that says nothing about them."""


@dataclass(frozen=True)
class Synonyms:
    """Further words for a game's actions and cards, in lower case."""

    kinds: Mapping[str, str]
    """Kinds of actions by words: ``"pung"`` is a ``"triplet"``."""
    cards: Mapping[str, str]
    """Names, or suits, of spoken cards by words: ``"dots"`` are ``"circles"``."""
    replies: Mapping[str, str] = field(default_factory=dict)
    """Kinds of actions by whole replies without punctuation: ``"yes"`` may be a ``"grant"``."""
    unless: Mapping[str, str] = field(default_factory=dict)
    """Words of kinds that are wrong where another kind is legal: ``"check"``, unless one may
    ``"fold"``."""


class Notes(Protocol):
    """Facts about a learner's episodes for a demonstration."""

    def see(self, state: State, info: Mapping[str, Any]) -> None:
        """Take note of an episode that is over: its state, and the environment's info."""

    def columns(self) -> Mapping[str, str]:
        """Return its cells in the table of results, by the heads of columns."""

    def figures(self) -> Mapping[str, Any]:
        """The same and more as plain data."""


AnyNotes = TypeVar("AnyNotes", bound=Notes)


@dataclass(frozen=True)
class Showcase(Generic[AnyNotes]):
    """Parts of a game's demonstration beside results and speeds."""

    notes: Callable[[], AnyNotes]
    """Notes of a learner, empty."""
    closing: Callable[[Sequence[AnyNotes]], tuple[Mapping[str, Any], str]]
    """Lines after the table of results, from the notes of all learners: as data, and as text."""
    works: Callable[[], Iterable[Measured]]
    """Further work of which the speed is measured."""


def cards(game_id: str) -> Cards:
    """Return the spelling of a game's cards, if it brings one."""
    module = _part(game_id, "cards")
    return PLAIN if module is None else module.CARDS


def commands(game_id: str) -> ModuleType | None:
    """The module with the commands of a game, if it has any."""
    return _part(game_id, "commands")


def left_out_of_sheet(game: Game) -> frozenset[str]:
    """The names of the public numbers that a game's score sheet does not show."""
    module = _part(game.id, "sheet")
    return frozenset() if module is None else module.left_out(game.options)


def terms(game_id: str) -> Synonyms:
    """Return further words for a game's actions and cards, if it brings any."""
    module = _part(game_id, "terms")
    return Synonyms({}, {}) if module is None else module.TERMS


def showcase(game_id: str) -> Showcase[Any] | None:
    """Return the parts of a game's demonstration beside results and speeds, if it brings any."""
    module = _part(game_id, "showcase")
    return None if module is None else module.SHOWCASE


@cache
def _part(game_id: str, part: str) -> ModuleType | None:
    package = f"{__name__}.{game_id}"
    if find_spec(package) is None or find_spec(f"{package}.{part}") is None:
        return None
    return import_module(f"{package}.{part}")
