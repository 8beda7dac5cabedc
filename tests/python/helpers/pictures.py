"""Parts of the tests of pictures: tables to be drawn, and the shapes on a picture."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import combinations
from typing import Any

from shapes import Text, Use, shapes_of

from mhing import Game, State, render
from mhing.render.board import Board
from mhing.render.scene import Scene

Table = dict[str, Any]
Edges = tuple[float, float, float, float]
"""Left, top, right and bottom."""


def states(game: Game, seeds: int, every: int, mistakes: int) -> Iterator[State]:
    """States of play by the default bot, the last ones of episodes among them.

    One in `every` decisions is given, and one in `mistakes` made at random.
    """
    for seed in range(seeds):
        state = game.new_state(seed)
        bot_random = seed
        for decision in range(500):
            if decision % every == 0 or state.is_terminal:
                yield state.clone()
            if state.is_terminal:
                break
            bot = game.bots[0].name if decision % mistakes == 0 else game.default_bot
            action, bot_random = state.bot_action(bot, bot_random)
            state.apply(action)


def crowded_states(game: Game, seeds: int) -> list[State]:
    """States with as much to be drawn as play comes to: the longest discards, the largest hand and
    most melds, and all ends of rounds and games."""
    played = [state for seed in range(seeds) for state in _played(game, seed)]
    sizes = [_sizes(state.to_dict()) for state in played]
    most = [max(range(len(played)), key=column.__getitem__) for column in zip(*sizes, strict=True)]
    return [state for state in played if state.seat < 0] + [played[i] for i in most]


def _sizes(d: Table) -> tuple[int, int, int]:
    """Numbers of discards, of cards of the largest hand, and of melds."""
    laid = sum(map(len, d.get("melds") or d["sequences"]))
    return len(d["discards"]), max(map(len, d["hands"])), laid


def _played(game: Game, seed: int) -> Iterator[State]:
    """All states of an episode, played at random or, with odd seeds, well."""
    state, bot_random = game.new_state(seed), seed
    while not state.is_terminal:
        if state.is_between_rounds:
            state.next_round()
        bot = game.bots[0].name if seed % 2 == 0 else "greedy"
        action, bot_random = state.bot_action(bot, bot_random)
        state.apply(action, deal=False)
        yield state.clone()


def every_form(d: Table | State, view: int | None) -> tuple[str, str, bytes]:
    """The three outputs, in a form to be compared."""
    return board_text(d, view), render.svg(d, view), render.rgb_array(d, view).tobytes()


def board_text(d: Table | State | render.View, view: int | None = None, color: bool = False) -> str:
    """The board of a table, as a terminal of 100 columns shows it."""
    return lines_of(render.board(d, view, columns=100, color=color))


def lines_of(board: Board) -> str:
    """All that a board says."""
    lines = [board.heading, *board.notes, board.legend, *board.lines, *board.result, board.status]
    return "\n".join(lines) + "\n"


def uncolored(text: str) -> str:
    """A text without its ANSI colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def identities(d: Table | State, view: int | None) -> list[dict[str, str]]:
    """The cards of a table's SVG by the names of their attributes, without ``data-``."""
    uses = re.findall("<use [^>]*>", render.svg(d, view))
    named = [dict(re.findall(r' (?:data-)?(\w+)="([^"]*)"', use)) for use in uses]
    return [{name: unescape(text) for name, text in use.items()} for use in named if "key" in use]


def edges(shape: Use | Text) -> Edges:
    """The box of a sprite, or of the capitals of a text."""
    if isinstance(shape, Use):
        w, h = shape.sprite.w * shape.scale, shape.sprite.h * shape.scale
        return shape.x, shape.y, shape.x + w, shape.y + h
    x = shape.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor] * shape.w
    return x, shape.y - 0.75 * shape.size, x + shape.w, shape.y


def check_scene(scene: Scene) -> None:
    """Nothing is cut off, and no text lies on another."""
    for x, y, right, bottom in map(edges, (*sprites(scene), *texts(scene))):
        assert 0 <= x < right <= scene.w + 0.01
        assert 0 <= y < bottom <= scene.h
    for a, b in combinations(map(edges, texts(scene)), 2):
        assert are_apart(a, b)


def check_faces(scene: Scene) -> None:
    """No card that lies open lies on another."""
    faces = [edges(shape) for shape in sprites(scene) if shape.sprite.name != "card-back"]
    for a, b in combinations(faces, 2):
        assert are_apart(a, b, 0.1)


def check_ranks(scene: Scene) -> None:
    """No card lies on what is written on another."""
    cards = sprites(scene)
    for place, card in enumerate(cards):
        above = [edges(other) for other in cards[place + 1 :]]
        for text in card.sprite.shapes:
            if isinstance(text, Text):
                x, y, right, bottom = (card.scale * edge for edge in edges(text))
                written = (card.x + x, card.y + y, card.x + right, card.y + bottom)
                assert all(are_apart(written, other) for other in above), text.text


def sprites(scene: Scene) -> list[Use]:
    """The sprites of a picture, from the back to the front."""
    return [shape for shape in shapes_of(scene) if isinstance(shape, Use)]


def texts(scene: Scene) -> list[Text]:
    """The texts of a picture."""
    return [shape for shape in shapes_of(scene) if isinstance(shape, Text)]


def are_apart(a: Edges, b: Edges, slack: float = 0) -> bool:
    """Return whether nothing of one lies on the other, but for some slack at the sides."""
    return a[2] <= b[0] + slack or b[2] <= a[0] + slack or a[3] <= b[1] or b[3] <= a[1]
