"""A picture that is being laid out: how large it and what is in it are, and who is called how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mhing.render.people import called, with_names
from mhing.render.scene import Scene

Format: TypeAlias = Literal["wide", "portrait"]
"""Of a picture: for a screen, or for a narrow window such as a telephone's."""


@dataclass(frozen=True)
class Arrangement:
    """The sizes that a layout is made from, in pixels."""

    w: int
    h: int
    gap: int  # between panels, and around what is in them
    header: int  # of a panel
    name: int  # size of text, as are the next two
    text: int
    small: int
    line: int  # from one line of small text to the next
    pile: int  # the width of a card on a pile
    above: tuple[tuple[int, ...], ...]
    """For 1, 2 ... other players, how many panels are in each row above the middle. In all rows but
    the highest they are in pairs, left and right."""

    @property
    def is_narrow(self) -> bool:
        """Whether things lie beneath each other that else lie side by side."""
        return self.w < self.h


ARRANGEMENTS: dict[Format, Arrangement] = {
    "wide": Arrangement(
        w=960, h=720, gap=8, header=26, name=16, text=14, small=12, line=16, pile=56,
        above=((1,), (2,), (3,), (2, 2), (3, 2)),
    ),
    "portrait": Arrangement(
        w=360, h=640, gap=4, header=20, name=13, text=12, small=11, line=14, pile=36,
        above=((1,), (2,), (1, 2), (2, 2), (1, 2, 2)),
    ),
}  # fmt: skip


class Picture(Scene):
    """A scene in the making."""

    def __init__(self, shape: Format, background: str, names: Sequence[str] | None) -> None:
        """Begins an empty picture; `names` by seat, None: "Seat 0" and so on."""
        self.arrangement = ARRANGEMENTS[shape]
        super().__init__(self.arrangement.w, self.arrangement.h, background, "")
        self._names = None if names is None else called(names)

    def said(self, sentence: str) -> str:
        """A sentence about seats, with the names that they have here."""
        return sentence if self._names is None else with_names(sentence, self._names)
