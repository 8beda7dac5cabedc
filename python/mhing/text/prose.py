"""Moves that sentences name: what a player says it does, and what it only talks about.

A sentence says a move where it names a kind of actions, in a form that the vocabulary knows, with
its cards behind it: "I'll discard the five of circles". Moves that others make, that are denied,
asked, possible or reasons ("if I discard 5s") are not said. Where that leaves several moves, or one
in doubt, nothing is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from mhing.text.vocabulary import Kind, Token, Vocabulary


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FIRST = _words("i i'll i'm i've i'd im ill we we'll let's lets let my")
_SURE = _words("i'll ill we'll will let's lets choose decide decided going shall")
_OTHERS = _words(
    "seat seats opponent opponents they he she they'll he'll she'll player players you others "
    "somebody someone nobody anybody anyone who neighbour neighbor dealer"
)
_DOUBT = _words(
    "could might may would maybe perhaps consider considered considering possible possibly option "
    "options either whether should thought think thinking tempted alternatively example can "
    "i'd wanted hope hoping plan planning later next previously earlier probably if unless "
    "until when because since once before after while as legal candidates candidate available or "
    "risk risks risky idea imagine suppose had have were was worse bad wrong mistake"
)
_LASTING = _words("if unless until when because since once before after while as whether options")
_BECAUSE = _words("because since as")
_DENIED = _words(
    "not never no don't won't cannot can't isn't didn't doesn't wouldn't shouldn't without nor "
    "neither avoid nothing none dont wont refrain against"
)
_BORDERS = _words("but so then therefore hence thus because since while which however though and")
_FINITE = _words(
    "is are was looks seems gives leaves has wins loses helps makes means breaks would could might"
)
_TAKEN_BACK = _words("wait actually scratch correction nevermind hmm oops sorry no")
_FILLERS = _words(
    "the a an my this that these those with of for it them card cards tile tiles to from meld out "
    "away up on in using one now here again on offer :"
)
_DETERMINERS = _words("the a an his her their that this last top every any previous their its")
_INTENT = re.compile(
    r"\bI(?:'d| would)? (?:like|want|prefer|intend|have decided) to\b", re.IGNORECASE
)
_CHOOSE = _words(
    "play choose chose pick select take claim make form lay meld declare call go use choosing "
    "playing taking claiming picking selecting"
)
_LEADS = (
    _FIRST | _SURE | _CHOOSE | _words("is be am say to : now please then just simply , and or by")
)
"""Words after which a kind alone, without cards, is a move: "I just pass"."""


@dataclass
class Mention:
    """A move that a text names."""

    said: str
    """As the text has it."""
    action: int | None
    """Its id; None: there is none such, or it is not clear which one."""
    reason: str
    """The reason for no id."""
    is_bare: bool = False
    """True if no cards stand behind it."""
    takes_cards: bool = False
    """True if actions of its kind name cards."""
    others: tuple[int, ...] = ()
    """The legal actions that it may mean, where these are several."""
    is_mine: bool = False
    """True if a first person says it."""
    is_denied: bool = False
    is_doubtful: bool = False
    is_talk: bool = False
    """True if it is about others, or a reason: it does not speak against another move."""

    @property
    def key(self) -> int | str:
        """A key that two mentions of the same move share."""
        return self.said if self.action is None else self.action


@dataclass
class _Sentence:
    """The context at a place in a sentence."""

    is_mine: bool = False
    is_others: bool = False
    is_denied: bool = False
    is_doubtful: bool = False
    is_reason: bool = False
    is_because: bool = False
    is_list: bool = False
    """True in lines below one such as "My options are:"."""
    has_begun: bool = False
    has_cards: bool = False
    """True after cards in this clause that belong to no move."""

    def __post_init__(self) -> None:
        self.clause: list[Mention] = []
        self.all: list[Mention] = []

    def ended(self, stop: str, last: str) -> _Sentence:
        """Return the next sentence, after a stop, and the word before that."""
        if stop == "?":
            for one in self.all:
                one.is_doubtful |= not one.said.lower().startswith("may ")  # which asks by itself
        is_list = stop != "\n\n" and (self.is_list or (self.is_doubtful and last == ":"))
        return _Sentence(is_doubtful=is_list, is_list=is_list)

    def border(self, word: str, following: str) -> None:
        """Begin a clause, which may free what follows from what came before."""
        is_turn = word in ("but", "so", "therefore", "hence", "thus", "however")
        self.is_mine = self.has_cards = False
        self.clause = []
        if is_turn or following in _FIRST or following == "instead":
            self.is_denied = self.is_others = False
        if is_turn and not self.is_list:
            self.is_doubtful = self.is_reason = self.is_because = False

    def hear(self, word: str) -> None:
        """Follow a word that names no move."""
        if word in _FIRST:
            self.is_mine, self.is_others = True, False
        elif word in _OTHERS:
            self.is_mine, self.is_others = False, True
        if word in _SURE and self.is_mine and not (self.is_reason or self.is_list):
            self.is_doubtful = False
        self.is_denied |= word in _DENIED
        self.is_doubtful |= word in _DOUBT
        self.is_reason |= word in _LASTING
        self.is_because |= word in _BECAUSE
        for one in self.clause:
            one.is_doubtful |= word in _DOUBT or word in _DENIED
            one.is_doubtful |= word in _FINITE and not one.is_mine

    def see_cards(self) -> None:
        """Follow cards that belong to no move; they may belong to one that names none."""
        self.has_cards = True
        for one in self.clause:
            one.is_doubtful |= one.is_bare and one.takes_cards

    def say(
        self, mention: Mention, verb: Token, tokens: Sequence[Token], begin: int, end: int
    ) -> None:
        """Note how the sentence says a move, with its tokens from `begin` up to `end`."""
        mention.is_mine, mention.is_denied = self.is_mine, self.is_denied
        mention.is_talk = self.is_others or self.is_because
        following = tokens[end] if end < len(tokens) else None
        mention.is_doubtful = (
            self.is_doubtful
            or self.is_others
            or (following is not None and following.meaning in ("or", "/"))
            or (mention.is_bare and mention.takes_cards and self.has_cards)
            or (mention.is_bare and not _is_led(tokens, begin))
            or (
                verb.said.endswith("ing")
                and not self.is_mine
                and following is not None
                and following.sort == "word"
            )
        )
        self.clause.append(mention)
        self.all.append(mention)


def _is_led(tokens: Sequence[Token], place: int) -> bool:
    """Return whether what stands before a kind alone makes it a move."""
    while place and (tokens[place - 1].meaning in ("a", "the") or _is_adverb(tokens[place - 1])):
        place -= 1
    before = tokens[place - 1] if place else None
    if before is None or before.sort in ("stop", "comma") or before.meaning in _BORDERS:
        return True
    return before.meaning in _LEADS


def _is_adverb(token: Token) -> bool:
    return token.sort == "word" and token.meaning.endswith("ly")


class Prose:
    """Reads sentences about a question.

    Args:
        words: the words of the game.
        texts: the legal actions, ids by their texts.
        shown: what the player is told it may do; cards behind an action that names none in its
            text, such as "take 6d", must be there.
    """

    def __init__(self, words: Vocabulary, texts: dict[str, int], shown: str) -> None:
        self._words, self._legal = words, texts
        self._asked = shown.replace(".", " ").replace(",", " ").split()
        self._melds = {name for name, kind in words.kinds.items() if kind.is_meld}

    def bare(self, text: str) -> Mention | None:
        """The one action of all that cards, or a meld, alone can mean; None for other texts."""
        tokens = [one for one in self._words.tokens(text) if not _is_filler(one)]
        if not tokens or any(one.sort == "kind" for one in tokens):
            return None
        argument, end = self._argument(tokens, 0)
        if argument is None or any(one.sort != "stop" for one in tokens[end:]):
            return None
        return self._resolve(None, argument, text)

    def mentions(self, text: str) -> list[Mention]:
        """All moves that a text names, in its order."""
        found: list[Mention] = []
        tokens = self._words.tokens(_INTENT.sub("I will", text))
        now, place = _Sentence(), 0
        while place < len(tokens):
            token = tokens[place]
            place += 1
            made = None
            if token.sort == "stop" and token.meaning != ":":
                now = now.ended(token.meaning, tokens[place - 2].meaning if place > 1 else "")
            elif token.sort in ("word", "comma", "stop"):
                self._hear(now, found, tokens, place - 1)
                if token.meaning in _CHOOSE:
                    made = self._chosen(tokens, place)
            elif token.sort == "kind":
                made = self._acted(tokens, place - 1)
            else:
                now.see_cards()
            if made:
                mention, end = made
                now.say(mention, token, tokens, place - 1, end)
                found.append(mention)
                place = end
            now.has_begun |= token.sort != "stop"
        return found

    @staticmethod
    def _hear(
        now: _Sentence, found: Sequence[Mention], tokens: Sequence[Token], place: int
    ) -> None:
        """Follow a word that names no move."""
        word = tokens[place].meaning
        following = tokens[place + 1].meaning if place + 1 < len(tokens) else ""
        if word in (",", ":") or word in _BORDERS:
            now.border(word, following)
        if word in _TAKEN_BACK and not (word == "no" and now.has_begun):
            for one in found:
                one.is_doubtful = True
        if word in ("instead", "rather") and following in ("of", "than"):
            now.is_denied = True
        if word != "no" or following != ",":
            now.hear(word)

    # ---- Moves -----------------------------------------------------------------------------------

    def _kind(self, token: Token) -> Kind:
        return self._words.kinds[token.meaning]

    def _acted(self, tokens: Sequence[Token], place: int) -> tuple[Mention, int] | None:
        """The move whose kind a token names, and the place behind it."""
        kind, begin = self._kind(tokens[place]), place + 1
        while begin < len(tokens) and _is_filler(tokens[begin]):
            begin += 1
        argument, end = self._argument(tokens, begin)
        if argument is None:
            return self._bare(tokens, place, begin)
        if kind.is_place and argument[0].sort != "argument":
            return None
        if not kind.is_place and self._is_place(tokens, end) and self._are_asked(argument):
            return None  # "lay 3h onto 1.1", where only the place is asked
        said = " ".join(one.said for one in tokens[place:end])
        mention = self._resolve(kind, argument, said)
        if kind.is_place and _is_described(tokens, end, self._melds):
            while end < len(tokens) and tokens[end].sort != "stop":
                end += 1  # "onto 1.1, set 3dcc of seat 1"
        return mention, end

    def _bare(self, tokens: Sequence[Token], place: int, begin: int) -> tuple[Mention, int] | None:
        """The move of a kind that no cards follow; fillers end at `begin`."""
        token, kind = tokens[place], self._kind(tokens[place])
        other = tokens[begin] if begin < len(tokens) else Token("stop", "", "")
        is_noun = place > 0 and tokens[place - 1].meaning in _DETERMINERS
        is_verb = len(kind.actions) > 1 or other.meaning in self._melds
        if kind.is_place or (is_noun and not kind.is_meld) or (other.sort == "kind" and is_verb):
            return None  # "the discard", "lay a run", "call chi"
        if other.sort == "word" and _is_code(other) and "" not in kind.actions:
            said = f"{token.said} {other.said}"
            return Mention(said, None, f"{said!r} is not legal now"), begin + 1
        return self._resolve(kind, None, token.said), place + 1

    def _are_asked(self, argument: Sequence[Token]) -> bool:
        """Return whether the player is asked about all of these cards."""
        return all(card in self._asked for card in _cards(argument))

    def _is_place(self, tokens: Sequence[Token], place: int) -> bool:
        kind = tokens[place] if place < len(tokens) and tokens[place].sort == "kind" else None
        return kind is not None and self._kind(kind).is_place

    def _chosen(self, tokens: Sequence[Token], place: int) -> tuple[Mention, int] | None:
        """The move that a word like "play" makes of cards or a meld right behind it."""
        begin = place
        while begin < len(tokens) and _is_filler(tokens[begin]):
            begin += 1
        argument, end = self._argument(tokens, begin)
        if argument is None:
            return None
        said = " ".join(one.said for one in tokens[place - 1 : end])
        return self._resolve(None, argument, said), end

    def _argument(self, tokens: Sequence[Token], place: int) -> tuple[list[Token] | None, int]:
        """The cards, the meld or the rank from a place on, and the place behind them."""
        if place >= len(tokens) or tokens[place].sort not in ("cards", "argument", "rank"):
            return None, place
        found, end = [tokens[place]], place + 1
        while found[0].sort == "cards":
            begin = end
            while begin < len(tokens) and tokens[begin].meaning in (",", "and", "the", "a"):
                begin += 1
            if begin >= len(tokens) or tokens[begin].sort != "cards":
                break
            found.append(tokens[begin])
            end = begin + 1
        return found, end

    def _resolve(self, kind: Kind | None, argument: list[Token] | None, said: str) -> Mention:
        """The move of a kind, or of any that the argument fits exactly."""
        legal = {*self._legal.values()}
        if kind and kind.text in _CHOOSE and _is_meld(argument):
            kind = None  # "lay 456s"
        if kind:
            found = {*self._matching(kind, argument, legal)}
        else:
            assert argument
            kinds = self._words.kinds.values()
            found = {action for one in kinds for action in _exactly(one, argument)}
        mention = Mention(said, None, "", argument is None, not kind or "" not in kind.actions)
        certain = found if len(found) == 1 else found & legal
        if len(certain) == 1:
            (mention.action,) = certain
        elif certain:
            mention.others = tuple(sorted(certain))
            mention.reason = f"{said!r} may mean several moves"
        else:
            mention.reason = f"{said!r} is not legal now"
        return mention

    def _matching(self, kind: Kind, argument: list[Token] | None, legal: set[int]) -> Iterator[int]:
        """The actions of a kind that an argument may name; also ones that are not legal."""
        playable = [action for action in kind.actions.values() if action in legal]
        if "" in kind.actions:  # one action, whose cards lie on the table
            if self._are_asked(argument or ()):
                yield kind.actions[""]
        elif argument is None:
            yield from playable
        else:
            exact, among = [*_exactly(kind, argument)], list[int]()
            if argument[0].sort == "rank":
                rank = argument[0].meaning
                among = [a for a in playable if kind.cards[a] and self._is_rank(kind, a, rank)]
            elif argument[0].sort == "cards" and kind.is_meld:
                named = Counter(_cards(argument))
                among = [a for a in playable if not named - Counter(kind.cards[a])]
            yield from (exact if not among or (legal.issuperset(exact) and exact) else among)

    def _is_rank(self, kind: Kind, action: int, rank: str) -> bool:
        return all(self._words.rank_of(card) == rank for card in kind.cards[action])


def _exactly(kind: Kind, argument: Sequence[Token]) -> Iterator[int]:
    """The actions of a kind that have just this argument; of cards without jokers."""
    if argument[0].sort != "cards":
        if argument[0].meaning in kind.actions:
            yield kind.actions[argument[0].meaning]
        return
    named = sorted(_cards(argument))
    for text, action in kind.actions.items():
        if "*" not in text and sorted(kind.cards[action]) == named:
            yield action


def _cards(argument: Sequence[Token]) -> list[str]:
    return [card for one in argument if one.sort == "cards" for card in one.meaning.split()]


def _is_meld(argument: Sequence[Token] | None) -> bool:
    if not argument:
        return False
    return argument[0].sort == "argument" or len(_cards(argument)) > 1


def _is_code(token: Token) -> bool:
    """Return whether a word looks like a card, or a meld, that the game does not have."""
    return any(sign.isdigit() or sign == "*" for sign in token.said)


def _is_described(tokens: Sequence[Token], place: int, melds: Collection[str]) -> bool:
    """Return whether a comma and the name of a meld follow."""
    if place + 1 >= len(tokens) or tokens[place].sort != "comma":
        return False
    return tokens[place + 1].sort == "kind" and tokens[place + 1].meaning in melds


def _is_filler(token: Token) -> bool:
    return token.sort in ("word", "stop") and token.meaning in _FILLERS
