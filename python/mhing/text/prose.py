"""Moves that sentences choose, by a grammar of what a choice is.

A sentence is a choice only if all of it is: perhaps a lead ("OK,", "I need bamboo, so"), perhaps
what is not played ("not 5p,"), then the choice ("I'll discard 9m", "My move is 9m", "Discard 9m"),
and perhaps a reason ("because ..."). Any other sentence is talk, whatever its words are, so nothing
unforeseen is played. Talk may come before a choice; only remarks on a choice may come after it.
Two moves that are chosen are none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from mhing.text.vocabulary import ActionKind, Token, Vocabulary


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FILLERS = _words(
    "the a an my this that these those with of for it card cards tile tiles to from meld out "
    "away up on in using one now here again offer :"
)
_DETERMINERS = _words(
    "my our the a an his her their that this last top every any previous its best final"
)
_CHOOSE = _words("play choose pick select take claim make form lay meld declare call use")

# Sentences are matched as words between spaces, where <1> is a move, <1>~ one such as "discarding",
# and [1] are cards, or a meld, alone.
_MOVE, _DOING, _CARDS = r"<\d+>", r"<\d+>~", r"\[\d+\]"
_THING = rf"(?:(?:an?|the|my) )?(?:{_MOVE}|{_CARDS})"
_CHOOSES = (
    rf"(?:{'|'.join(sorted(_CHOOSE))}|go (?:with|for)|opt for|settle (?:on|for)|decide on|lay off)"
    r"(?: it)?(?: (?:as|for|with))?"
)
_ADVERBS = (
    r"(?:(?:just|simply|now|then|hereby|finally|gladly|definitely|instead|please|therefore|thus) )*"
)
_INTENT = (
    r"(?:(?:i think )?(?:i'll|ill|i will|i shall|we'll|we will)|let me|let's|lets|let us|i must"
    r"|(?:i|we) (?:have|want|need|like|choose|decide|prefer|intend|would like|would prefer"
    r"|have decided) to|i'd (?:like|prefer) to|i've decided to|(?:i'm|i am|we are) going to|i|we)"
)
_LABELS = (
    r"(?:(?:this|here) is )?(?:(?:my|the|our) )?(?:(?:final|best|chosen|own|next) )*"
    r"(?:move|choice|decision|action|answer|play|discard|claim)(?: now| here)?"
)
_AFTER = (
    r"(?: (?:it|this|that|one|(?:this|that|the|an?|one) (?:one|card|tile)|card|tile"
    r"|(?:this|that) (?:turn|time|round)"
    r"|my (?:turn|hand)|here|now|then|instead|please|away|out|myself|for (?:me|now)|it is|him|her"
    r"|them|(?:on|at) (?:it|this|that)(?: (?:one|card|turn))?|from my hand|(?:to )?seat_\w+"
    r"|to (?:him|her|them)|(?:to|by) \d+|for the \[\d+\]|, (?:please|thanks|thank you)))*"
)
_LEADS = (
    r"(?P<lead>(?:(?:ok|okay|sure|well|yes|alright|right|sorry|wait|so|then|therefore|thus|hence"
    r"|but|now|please|finally|great|ah|oh|actually|fine|no ,|no :)(?: [,:])? )*)"
)
_CONTRARY = (
    r"(?:(?:i|we) (?:don't|won't|will not|do not|can't|cannot)|don't|do not|not|no|never"
    r"|instead of|rather than)"
)
_SUBJECT = (
    r"(?:it|this|that|which|these|they|he|she|we|i|(?:my|the|our|his|her|their|an?|this|that)"
    rf" \S+(?: \S+)?|seat_\w+|{_CARDS})"
)
_DENIAL = (
    rf"{_CONTRARY} (?:{_CHOOSES} )?(?:{_DOING}|{_THING})(?:(?: ,)? (?:not|nor|or|and|no) {_THING})*"
    rf"{_AFTER}"
)
_DENIED = re.compile(_LEADS + _DENIAL)
_FIRM = (
    rf"(?:{_INTENT} {_ADVERBS}(?:{_MOVE}|{_CHOOSES} {_THING})"
    rf"|(?:i'm|i am|we're|we are) {_ADVERBS}{_DOING}"
    rf"|(?:(?:so )?(?:i think|i believe) (?:that )?)?{_LABELS}(?: is| :| is :)(?: to)?"
    rf" {_ADVERBS}(?:{_CHOOSES} )?{_THING}"
    rf"|i say {_MOVE}|(?:it is|it's) best to {_ADVERBS}{_MOVE})"
)
_BARE = rf"(?:(?:please|just|simply|then|now) )*(?:(?:{_CHOOSES} )?{_THING}|{_DOING})"
_PREFIX = (
    rf"(?:(?P<denied>{_DENIAL}) (?:(?:,|:|and|but|so)(?: but| so| and)? )?"
    r"|in the (?:long (?:run|<\d+>)|end|<\d+>) (?:, )?)?"
)
_TALK = (
    r"(?:.* (?:so|therefore|thus|hence|but)(?: instead)?(?: ,)? "
    rf"|(?:because|since|as (?:i|it|the|my|there|this|{_CARDS})) .* , "
    r"|(?:based on|given (?:my|this|these|the current)|looking at|considering|after (?:careful )?"
    r"(?:consideration|thought|analysis)|in conclusion)\b.* , "
    rf"|with (?:(?:an?|the|my) )?{_CARDS} (?:, )?|i \S+ nothing , )"
)
_REASON = (
    r"(?:(?: ,| :)? (?:because|since|so that|in order to|so i can|for safety"
    r"|to (?:keep|save|protect|avoid|stay|make|get|build|complete|reduce)"
    rf"|as (?:i|it|the|my|this|that|seat_\w+|{_CARDS})) .*"
    r"|(?P<denied_too>(?: ,)? (?:instead of|rather than|and not|not|over)"
    rf" (?:{_DOING}|{_THING}){_AFTER}))?"
)
_REMARK = (
    rf"{_SUBJECT} (?:is|are|has|have|scores|gives|leaves|helps|keeps|makes|means|fits|does|saves"
    r"|opens|breaks|can|will|need|needs|keep)\b.*"
)
_HARMLESS = (
    rf"(?:it|this|that|which|{_CARDS}) (?:is|scores|has|fits|helps|does|gives)"
    r" (?:(?:the|an?|only|my|most|least|of|no|completely) )*"
    r"(?:nothing|useless|useful|alone|isolated|safe|safest|best|unneeded|use|weakest)"
)
_CHOICES = (
    re.compile(
        rf"{_LEADS}(?:{_PREFIX}|{_TALK})(?P<firm>{_FIRM}){_AFTER}"
        rf"(?:{_REASON}|(?: ,| :)? {_REMARK})"
    ),
    re.compile(rf"i (?:keep|hold) (?:the |my )?{_CARDS} and (?P<firm>{_MOVE}){_AFTER}"),
    re.compile(rf"{_LEADS}{_PREFIX}(?P<bare>{_BARE}){_AFTER}(?:{_REASON}|(?: ,| :)? {_HARMLESS})"),
)
"""Choices that a person says, or says by denying others, and bare ones, as "Discard 9m"."""
_LONGEST = 600
"""Characters of a sentence that may be a choice; longer ones are talk, and would take long."""
_RETURN = _words("wait no sorry actually")
_POLITE = re.compile(
    r"(?:good luck|thank you|thanks|have fun|your turn|good game)(?: (?:to )?\w+)?"
)
_AFTER_FIRM, _AFTER_BARE = re.compile(rf"{_REMARK}|{_HARMLESS}"), re.compile(_HARMLESS)
_EXPLAINS = re.compile(r"(?:my |the )?(?:reason|reasons|reasoning|explanation|why|because)\b.*")
_LABEL = re.compile(rf"(?:{_LABELS}(?: is)?|(?:i|i'll|i will) (?:choose|play)) :")
_ITEM = re.compile(r"^[ \t]*(?:[-*+\u2022>]|(\d{1,2})[.)])[ \t]+", re.MULTILINE)
_PLACES = re.compile(r"[<\[](\d+)")


@dataclass
class Mention:
    """A move that a text names."""

    said: str
    """The words of the text."""
    action: int | None
    """Its id; None: there is none such, or it is not clear which one."""
    reason: str
    """The reason for no id."""
    others: tuple[int, ...] = ()
    """The legal actions that it may mean, where these are several."""

    @property
    def key(self) -> int | str:
        """A key that two mentions of the same move share."""
        return self.said if self.action is None else self.action


@dataclass
class Said:
    """The move that a text chooses."""

    chosen: Mention | None = None
    why: str = ""
    """The reason why it chooses none, "" if it names none."""
    denied: tuple[int, ...] = ()
    """Moves that it denies."""


@dataclass
class _Sentence:
    """Words of a sentence, in the form of the grammar, and where it stands."""

    words: str
    stop: str
    """The sign, or the new line, at its end."""
    has_own_line: bool
    ends_paragraph: bool = False

    def is_open(self) -> bool:
        """Return whether a bare choice may follow: it is no question, heading or abbreviation."""
        if not self.words or _LABEL.fullmatch(f"{self.words} :"):
            return True
        return self.stop in (".", "!") and bool(
            " " in self.words or re.fullmatch(_LEADS, f"{self.words} ")
        )


@dataclass
class _Sentences:
    """Sentences up to a place."""

    chosen: list[Mention] = field(default_factory=list)
    denied: list[Mention] = field(default_factory=list)
    talked: list[Mention] = field(default_factory=list)
    is_firm: bool = False
    is_spoilt: bool = False
    """True after a sentence that is no remark on what was chosen before."""


class Prose:
    """Reads sentences about a question.

    Args:
        words: the words of the game.
        texts: the legal actions, ids by their texts.
        shown: the request to the player, in words; cards behind an action that names none in its
            text, such as "take 6d", must be there.
    """

    def __init__(self, words: Vocabulary, texts: dict[str, int], shown: str) -> None:
        self._words, self._legal = words, texts
        self._asked = shown.replace(".", " ").replace(",", " ").split()
        self._melds = {name for name, kind in words.kinds.items() if kind.is_meld}
        self._named: list[Mention] = []

    def read(self, text: str) -> Said:
        """Return the move that a text chooses."""
        self._named = []
        if found := self._reply(text):
            return Said(found)
        heard, before = _Sentences(), _Sentence("", ".", True)
        sentences = self._sentences(_unlisted(text))
        is_list = False
        for sentence in sentences:
            is_last = sentence is sentences[-1]
            is_list &= before.words.endswith(" :") or not before.ends_paragraph
            if heard.chosen and _EXPLAINS.fullmatch(sentence.words):
                break
            self._hear(heard, sentence, before, is_free=not is_list, is_last=is_last)
            is_list |= sentence.words.endswith(" :")
            before = sentence
        return self._decided(heard, short(text))

    def _reply(self, text: str) -> Mention | None:
        """The move that a whole reply such as "No, thanks." is."""
        plain = " ".join(re.findall(r"[\w']+", text.lower()))
        if text.rstrip().endswith("?"):
            return None
        for name in self._words.replies.get(plain, ()):
            actions = {*self._words.kinds[name].actions.values()} & {*self._legal.values()}
            if len(actions) == 1:
                (action,) = actions
                return Mention(text, action, "")
        return None

    def _hear(
        self,
        heard: _Sentences,
        sentence: _Sentence,
        before: _Sentence,
        *,
        is_free: bool,
        is_last: bool,
    ) -> None:
        """Follow one sentence; it is free where it stands in no list of options."""
        words = sentence.words
        choices = _CHOICES if len(words) <= _LONGEST else ()
        found = next((match for one in choices if (match := one.fullmatch(words))), None)
        if found and is_free and self._is_choice(heard, sentence, before, found, is_last=is_last):
            parts = found.groupdict("")
            heard.is_firm = "firm" in parts
            if heard.is_firm and _RETURN & {*parts.get("lead", "").split()}:
                heard.chosen = []
            heard.is_spoilt = False
            heard.denied += self._mentions(parts.get("denied", "") + parts.get("denied_too", ""))
            heard.chosen += self._mentions(parts.get("firm") or parts["bare"])
        elif sentence.stop != "?" and _DENIED.fullmatch(words):
            heard.denied += self._mentions(words)
        else:
            heard.talked += (
                self._mentions(re.sub(_CARDS, "", words)) if sentence.stop != "?" else ()
            )
            remarks = _AFTER_FIRM if heard.is_firm else _AFTER_BARE
            heard.is_spoilt |= not (remarks.fullmatch(words) or _POLITE.fullmatch(words))

    def _is_choice(
        self, heard: _Sentences, sentence: _Sentence, before: _Sentence, found: re.Match[str], *,
        is_last: bool,
    ) -> bool:  # fmt: skip
        """Return whether a sentence with the words of a choice is one where it stands."""
        parts = found.groupdict("")
        if sentence.stop == "?":  # only "May I?" is a move that asks
            return all(one.said.startswith("may") for one in self._mentions(sentence.words))
        if parts.get("firm") or parts.get("denied"):
            return True
        if not before.is_open():
            return False
        (chosen,) = self._mentions(parts["bare"])
        rivals = {one.key for one in heard.talked} - {one.key for one in heard.denied}
        return (sentence.has_own_line and is_last) or rivals <= {chosen.key}

    def _decided(self, heard: _Sentences, text: str) -> Said:
        chosen = {one.key: one for one in heard.chosen}
        if len(chosen) > 1:
            names = ", ".join(repr(one.said) for one in chosen.values())
            return Said(None, f"it names several moves: {names}; give one")
        for key, one in chosen.items():
            if any(key == other.key for other in heard.denied):
                return Said(None, f"it says {one.said!r} and denies it")
            if heard.is_spoilt:
                return Said(
                    None, f"it says more after {one.said!r} than a reason; give a move alone"
                )
            return Said(one)
        if heard.denied and not heard.talked:
            denied = tuple(one.action for one in heard.denied if one.action is not None)
            return Said(None, f"{text!r} says only what it does not play", denied)
        return Said(None, f"{text!r} does not say for certain what it plays" if self._named else "")

    def _mentions(self, words: str) -> list[Mention]:
        return [self._named[int(place)] for place in _PLACES.findall(words)]

    # ---- Sentences -------------------------------------------------------------------------------

    def _sentences(self, text: str) -> list[_Sentence]:
        """The sentences of a text that have words."""
        found: list[_Sentence] = []
        tokens = [*self._words.tokens(text), Token("stop", "\n\n", "")]
        words: list[str] = []
        begins_line, place = True, 0
        while place < len(tokens):
            token = tokens[place]
            is_end = token.sort == "stop" and token.meaning != ":"
            if not is_end:
                word, place = self._word(tokens, place)
                words.append(word)
                continue
            place += 1
            is_line = "\n" in token.meaning
            if words:
                if is_line and _LABEL.fullmatch(" ".join(words)):
                    continue  # the move is in the next line
                ends_line = is_line or tokens[place].meaning in ("\n", "\n\n")
                own = begins_line and ends_line
                found.append(_Sentence(" ".join(words), token.meaning, own))
            elif found and token.meaning == "?":
                found[-1].stop = "?"
            if found:
                found[-1].ends_paragraph |= token.meaning == "\n\n"
            words, begins_line = [], is_line
        return found

    def _word(self, tokens: Sequence[Token], place: int) -> tuple[str, int]:
        """A word in the form of the grammar, and the place behind it."""
        token, number = tokens[place], len(self._named)
        if token.meaning == "seat" and tokens[place + 1].sort in ("word", "rank"):
            return f"seat_{tokens[place + 1].said}", place + 2
        if token.sort == "kind":
            if made := self._acted(tokens, place):
                self._named.append(made[0])
                return f"<{number}>{'' if self._words.is_base(token) else '~'}", made[1]
            return token.said, place + 1
        argument, end = self._argument(tokens, place)
        if argument is None:
            return token.meaning, place + 1
        said = " ".join(one.said for one in tokens[place:end])
        self._named.append(self._resolve(None, argument, said))
        return f"[{number}]", end

    # ---- Moves -----------------------------------------------------------------------------------

    def _kind(self, token: Token) -> ActionKind:
        return self._words.kinds[token.meaning]

    def _acted(self, tokens: Sequence[Token], place: int) -> tuple[Mention, int] | None:
        """The move whose kind a token names, and the place behind it."""
        kind, begin = self._kind(tokens[place]), place + 1
        while _is_filler(tokens[begin]):
            begin += 1
        argument, end = self._argument(tokens, begin)
        if not kind.is_place and self._is_place(tokens, end) and self._are_asked(argument or ()):
            return self._acted(tokens, end)  # "lay 3h onto 1.1", where only the place is asked
        if argument is None:
            return self._bare(tokens, place, begin)
        if kind.is_place and argument[0].sort != "argument":
            return None
        if argument[0].sort == "rank" and tokens[end].meaning in ("cards", "tiles"):
            return None  # "two tiles"
        said = " ".join(one.said for one in tokens[place:end])
        mention = self._resolve(kind, argument, said)
        if kind.is_place and _is_described(tokens, end, self._melds):
            while end < len(tokens) and tokens[end].sort != "stop":
                end += 1  # "onto 1.1, set 3dcc of seat 1"
        return mention, end

    def _bare(self, tokens: Sequence[Token], place: int, begin: int) -> tuple[Mention, int] | None:
        """The move of a kind that no cards follow; fillers end at `begin`."""
        token, kind = tokens[place], self._kind(tokens[place])
        other = tokens[begin]
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
        return tokens[place].sort == "kind" and self._kind(tokens[place]).is_place

    def _argument(self, tokens: Sequence[Token], place: int) -> tuple[list[Token] | None, int]:
        """The cards, the meld or the rank from a place on, and the place behind them."""
        if tokens[place].sort not in ("cards", "argument", "rank", "ranks"):
            return None, place
        found, end = [tokens[place]], place + 1
        while found[0].sort == "cards":
            begin = end
            while tokens[begin].meaning in (",", "and", "the", "a"):
                begin += 1
            if tokens[begin].sort != "cards":
                break
            found.append(tokens[begin])
            end = begin + 1
        if tokens[end].meaning == "(":  # "N (the north wind)"
            again, close = self._argument(tokens, end + 1 + (tokens[end + 1].meaning == "the"))
            if again and tokens[close].meaning == ")" and _same(again, found):
                end = close + 1
        return found, end

    def _resolve(self, kind: ActionKind | None, argument: list[Token] | None, said: str) -> Mention:
        """The move of a kind, or of any that the argument fits exactly."""
        legal = {*self._legal.values()}
        opening = self._words.unless.get(said.partition(" ")[0])
        if opening and legal & {*self._words.kinds[opening].actions.values()}:
            return Mention(said, None, f"{said!r} is not legal now")
        if kind and kind.text in _CHOOSE and _is_meld(argument):
            kind = None  # "lay 456s"
        if kind:
            found = {*self._matching(kind, argument, legal)}
        else:
            assert argument
            kinds = self._words.kinds.values()
            found = {action for one in kinds for action in _exactly(one, argument)}
        mention = Mention(said, None, "")
        certain = found if len(found) == 1 else found & legal
        if len(certain) == 1:
            (mention.action,) = certain
        elif certain:
            mention.others = tuple(sorted(certain))
            mention.reason = f"{said!r} may mean several moves"
        else:
            mention.reason = f"{said!r} is not legal now"
        return mention

    def _matching(
        self, kind: ActionKind, argument: list[Token] | None, legal: set[int]
    ) -> Iterator[int]:
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
            elif argument[0].sort == "ranks":
                among = [a for a in playable if self._ranks(kind, a) == [*argument[0].meaning]]
            elif argument[0].sort == "cards" and kind.is_meld:
                named = Counter(_cards(argument))
                among = [a for a in playable if not named - Counter(kind.cards[a])]
            yield from (exact if not among or (legal.issuperset(exact) and exact) else among)

    def _ranks(self, kind: ActionKind, action: int) -> list[str]:
        return [self._words.rank_of(card) for card in kind.cards[action]]

    def _is_rank(self, kind: ActionKind, action: int, rank: str) -> bool:
        return {*self._ranks(kind, action)} == {rank}


def _exactly(kind: ActionKind, argument: Sequence[Token]) -> Iterator[int]:
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


def _same(one: Sequence[Token], other: Sequence[Token]) -> bool:
    return [token.meaning for token in one] == [token.meaning for token in other]


def _is_meld(argument: Sequence[Token] | None) -> bool:
    if not argument:
        return False
    return argument[0].sort == "argument" or len(_cards(argument)) > 1


def _is_code(token: Token) -> bool:
    """Return whether a word looks like a card, or a meld, that the game does not have."""
    return any(sign.isdigit() or sign == "*" for sign in token.said)


def _is_described(tokens: Sequence[Token], place: int, melds: Collection[str]) -> bool:
    """Return whether a comma and the name of a meld follow."""
    following = tokens[place + 1] if tokens[place].sort == "comma" else tokens[place]
    return following.sort == "kind" and following.meaning in melds


def _is_filler(token: Token) -> bool:
    return token.sort in ("word", "stop") and token.meaning in _FILLERS


def short(text: str) -> str:
    """A text of at most 60 characters in one line."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:28]} ... {line[-28:]}"


def _unlisted(text: str) -> str:
    """A text with a bullet before each item of a list; a mark before a single line is none."""
    items = [*_ITEM.finditer(text)]
    is_list = len(items) > 1 or any(item[1] for item in items)
    return _ITEM.sub("\u2022 " if is_list else "", text)
