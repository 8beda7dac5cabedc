"""The colours of all tables and cards, by what they are for.

A picture has the colours of the palette "felt", and stands alone. An SVG names them in classes as
well, so that the style sheet of a page, `css`, can give the table others. Cards are the same on
every table, but for suits in safe colours. What is painted on single cards, such as a face or a
twig, keeps its own colours. The colours themselves are in csrc/draw/palette.h.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from mhing._lib import ffi, lib

Palette: TypeAlias = dict[str, str]
"""Colours "#rrggbb" by name."""

_ROWS = [lib.mh_palette_color_at(number + 1) for number in range(lib.mh_palette_size())]


def _name(row: Any) -> str:
    name: str = ffi.string(row.name).decode()
    return name


def _look(rgb: int) -> str:
    return f"#{rgb:06x}"


def _named(palette: str, is_card: bool) -> Palette:
    """What the colours of tables, or of cards, look like in a palette."""
    rows = (row for row in _ROWS if row.is_card == is_card and _name(row))
    return {_name(row): _look(getattr(row, palette)) for row in rows}


_FELT = _named("felt", False)

CARDS = _named("felt", True)
"""The colours of cards, and of what is written on them: no palette changes them."""

PALETTES: dict[str, Palette] = {name: _named(name, False) for name in ("felt", "light", "dark")}
"""The colours of a table by the name of its palette."""

SAFE_SUITS: Palette = {
    name: look for name, look in _named("safe", True).items() if look != CARDS[name]
}
"""Suits in colours that nobody confuses, in place of those of `CARDS`."""


def css() -> str:
    """Returns the style sheet of a page with tables.

    Colours are variables such as ``--picture-felt``, a name that a page has for nothing else. Those
    of the table follow the light or dark style that the reader prefers. With ``data-palette`` an
    element, such as the page itself, has the palette of that name, with ``data-suits="safe"`` the
    suits that colour-blind people distinguish.
    """
    light, dark = PALETTES["light"], PALETTES["dark"]
    rules = [
        _rule(":root", light | CARDS),
        f"@media (prefers-color-scheme: dark) {{ {_rule(':root', dark)} }}",
        *(_rule(f'[data-palette="{name}"]', palette) for name, palette in PALETTES.items()),
        _rule('[data-suits="safe"]', SAFE_SUITS),
        *(
            f".{kind}-{name} {{ {kind}: var(--picture-{name}) }}"
            for kind in ("fill", "stroke")
            for name in _FELT | CARDS
        ),
    ]
    return "\n".join(rules) + "\n"


def _rule(selector: str, palette: Palette) -> str:
    variables = "; ".join(f"--picture-{name}: {color}" for name, color in palette.items())
    return f"{selector} {{ {variables} }}"


class Color(str):
    """A colour of the palette: as a string "#rrggbb", with its name."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Color:
        """The colour of that name; KeyError where there is none."""
        color = super().__new__(cls, (_FELT | CARDS)[name])
        color.name = name
        return color

    def __getnewargs__(self) -> tuple[str]:
        return (self.name,)


def color_of(number: int) -> str:
    """A colour by its number from 1 on: a plain string where only art has it."""
    name = _name(_ROWS[number - 1])
    return Color(name) if name else _look(_ROWS[number - 1].felt)


FELT = Color("felt")
PANEL = Color("panel")
TRAY = Color("tray")
BAR = Color("bar")
TEXT = Color("text")
PALE = Color("pale")
ACCENT = Color("accent")
GOLD = Color("gold")
DARK = Color("dark")
PAPER = Color("paper")
JOKER_PAPER = Color("joker-paper")
EDGE = Color("edge")
WINE = Color("wine")
ROSE = Color("rose")
INK = Color("ink")
GREY = Color("grey")
GREEN = Color("green")
BLUE = Color("blue")
RED = Color("red")
AMBER = Color("amber")
PURPLE = Color("purple")
CERISE = Color("cerise")
