"""The colours of all tables and cards, by what they are for.

A picture has the colours of the palette "felt", and stands alone. An SVG names them in classes as
well, so that the style sheet of a page, `css`, can give the table others. Cards are the same on
every table, but for suits in safe colours. What is painted on single cards, such as a face or a
twig, keeps its own colours. The colours themselves are in csrc/draw/palette.h.
"""

from __future__ import annotations

from typing import TypeAlias

from mhing._lib.scenes import colors

Palette: TypeAlias = dict[str, str]
"""Colours "#rrggbb" by name."""


def _named(palette: str, is_card: bool) -> Palette:
    """Return the colours of tables, or of cards, in a palette."""
    return {name: f"#{rgb:06x}" for name, rgb in colors(palette, of_cards=is_card).items()}


CARDS = _named("felt", True)
"""The colours of cards, and of what is written on them: no palette changes them."""

PALETTES: dict[str, Palette] = {name: _named(name, False) for name in ("felt", "light", "dark")}
"""The colours of a table by the name of its palette."""

SAFE_SUITS: Palette = {
    name: look for name, look in _named("safe", True).items() if look != CARDS[name]
}
"""Suits in colours that nobody confuses, instead of those of `CARDS`."""


def css() -> str:
    """Return the style sheet of a page with tables.

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
            for name in light | CARDS
        ),
    ]
    return "\n".join(rules) + "\n"


def _rule(selector: str, palette: Palette) -> str:
    variables = "; ".join(f"--picture-{name}: {color}" for name, color in palette.items())
    return f"{selector} {{ {variables} }}"
