"""Replies read as moves: of people, programs and language models.

>>> import mhing
>>> state = mhing.Game("mhing").new_state(seed=1)
>>> reader = Reader(state.game)
>>> reader.read("I need bamboo, so I'll discard the nine of characters.", state.action_mask())
Move(action=26, text='discard 9m')
>>> print(reader.read("I discard something.", state.action_mask()).why)
'discard' may mean several moves

What is read, in this order; where one step finds an answer, legal or not, it is final:

1. the text of a legal action, or its id, without regard to case, spaces and final punctuation;
2. a structured answer: JSON (``{"action": "discard 9m"}``, also calls of tools), a tag
   (``<move>``), ``\\boxed{}``, brackets, or a line such as ``Answer: discard 9m``;
3. sentences, see :mod:`mhing.text.prose`.

Thoughts between ``<think>`` and ``</think>`` are not said. Nothing is guessed.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import whole
from mhing.game import Game
from mhing.remote.answers import find, plain
from mhing.text.prose import Mention, Prose
from mhing.text.vocabulary import Vocabulary

Legal: TypeAlias = NDArray[np.int8] | Iterable[int]
"""Legal actions: a mask, int8 (num_actions,), or ids."""

LONGEST = 20_000
"""Characters of a reply that are read: those at its end, since answers stand there."""

_THOUGHTS = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSED = re.compile(r".*</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_KEYS = ("action", "move", "answer", "action_id", "choice", "play", "id")
_INSIDE = ("arguments", "parameters", "input", "args", "function")
_TAGS = re.compile(
    r"<(action|move|answer|play)>(.*?)</\1>|\\boxed\{(?:\\text\{)?([^{}]*)\}|\[([^][\n]{1,80})\]",
    re.DOTALL | re.IGNORECASE,
)
_LINE = re.compile(
    r"^[\s>*_#-]*(?:(?:my|the|final|chosen|best)\s+)*(?:answer|action|move|decision|choice)"
    r"(?:\s+is)?[\s*_]*:[\s*_]*(\S[^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:action|id|action id|action number)\s*#?\s*(\d{1,6})\W*", re.IGNORECASE)


@dataclass(frozen=True)
class Move:
    """A legal action that a reply has chosen."""

    action: int
    text: str
    """Its text, as the game writes it."""


@dataclass(frozen=True)
class Refusal:
    """The reason why a reply is no move."""

    said: str
    """The answer, or its part in question, of at most 80 characters."""
    why: str
    """The reason."""
    nearest: str
    """The text of the legal action that is most like the answer."""
    legal: dict[str, int]
    """The ids of the legal actions by their texts."""
    meant: tuple[str, ...] = ()
    """The texts of those that it may mean, where these are several."""

    def __str__(self) -> str:
        return f"illegal answer: {self.why}; the nearest legal action is {self.nearest!r}"

    @property
    def advice(self) -> str:
        """The reason with all legal actions, for the player."""
        return f"{self}; legal are: {', '.join(self.legal)}"


class Reader:
    """Reads replies in a game; it is read-only, so it can be shared freely."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @cached_property
    def _words(self) -> Vocabulary:
        return Vocabulary(self.game)

    def moves(self, legal: Legal) -> dict[str, int]:
        """The ids of legal actions by their texts.

        Raises:
            ValueError: it is neither a mask nor ids of actions, or nothing is legal.
            TypeError: it is a text, or an id is not a whole number.
        """
        return {self.game.action_text(action): action for action in self._ids(legal)}

    def _ids(self, legal: Legal) -> list[int]:
        given: Any = legal
        if isinstance(given, str):
            raise TypeError(f"legal: {given[:80]!r} is neither a mask nor ids of actions")
        ids = legal if isinstance(legal, np.ndarray) else np.asarray([*legal])
        if ids.dtype in (np.int8, np.uint8, bool):
            if ids.shape != (self.game.num_actions,):
                raise ValueError(f"legal: a mask {ids.shape}; it is ({self.game.num_actions},)")
            ids = ids.nonzero()[0]
        found = [whole(one, "legal") for one in ids.tolist()]
        if not found or min(found) < 0 or max(found) >= self.game.num_actions:
            raise ValueError(
                f"legal: {found[:8]} are no ids from 0 to {self.game.num_actions - 1}, one or more"
            )
        return found

    def read(self, reply: Any, legal: Legal, shown: str = "") -> Move | Refusal:
        """Return the move that a reply chooses, or why it chooses none.

        Args:
            reply: a text, or the id of an action.
            legal: what may be played.
            shown: what the player is asked, as ``State.words(seat, "status")`` says it. A card
                behind an action that names none, such as "take 6d", must be in it.

        Raises:
            ValueError: `legal` is neither a mask nor ids of actions.
        """
        if not isinstance(reply, str):
            return self._number(reply, legal)
        texts = self.moves(legal)
        if (found := find(reply, texts)) is not None:
            return self._move(found)
        return _Reply(self._words, texts, shown).read(reply)

    def _number(self, answer: Any, legal: Legal) -> Move | Refusal:
        try:
            number = whole(answer, "illegal answer")
        except TypeError as error:
            reason = str(error).removeprefix("illegal answer: ")
            return refused(reason, str(answer), self.moves(legal))
        texts = self.moves(legal)
        if number in texts.values():
            return self._move(number)
        text = self.game.action_text(number) if 0 <= number < self.game.num_actions else ""
        reason = f"action {number} is not legal now" + (f": {text}" if text else "")
        return refused(reason, text, texts)

    def _move(self, action: int) -> Move:
        return Move(action, self.game.action_text(action))


def refused(why: str, said: str, texts: dict[str, int], meant: Sequence[int] = ()) -> Refusal:
    """Refuse an answer where these actions are legal."""
    plainly = {plain(text): text for text in texts}
    nearest = difflib.get_close_matches(plain(said[:80]), plainly, 1, 0.0)
    names = {action: text for text, action in texts.items()}
    return Refusal(
        said[:80], why, plainly[nearest[0]], texts, tuple(names[action] for action in meant)
    )


class _Reply:
    """Reads one reply that is not just a legal action."""

    def __init__(self, words: Vocabulary, texts: dict[str, int], shown: str) -> None:
        self._texts = texts
        self._names = {action: text for text, action in texts.items()}
        self._prose = Prose(words, texts, shown)

    def read(self, reply: str) -> Move | Refusal:
        """Read it."""
        text = unicodedata.normalize("NFKC", reply[-LONGEST:]).replace("\u2019", "'")
        text = _THOUGHTS.sub("\n", text)
        if not _OPEN.search(text):
            text = _CLOSED.sub("\n", text)
        said = _unmarked(_OPEN.split(text)[0]).strip()
        if reply.strip() and not said:
            return self._refused("there is no answer behind the thoughts", "")
        if (found := find(said, self._texts)) is not None:
            return self._move(found)
        answers = [*self._structured(said)]
        if not answers:
            return self._sentences(said)
        readings = [self._value(answer) for answer in answers]
        actions = {one.action for one in readings if isinstance(one, Move)}
        for reading in readings:
            if isinstance(reading, Refusal):
                return reading
        if len(actions) > 1:
            names = " and ".join(repr(self._names[action]) for action in sorted(actions))
            return self._refused(f"there are several answers, {names}; give one", said)
        return readings[0]

    # ---- Structured answers ----------------------------------------------------------------------

    def _structured(self, said: str) -> Iterator[Any]:
        """The structured answers in a text, all of which must say the same."""
        rest = said
        for begin, end, value in _objects(said):
            yield _chosen(value)
            rest = rest.replace(said[begin:end], " ")
        for found in _TAGS.finditer(rest):
            inside = next(part for part in found.groups()[1:] if part is not None)
            is_bracket = found[4] is not None
            if not is_bracket or found[0] == rest.strip() or not inside.strip().isdigit():
                yield inside.strip().strip("\"'")
        for found in _LINE.finditer(_TAGS.sub(" ", rest)):
            yield found[1].strip()

    def _value(self, value: Any) -> Move | Refusal:
        """Read what a structured answer holds."""
        if isinstance(value, _Unclear):
            return self._refused(value.why, value.said)
        text = str(value).strip().strip("\"'`")
        if (found := find(text, self._texts)) is not None:
            return self._move(found)
        if numbered := _NUMBERED.fullmatch(text):
            return self._value(numbered[1])
        if re.fullmatch(r"-?\d+", text):
            return self._refused(f"action {text[:20]} is not legal now", text)
        return self._sentences(text)

    # ---- Sentences -------------------------------------------------------------------------------

    def _sentences(self, said: str) -> Move | Refusal:
        if numbered := _NUMBERED.fullmatch(said):
            return self._value(numbered[1])
        found = [*self._prose.mentions(said)]
        for line in said.splitlines() if len(said.splitlines()) > 1 else ():
            action = find(line.strip(), self._texts)
            for one in found if action is not None else ():
                one.is_mine |= one.action == action and not one.is_doubtful
        if not found:
            bare = self._prose.bare(said)
            if bare is None:
                return self._refused(f"{said[:80]!r} is not legal now", said)
            found = [bare]
        return self._decide(found, said)

    def _decide(self, found: list[Mention], said: str) -> Move | Refusal:
        """Choose among the moves that sentences name."""
        open_ones = [one for one in found if not one.is_denied]
        sure = [one for one in open_ones if not one.is_doubtful]
        if not open_ones:
            return self._refused(f"{_short(said)!r} says only what it does not play", said)
        if not sure:
            why = f"{_short(said)!r} does not say for certain what it plays"
            return self._refused(why, open_ones[-1].said)
        mine = [one for one in sure if one.is_mine]
        chosen = (mine or sure)[-1]
        later = open_ones[open_ones.index(chosen) + 1 :] if mine else open_ones
        rivals = {one.key: one.said for one in (*mine, *later) if not one.is_talk}
        rivals[chosen.key] = chosen.said
        if len(rivals) > 1:
            names = ", ".join(map(repr, rivals.values()))
            return self._refused(f"it names several moves: {names}; give one", said)
        if any(one.key == chosen.key for one in found if one.is_denied):
            return self._refused(f"it says {chosen.said!r} and denies it", said)
        if chosen.action in self._names:
            return self._move(chosen.action)
        why = chosen.reason or f"{chosen.said!r} is not legal now"
        return self._refused(why, chosen.said, chosen.others)

    def _move(self, action: int) -> Move:
        return Move(action, self._names[action])

    def _refused(self, why: str, said: str, meant: Sequence[int] = ()) -> Refusal:
        return refused(why, said, self._texts, meant)


# ---- Parts of replies ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Unclear:
    """A structured answer that cannot be read, and why."""

    said: str
    why: str


def _unmarked(text: str) -> str:
    """A text without the marks of Markdown around its words; stars of jokers stay."""
    text = re.sub(r"```\w*\n?|`", "", text)
    return re.sub(r"\*\*([^\n]+?)\*\*(?!\*)|(?<!\w)__([^\n]+?)__", r"\1\2", text)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:28]} ... {line[-28:]}"


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Objects in the form of JSON or Python, with where they begin and end."""
    place = 0
    while (begin := text.find("{", place)) >= 0:
        if text[:begin].endswith(("\\boxed", "\\text")):
            place = begin + 1
            continue
        end = _closing(text, begin)
        part = text[begin:end]
        place = end
        if ":" in part or '"' in part:
            yield begin, end, _parsed(part)


def _closing(text: str, begin: int) -> int:
    """The place behind the brace that closes the one at `begin`; the end, if there is none."""
    depth, quoted = 0, ""
    for place in range(begin, len(text)):
        sign = text[place]
        if quoted:
            if sign == quoted and text[place - 1] != "\\":
                quoted = ""
        elif sign == '"':
            quoted = sign
        elif sign in "{}":
            depth += 1 if sign == "{" else -1
            if not depth:
                return place + 1
    return len(text)


def _parsed(part: str) -> Any:
    try:
        return json.loads(part)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(part)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _Unclear(part, f"{_short(part)!r} is no JSON")


def _chosen(value: Any) -> Any:
    """The answer in an object: a text or an id."""
    if isinstance(value, _Unclear):
        return value
    said = json.dumps(value, default=str)[:80] if isinstance(value, dict) else str(value)[:80]
    for _ in range(4):  # calls of tools lie in one another
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = _parsed(value)
        if not isinstance(value, dict):
            break
        keys = {str(key).lower(): key for key in value}
        found = [keys[key] for key in _KEYS if key in keys]
        inside = [keys[key] for key in _INSIDE if key in keys]
        if inside and not (found and isinstance(value[found[0]], str | int)):
            value = value[inside[0]]
        elif found:
            more = [value[keys[key]] for key in ("card", "cards", "meld") if key in keys]
            value = _joined(value[found[0]], more)
        else:
            return _Unclear(said, f"{_short(said)!r} has no key 'action'")
    if isinstance(value, bool) or not isinstance(value, str | int):
        return _Unclear(said, f"{_short(said)!r} has neither a text nor an id for its action")
    return value


def _joined(value: Any, more: list[Any]) -> Any:
    """The kind of an action with its cards behind it, where they are apart."""
    cards = [
        str(card) for one in more for card in (one if isinstance(one, list) else [one])
        if isinstance(card, str)
    ]  # fmt: skip
    if not cards or not isinstance(value, str):
        return value
    return value if cards[0].lower() in value.lower() else f"{value} {' '.join(cards)}"
