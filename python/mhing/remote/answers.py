"""Answers of players: ids of actions, or their texts as programs and language models write them."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import whole
from mhing.game import Game

_ENDS = " .,;:!?"  # what may follow a text


class Illegal(ValueError):
    """An answer is no legal action.

    Attributes:
        nearest: the text of the legal action that is most like the answer.
        legal: the ids of the legal actions by their texts.
    """

    def __init__(self, reason: str, nearest: str, legal: dict[str, int]) -> None:
        super().__init__(f"illegal answer: {reason}; the nearest legal action is {nearest!r}")
        self.nearest, self.legal = nearest, legal

    @property
    def advice(self) -> str:
        """The reason with all legal actions, for the player."""
        return f"{self}; legal are: {', '.join(self.legal)}"


def texts_of(game: Game, mask: NDArray[np.int8]) -> dict[str, int]:
    """The ids of the legal actions by their texts."""
    return {game.action_text(action): action for action in mask.nonzero()[0].tolist()}


def find(answer: str, texts: dict[str, int]) -> int | None:
    """The action of a text, without regard to case, spaces and final punctuation.

    A number in the text is an action's id. None: it is no legal action.

    >>> find("Discard  5S.", {"discard 5s": 4, "pass": 9}), find("9", {"pass": 9})
    (4, 9)
    """
    if answer in texts:
        return texts[answer]
    plain = _plain(answer)
    if plain.isascii() and plain.isdigit():
        return next((action for action in texts.values() if str(action) == plain), None)
    return {_plain(text): action for text, action in texts.items()}.get(plain)


def read(game: Game, mask: NDArray[np.int8], answer: Any) -> int:
    """The legal action that a player has answered with, by its id or its text.

    Raises:
        Illegal: it is none.
    """
    if isinstance(answer, str):
        texts = texts_of(game, mask)
        if (found := find(answer, texts)) is not None:
            return found
        raise _illegal(f"{answer[:80]!r} is not legal now", answer, texts)
    try:
        number = whole(answer, "illegal answer")
    except TypeError as error:
        reason = str(error).removeprefix("illegal answer: ")
        raise _illegal(reason, str(answer), texts_of(game, mask)) from None
    if 0 <= number < len(mask) and mask[number]:
        return number
    text = game.action_text(number) if 0 <= number < len(mask) else ""
    reason = f"action {number} is not legal now" + (f": {text}" if text else "")
    raise _illegal(reason, text, texts_of(game, mask))


def _illegal(reason: str, answer: str, texts: dict[str, int]) -> Illegal:
    plain = {_plain(text): text for text in texts}
    nearest = difflib.get_close_matches(_plain(answer[:80]), plain, 1, 0.0)
    return Illegal(reason, plain[nearest[0]], texts)


def _plain(text: str) -> str:
    return "".join(text.rstrip(_ENDS + "\r\n\t").casefold().split())
