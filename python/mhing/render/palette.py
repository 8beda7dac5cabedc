"""The colours of all tables and cards, by what they are for.

A picture has the colours of the palette "felt", and stands alone. An SVG names them in classes as
well, so that the style sheet of a page, `css`, can give the table others. Cards are the same on
every table, but for suits in safe colours. What is painted on single cards, such as a face or a
twig, keeps its own colours.
"""

from __future__ import annotations

from typing import TypeAlias

Palette: TypeAlias = dict[str, str]
"""Colours "#rrggbb" by name."""

_FELT: Palette = {
    "felt": "#143f33",
    "panel": "#1e5a48",
    "tray": "#1a4e3e",
    "bar": "#0f3128",
    "text": "#f2f5ee",
    "pale": "#b5cdc2",  # of what matters less
    "accent": "#ffc83d",  # of what matters most
    "gold": "#ffc83d",  # of what is on turn or may be had
    "dark": "#1b1a12",  # of letters on gold
}

CARDS: Palette = {
    "paper": "#fcf8ec",
    "joker-paper": "#ffeaa6",
    "edge": "#8d8468",
    "wine": "#7c2438",
    "rose": "#d9a5a0",
    "ink": "#27303a",
    "grey": "#5c6671",
    "green": "#166832",
    "blue": "#1d4f9f",
    "red": "#b4232a",
    "amber": "#f5b81c",
    "purple": "#4b2a7b",
    "cerise": "#b02a6b",
}
"""The colours of cards, and of what is written on them: no palette changes them."""

PALETTES: dict[str, Palette] = {
    "felt": _FELT,
    "light": _FELT
    | {
        "felt": "#d5e5da",
        "panel": "#eef5f0",
        "tray": "#dfebe3",
        "bar": "#c6dacd",
        "text": "#14221b",
        "pale": "#3b5548",
        "accent": "#6b3f00",
        "gold": "#c08000",
    },
    "dark": _FELT
    | {
        "felt": "#0c1210",
        "panel": "#1b2723",
        "tray": "#141d1a",
        "bar": "#090e0c",
        "text": "#e8ede9",
        "pale": "#a3b8ae",
        "gold": "#e0ac2b",
    },
}
"""The colours of a table by the name of its palette."""

SAFE_SUITS: Palette = {"red": "#b04400", "blue": "#1f5fe6", "green": "#006b54"}
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
