"""The words for a game's actions and cards, as people and models spell them.

>>> import mhing
>>> Vocabulary(mhing.Game("mhing")).tokens("Throw the 5 of circles")[::2]
[Token('kind', 'discard', 'throw'), Token('cards', '5p', '5 of circles')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from mhing import by_game
from mhing.game import Game

_NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_SYMBOLS = {"♠": "spades", "♥": "hearts", "♦": "diamonds", "♣": "clubs"}
_COMMON = {
    "discard": ("throw", "throw away", "throw out", "toss", "drop", "dump", "get rid of"),
    "swap": ("exchange", "trade"),
    "pass": ("skip", "decline"),
}
"""Further words for kinds that several games have."""
_REPLIES = {
    "no": "pass", "no thanks": "pass", "no thank you": "pass", "i don't want it": "pass",
    "i won't claim it": "pass", "i don't claim it": "pass", "i won't claim": "pass",
}  # fmt: skip
"""Kinds by whole replies that name them."""
_DRAW = (
    r"(?:tak(?:e|ing)|draw(?:ing)?|pick(?:ing)?(?:\s+up)?)"
    r"(?:\s+(?:it|one|(?:a|an|the|one|another)(?:\s+(?:new|next|top))?(?:\s+(?:card|one|tile))?))?"
    r"\s+(?:from|off|of)\s+(?:the\s+)?(?:top\s+of\s+(?:the\s+)?)?"
)
_PILES = {
    "draw": rf"{_DRAW}(?:draw\s+pile|stock|stockpile|deck)",
    "take": rf"(?:{_DRAW}(?:discard\s+pile|discards)"
    r"|(?:tak(?:e|ing)|draw(?:ing)?|pick(?:ing)?\s+up)\s+the\s+(?:top\s+)?discard)",
}
"""Patterns of kinds that say from which pile they draw."""
_WORD = re.compile(
    r"[^\W_]+(?:['*][^\W_]+|(?<=\d)\.\d+)*\*?|\n[ \t]*\n|[^\w\s'\"\u2018-\u201d*_#`\[\]\\\u2026]|\n"
)
_DASHES = re.compile(r"(?<=\s)[-\u2013](?=\s)|\u2014")
_HYPHENS = re.compile(r"\b(?:[\dTJQK]-){2,3}[\dTJQKA][a-z]\b")
_JOIN = r"(?:\s*,\s*and\s+|\s+and\s+|\s*[,+/-]\s*|\s+)"


class Token(NamedTuple):
    """A word of a reply, or several that name a kind of actions, or cards."""

    sort: Literal["kind", "cards", "rank", "ranks", "argument", "word", "stop", "comma"]
    meaning: str
    """A kind's name; cards as the game writes them, with spaces; an argument as actions have it;
    a word in lower case."""
    said: str

    def __repr__(self) -> str:
        return f"Token{tuple(self)!r}"


@dataclass
class ActionKind:
    """The actions of one kind."""

    text: str
    """The words with which its actions begin."""
    actions: dict[str, int] = field(default_factory=dict)
    """Ids by what follows in their texts; "" for nothing."""
    cards: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The cards that an action names, jokers as the cards that they stand for."""
    is_meld: bool = False
    """True if an action names several cards, or a rank: its name is a noun."""
    is_place: bool = False
    """True if actions name places on the table."""


class Vocabulary:
    """The words of one game."""

    def __init__(self, game: Game) -> None:
        self.cards = game.labels["cards"]
        terms = by_game.terms(game.id)
        self._ranks: dict[str, str] = {}
        self._suits: dict[str, str] = {}
        self._named: dict[str, str] = {}
        self._add_cards(zip(self.cards, game.labels["spoken"], strict=True))
        for word, spoken in terms.cards.items():
            if spoken in self._suits:
                self._suits[word] = self._suits[spoken]
            else:
                self._named[word] = self._named[spoken]
        self.kinds = {one.name: self._kind(game, one.first, one.count) for one in game.actions}
        self._verbs = {kind.text: name for name, kind in self.kinds.items()}
        for name, words in _COMMON.items():
            self._verbs |= dict.fromkeys(words if name in self.kinds else (), name)
        self._verbs |= terms.kinds
        self.unless = terms.unless
        self.replies: dict[str, list[str]] = {}
        for reply, name in (*_REPLIES.items(), *terms.replies.items()):
            if name in self.kinds:
                self.replies.setdefault(reply, []).append(name)
        self._arguments = {
            text.lower(): text
            for kind in self.kinds.values()
            for text in kind.actions
            if len(text) > 2 and text not in self.cards
        }
        self._codes = {card.lower(): card for card in self.cards if len(card) > 1}
        self._codes |= {f"10{card[1:]}": card for card in self.cards if card[0] == "T" < card}
        self._forms = self._inflected()
        self._pattern = self._phrases()

    def tokens(self, text: str) -> list[Token]:
        """Split a reply into words, and phrases that name actions or cards."""
        for symbol, suit in _SYMBOLS.items():
            text = text.replace(symbol, f" {suit}" if suit in self._suits else symbol)
        text = _HYPHENS.sub(lambda found: found[0].replace("-", ""), _DASHES.sub(":", text))
        found: list[Token] = []
        place = 0
        for phrase in self._pattern.finditer(text):
            found += self._words(text[place : phrase.start()])
            found.append(self._phrase(phrase))
            place = phrase.end()
        return [*found, *self._words(text[place:])]

    def is_base(self, token: Token) -> bool:
        """Return whether a token of a kind is in the form of "discard", not of "discarding"."""
        said = " ".join(token.said.split())
        return said in self._verbs or not said.partition(" ")[0].endswith("ing")

    def rank_of(self, card: str) -> str:
        """The rank of a card; of one without, such as a wind, the card."""
        return card[:-1] or card

    # ---- Words of the game -----------------------------------------------------------------------

    def _add_cards(self, spoken: Iterable[tuple[str, str]]) -> None:
        for card, name in spoken:
            rank, of, suit = name.partition(" of ")
            if not of:
                self._named[name.lower()] = card
                continue
            self._suits |= dict.fromkeys((suit, suit.rstrip("s")), card[-1])
            plural = f"{rank}es" if rank.endswith("x") else f"{rank}s"
            self._ranks |= dict.fromkeys((rank, plural, card[:-1].lower()), card[:-1])
            if rank in _NUMBERS:
                self._ranks[str(_NUMBERS.index(rank) + 1)] = card[:-1]

    def _kind(self, game: Game, first: int, count: int) -> ActionKind:
        texts = {action: game.action_text(action) for action in range(first, first + count)}
        words = {text.rpartition(" ")[0] if count > 1 else text for text in texts.values()}
        (begin,) = words
        kind = ActionKind(begin)
        for action, text in texts.items():
            argument = text.removeprefix(begin).strip()
            kind.actions[argument] = action
            kind.cards[action] = tuple(self._cards_of(argument))
            kind.is_place |= "." in argument
            kind.is_meld |= argument not in ("", *self.cards) and not kind.is_place
        return kind

    def _cards_of(self, argument: str) -> list[str]:
        """The cards of ``"5s"``, ``"45*6s"`` or ``"EE*E*"``; of a place or a rank none."""
        if argument in self.cards:
            return [argument]
        plain = argument.replace("*", "")
        with_suit = [rank + plain[-1:] for rank in plain[:-1]]
        for cards in (with_suit, [*plain]):
            if cards and all(card in self.cards for card in cards):
                return cards
        return []

    def _phrases(self) -> re.Pattern[str]:
        rank, suit = _any(self._ranks), _any(self._suits)
        codes = _any(self._codes)
        parts = []
        if self._suits:
            parts += [
                rf"(?P<list>(?:{rank}){_JOIN}(?:(?:{rank}){_JOIN}){{0,3}}(?:{rank})"
                rf"|[\dTJQKA]{{2,4}})[\s-]+(?:of\s+)?(?:the\s+)?(?P<list_suit>{suit})",
                rf"(?P<rank>{rank})(?:[\s-]+of)?[\s-]*(?P<suit>{suit})",
                rf"(?P<suit_first>{suit})[\s-]+(?P<rank_last>{rank})(?!\s+of\b|[\s-]+(?:{suit})\b)",
            ]
            parts.append(r"(?P<ranks>\d(?:[\s-]?\d){2,3})")
        if {*_PILES} <= {*self.kinds}:
            parts += [rf"(?P<{name}>{pile})" for name, pile in _PILES.items()]
        parts.append(rf"(?P<codes>(?:{codes}){{2,4}})")
        if self._named:
            parts.append(rf"(?P<named>{_any(self._named)})s?")
        parts.append(rf"(?P<verb>{_any(self._forms)})")
        return re.compile(rf"(?<![\w*])(?:{'|'.join(parts)})(?![\w*])", re.IGNORECASE)

    def _inflected(self) -> dict[str, str]:
        forms = dict(self._verbs)
        for verb, kind in self._verbs.items():
            if " " not in verb:
                forms |= dict.fromkeys((f"{verb}ing", f"{verb.rstrip('e')}ing"), kind)
                forms[f"{verb}{verb[-1]}ing"] = kind
        return forms

    # ---- Tokens ----------------------------------------------------------------------------------

    def _phrase(self, found: re.Match[str]) -> Token:
        said = found[0]
        parts = {name: part for name, part in found.groupdict().items() if part is not None}
        kind = next((name for name in _PILES if name in parts), None)
        if kind or "verb" in parts:
            kind = kind or self._forms[" ".join(said.lower().split())]
            return Token("kind", kind, said.lower())
        if "ranks" in parts:
            return Token("ranks", re.sub(r"\D", "", said), said)
        if "named" in parts:
            return Token("cards", self._named[" ".join(parts["named"].lower().split())], said)
        if "codes" in parts:
            codes = re.findall(_any(self._codes), said, re.IGNORECASE)
            return Token("cards", " ".join(self._codes[code.lower()] for code in codes), said)
        if "list" in parts:
            suit = self._suits[parts["list_suit"].lower()]
            names = parts["list"].lower()
            ranks = [*names] if names.isalnum() and " " not in names else None
            if ranks is None or names in self._ranks:
                ranks = re.findall(rf"\b(?:{_any(self._ranks)})\b", names)
            cards = [self._ranks.get(rank, rank.upper()) + suit for rank in ranks]
        else:
            rank = parts.get("rank") or parts["rank_last"]
            suit = parts.get("suit") or parts["suit_first"]
            cards = [self._ranks[rank.lower()] + self._suits[suit.lower()]]
        if any(card not in self.cards for card in cards):
            return Token("word", said.lower(), said)
        return Token("cards", " ".join(cards), said)

    def _words(self, text: str) -> Iterator[Token]:
        for word in _WORD.findall(text):
            lower = word.lower()
            if word in "\n.!?;:" or not word.strip():
                yield Token("stop", "\n\n" if not word.strip() and len(word) > 1 else word, word)
            elif word == ",":
                yield Token("comma", word, word)
            elif word in self.cards:
                yield Token("cards", word, word)
            elif lower in self._codes and word[0] != "a":  # "as" and "ah" are words
                yield Token("cards", self._codes[lower], word)
            elif lower in self._arguments:
                yield Token("argument", self._arguments[lower], word)
            elif lower in self._ranks and (len(word) > 1 or word.isupper() or word.isdigit()):
                yield Token("rank", self._ranks[lower], word)
            else:
                yield Token("word", lower, word)


def _any(words: Iterable[str]) -> str:
    """A pattern of any of these, the longest first; spaces may be any."""
    longest = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest) or r"(?!)"
