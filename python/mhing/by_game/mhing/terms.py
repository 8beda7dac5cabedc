"""Words for actions and cards that players of related games use."""

from __future__ import annotations

from mhing.by_game import Synonyms

_KINDS = {
    "sequence": ("chi", "chii", "chow", "run", "straight"),
    "triplet": ("pon", "pung", "peng", "triple", "three of a kind"),
    "mhing": ("ron", "tsumo", "hu", "mahjong", "mah jongg", "mah-jongg", "declare victory", "win"),
}
_CARDS = {
    "circles": ("dot", "dots", "pin", "pins", "pinzu", "coin", "coins"),
    "bamboo": ("bamboos", "bam", "bams", "sou", "souzu", "stick", "sticks"),
    "characters": ("crak", "craks", "cracks", "man", "wan", "manzu"),
    "east wind": ("east",),
    "south wind": ("south",),
    "west wind": ("west",),
    "north wind": ("north",),
    "red dragon": ("chun",),
    "green dragon": ("hatsu",),
    "white dragon": ("haku",),
    "mhing card": ("joker",),
}

TERMS = Synonyms(
    {word: name for name, words in _KINDS.items() for word in words},
    {word: name for name, words in _CARDS.items() for word in words},
)
