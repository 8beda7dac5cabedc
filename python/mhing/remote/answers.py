"""Answers that are just the text or the id of a legal action."""

from __future__ import annotations

_ENDS = " .,;:!"  # what may follow a text


def find(answer: str, texts: dict[str, int]) -> int | None:
    """The action of a text, without regard to case, spaces and final punctuation.

    A number in the text is an action's id. None: it is no legal action.

    >>> find("Discard  5S.", {"discard 5s": 4, "pass": 9}), find("9", {"pass": 9})
    (4, 9)
    """
    if answer in texts:
        return texts[answer]
    plainly = plain(answer)
    if plainly.isascii() and plainly.isdigit():
        return next((action for action in texts.values() if str(action) == plainly), None)
    return {plain(text): action for text, action in texts.items()}.get(plainly)


def plain(text: str) -> str:
    """A text without what :func:`find` has no regard to."""
    return "".join(text.rstrip(_ENDS + "\r\n\t").casefold().split())
