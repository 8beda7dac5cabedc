"""The contents and requests of a page, whatever is behind it: a game, a server's table, a record.

A :class:`Session` is held by the carrier of messages to one page: the application
(:mod:`mhing.web.app`), or a widget in a notebook. It knows nothing of sockets. Messages are dicts
that JSON can say, with their ``"kind"``:

``hello``, once for each connection
    ``session``: its kind, such as ``"play"``; ``title``; ``game``: id; ``seat``: the viewer's, or
    None; ``notation``: how cards are written; ``bot``: who gives hints, or None.
``view``, after the hello and whenever anything has changed; whole, but for what a holder may
leave out: sprites that the page has, and a sheet that is still the last one
    ``number``: of this view; a request that answers it repeats the number.
    ``frame``: the picture, see :func:`frame_of`.
    ``status``: one line. ``asked``: whether the viewer is to move. ``over``: whether it is over.
    ``moves``: the viewer's legal ones, see :func:`moves_of`.
    ``log``: lines of all that everybody saw; ``since``: how many of the last are new.
    ``planned``: whether what the viewer chose last is a plan that it can take back still.
    ``players``: ``name``, another for each, ``total``, ``you`` by seat. ``result``: lines, of what
    has ended. ``sheet``: :meth:`mhing.sheet.Sheet.to_dict` of a game of which a round is over, else
    None. ``taken_back``: lines on how often the viewer took moves back, in all games so far.
    ``clock``: seconds left for this decision, or None.
    ``can``: names of requests that would be answered now, such as ``"undo"``.
    ``speed``: seconds from one move of a bot to the next; ``eyes``: the seat through whose eyes the
    table is seen, None: all cards open.
    ``review``: the id of the game's review, once it is over and kept.
``hint``
    ``number`` of the view it is about; ``bot``; ``best``: an action; ``text``; ``values``: pairs of
    an action and what the bot expects of it, or how likely a policy plays it; actions that it does
    not judge are left out. ``unit``: of these, see :attr:`mhing.judge.Judge.unit`.
``rules``
    ``content``: how to play and all rules, as trees, see :mod:`mhing.web.trees`.
``error``
    ``text``: one line, why a request was refused.
``opened``
    ``id``: of a session that the request has opened, to which the page goes.

A review (:mod:`mhing.web.review`) has other views: without a frame, since its page
asks for all frames at once.

Requests are dicts with ``"do"``: ``play`` (with ``number`` and ``action``), ``undo``, ``hint``,
``next``, ``pause``, ``go``, ``step``, ``speed`` (with ``seconds``), ``eyes`` (with ``seat``),
``rules``; at a table of a server ``back``, when a bot plays for the viewer, and ``stand`` (up).
A request ``shape`` (with ``shape``) is for the holder, who asks for views of that shape then; the
line of a page has its first shape in the address.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any, Protocol
from xml.etree.ElementTree import fromstring

from mhing._lib.scenes import FONTS
from mhing.game import Game, State
from mhing.render.moves import cards as of_move
from mhing.render.scene import Format, Scene, Sprite, sprites_of
from mhing.render.view import View
from mhing.web.trees import Tree, tree

Message = dict[str, Any]

_KEYS = {"mhing": "m", "pass": "p", "draw": "d", "take": "t"}
"""The keys by kind of move. A page gives other moves digits, so that a key never means a claim once
and to pass another time."""

_PLACES = {"mhing": -1, "pass": 1}
"""The order of kinds of moves; all others are at 0."""

SHAPES: tuple[Format, ...] = ("wide", "portrait")
"""The forms of a picture that a page may ask for."""


def has_list(shape: Format) -> bool:
    """Return whether a page lists the events beside pictures of this form, without their own."""
    return shape == "wide"


class Session(Protocol):
    """A game that one page plays, watches or reviews. It is used by one thread at a time."""

    @property
    def saved_as(self) -> str | None:
        """The name under which it is found again after a restart; None: it is lost then."""

    def hello(self) -> Message:
        """Return the facts that a page needs before it shows anything."""

    def view(self, shape: Format) -> Message:
        """All that is to be seen now: the same bytes for the same knowledge.

        Args:
            shape: one of `SHAPES`.
        """

    def do(self, request: Message) -> list[Message]:
        """Do what a page asks for; the holder sends the answers, then the view if it changed.

        Raises:
            ValueError: it cannot be done; the text is a line for the page.
        """

    def due(self) -> float | None:
        """Seconds until `tick` is to be called; None: not before the next request."""

    def tick(self) -> None:
        """Do what is due: a bot's move, the end of a clock.

        Raises:
            ValueError: it has failed; the text is a line for the page.
        """

    def close(self) -> None:
        """Frees what the session holds."""


@cache
def grown(sprite: Sprite) -> Tree:
    """A sprite as a tree."""
    return tree(fromstring(sprite.svg))


def frame_of(scene: Scene, more: Iterable[Sprite] = ()) -> Message:
    """A picture: its title and size, rows, and sprites by their names, `more` among them.

    See :meth:`mhing.render.scene.Scene.rows`; sprites are trees, see :mod:`mhing.web.trees`.
    """
    rows = scene.rows()
    return {
        "title": scene.title, "width": scene.w, "height": scene.h, "fonts": FONTS, "rows": rows,
        "sprites": {sprite.name: grown(sprite) for sprite in (*sprites_of(rows), *more)},
    }  # fmt: skip


def moves_of(table: State | View, actions: Iterable[int]) -> tuple[list[Message], list[Sprite]]:
    """Moves as a view has them, what wins first and pass last, and the sprites of their cards.

    A move has its ``action``, ``text``, ``group``: the kind of action, ``key``: the letter that it
    always has, or None, and ``cards``: the ``card`` as pictures name it, the ``sprite``, None if it
    has no face, and whether it is ``held`` in the hand.
    """
    moves: list[Message] = []
    used: list[Sprite] = []
    keys = dict(_KEYS)
    for action in actions:
        text = table.game.action_text(action)
        cards = of_move(table, action)
        used += [card.sprite for card in cards if card.sprite]
        shown = [
            {"card": one.card, "sprite": one.sprite and one.sprite.name, "held": one.is_held}
            for one in cards
        ]
        group = _group(table.game, action)
        key = keys.pop(group, None)
        moves.append({"action": action, "text": text, "group": group, "key": key, "cards": shown})
    moves.sort(key=lambda move: _PLACES.get(move["group"], 0))
    return moves, used


def _group(game: Game, action: int) -> str:
    return next(kind.name for kind in reversed(game.actions) if kind.first <= action)


def spoken(game: Game) -> dict[str, str]:
    """Cards as they are spoken, by how the game writes them."""
    return dict(zip(game.labels["cards"], game.labels["spoken"], strict=True))


def rules_of(game: Game) -> str:
    """Return a guide, then all rules by number, in Markdown, as far as the game came with them."""
    written = []
    for text in (game.guide_text, game.rules_text):
        with suppress(LookupError):
            written.append(text())
    return "\n\n".join(written) or f"{game.title} came without its rules."


def asked_shape(request: Message) -> Format:
    """The shape that a request ``shape`` wants.

    Raises:
        ValueError: it is none of `SHAPES`.
    """
    shape: Any = request.get("shape")
    if shape not in SHAPES:
        raise ValueError(f"shape: it is none of {', '.join(SHAPES)}")
    wanted: Format = shape
    return wanted


def asked(request: Message, key: str, kind: type | tuple[type, ...]) -> Any:
    """A value of a request.

    Raises:
        ValueError: it is not there, or of another type.
    """
    value = request.get(key)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{key}: {value!r} does not fit")
    return value
