"""Replies read as moves: of people, programs and language models.

>>> import mhing
>>> state = mhing.Game("mhing").new_state(seed=1)
>>> reader = Reader(state.game)
>>> reader.read("I need bamboo, so I'll discard the nine of characters.", state.action_mask())
Move(action=26, text='discard 9m')
>>> print(reader.read("I discard.", state.action_mask()).why)
'discard' may mean several moves

What is read, in this order; where one step finds an answer, legal or not, it is final:

1. the text of a legal action, or its id, without regard to case, spaces and final punctuation;
2. a structured answer: JSON (``{"action": "discard 9m"}``, also calls of tools), a tag
   (``<move>``), ``\\boxed{}``, brackets, or a line such as ``Answer: discard 9m``; what it holds
   is read as in 1 and 3;
3. sentences, see :mod:`mhing.text.prose`.

Thoughts between ``<think>`` and ``</think>`` are not said. Nothing is guessed: what is not a choice
by the grammar of sentences is refused.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import whole
from mhing.game import Game
from mhing.remote.answers import find, plain
from mhing.text.prose import Prose, short
from mhing.text.vocabulary import Vocabulary

Legal: TypeAlias = NDArray[np.int8] | Iterable[int] | Mapping[str, int]
"""Legal actions: a mask, int8 (num_actions,), ids, or ids by texts, as ``Turn.moves``."""

LONGEST = 20_000
"""Characters of a reply that are read: those at its end, since answers stand there."""

_BRACKETS = re.compile(
    r"(?:\[|\u25c1)(/?)(think|thinking|thought|reasoning)(?:\]|\u25b7)", re.IGNORECASE
)
_THOUGHTS = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSED = re.compile(r".*</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s*final\b[^<]*<\|message\|>")
_MARKS = re.compile(r"<!--.*?(?:-->|$)|</?tool_calls?>|\[/?TOOL_CALLS\]|<\|\w*\|>", re.DOTALL)
_INVOKE = re.compile(r"<invoke name=\"([^\"]*)\">(.*?)</invoke>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter name=\"([^\"]*)\">(.*?)</parameter>", re.DOTALL)
_INPUT = re.compile(r"^(Action: *[^\n{]+?)\s*\n\s*Action Input: *([^\n{]+)$", re.MULTILINE)
_CARDS = ("card", "cards", "tile", "tiles", "meld")
_KEYS = ("action", "move", "answer", "action_id", "choice", "play", "id")
_INSIDE = ("arguments", "parameters", "input", "args", "function")
_FORM = 'write {"action": "..."} with a legal move'
"""The advice on JSON that cannot be read."""
_TAGS = re.compile(
    r"<(action|move|answer|play)>(.*?)</\1>|\\boxed\{(?:\\text\{)?([^{}]*)\}|\[([^][\n]{1,80})\]",
    re.DOTALL | re.IGNORECASE,
)
_LINE = re.compile(
    r"^[\s>*_#-]*(?:(?:my|the|final|chosen|best)\s+)*(?:answer|action|move|decision|choice)"
    r"(?:\s+is)?[\s*_]*[:=][\s*_]*(\S[^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:(?:action|id|action id|action number)\s*#?\s*)?(-?\d+)[\s.!]*", re.IGNORECASE
)


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
    """The text of the legal action that is most like the answer; of the first where none is."""
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
        if isinstance(given, Mapping):
            legal = given.values()
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
        if isinstance(answer, Mapping):
            return _Reply(self._words, self.moves(legal), "").value(_chosen({**answer}))
        try:
            number = whole(answer, "illegal answer")
        except TypeError as error:
            reason = str(error).removeprefix("illegal answer: ")
            return refused(reason, str(answer), self.moves(legal))
        texts = self.moves(legal)
        if number in texts.values():
            return self._move(number)
        text = self.game.action_text(number) if 0 <= number < self.game.num_actions else ""
        meant = text or f"there are actions 0 to {self.game.num_actions - 1}"
        return refused(f"action {number} is not legal now: {meant}", text, texts)

    def _move(self, action: int) -> Move:
        return Move(action, self.game.action_text(action))


def refused(
    why: str,
    said: str,
    texts: dict[str, int],
    meant: Sequence[int] = (),
    denied: Sequence[int] = (),
) -> Refusal:
    """Refuse an answer where these actions are legal; those that it denies are no examples."""
    plainly = {plain(text): text for text in texts}
    nearest = difflib.get_close_matches(plain(said[:80]), plainly, 1)
    example = next(
        (text for text, action in texts.items() if action not in denied), next(iter(texts))
    )
    names = {action: text for text, action in texts.items()}
    return Refusal(
        said[:80],
        why,
        plainly[nearest[0]] if nearest else example,
        texts,
        tuple(names[action] for action in meant),
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
        text = _THOUGHTS.sub("\n", _BRACKETS.sub(r"<\1\2>", text))
        if not _OPEN.search(text):
            text = _CLOSED.sub("\n", text)
        text = _CHANNEL.split(_OPEN.split(text)[0])[-1]
        if "<|channel|>" in text:
            text = ""  # others than the final one are thoughts
        said = _unmarked(_called(_MARKS.sub(" ", text))).strip()
        if reply.strip() and not said:
            return self._refused("there is no answer behind the thoughts", "")
        if (found := find(said, self._texts)) is not None:
            return self._move(found)
        answers = [*self._structured(said)]
        if not answers:
            return self._sentences(said)
        readings = [self.value(answer) for answer in answers]
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
        rest, has_objects = said, False
        for begin, end, value in _objects(said):
            yield _chosen(value)
            has_objects = True
            rest = rest.replace(said[begin:end], " ")
        for found in _TAGS.finditer(rest):
            inside = next(part for part in found.groups()[1:] if part is not None)
            is_bracket = found[4] is not None
            if has_objects and is_bracket:
                continue
            if not is_bracket or found[0] == rest.strip() or not inside.strip().isdigit():
                yield inside.strip().strip("\"'")
        for found in _LINE.finditer(_TAGS.sub(" ", rest)):
            yield found[1].strip()

    def value(self, value: Any) -> Move | Refusal:
        """Read what a structured answer holds."""
        if isinstance(value, _Unclear):
            return self._refused(value.why, value.said)
        text = str(value).strip().strip("\"'`")
        if (found := find(text, self._texts)) is not None:
            return self._move(found)
        return self._sentences(text)

    # ---- Sentences -------------------------------------------------------------------------------

    def _sentences(self, said: str) -> Move | Refusal:
        if numbered := _NUMBERED.fullmatch(said):
            found = find(numbered[1], self._texts)
            if found is None:
                return self._refused(f"action {numbered[1][:20]} is not legal now", said)
            return self._move(found)
        read = self._prose.read(said)
        one = read.chosen
        if one is None:
            if read.why:
                return refused(read.why, "", self._texts, (), read.denied)
            return self._refused(f"no move was found in {short(said)!r}", said)
        if one.action in self._names:
            return self._move(one.action)
        return self._refused(one.reason or f"{one.said!r} is not legal now", one.said, one.others)

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
    text = re.sub(r"\*\*([^\n]+?)\*\*(?!\*)|(?<!\w)(_{1,2})([^\n]+?)\2(?!\w)", r"\1\3", text)
    text = re.sub(r"(?<![\w*\\])\*(?=\w)([^\n]*?\S)\*(?![\w*])", r"\1", text)
    text = re.sub(r"\\([*_#.>-])", r"\1", text)
    return re.sub(r"^\s*\(([^()]*)\)\W*$", r"\1", text)


def _called(text: str) -> str:
    """A text with calls of tools in tags, or in two lines, in the usual forms."""

    def written(call: re.Match[str]) -> str:
        return json.dumps({"name": call[1], "arguments": dict(_PARAMETER.findall(call[2]))})

    return _INPUT.sub(r"\1 \2", _INVOKE.sub(written, text))


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
        return _Unclear(part, f"{short(part)!r} is no JSON; {_FORM}")


def _chosen(value: Any) -> Any:
    """The answer in an object: a text or an id."""
    if isinstance(value, _Unclear):
        return value
    said = json.dumps(value, default=str)[:80] if isinstance(value, dict) else str(value)[:80]
    for _ in range(6):  # calls of tools lie in one another
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = _parsed(value)
        if not isinstance(value, dict):
            break
        keys = {str(key).lower(): key for key in value}
        calls = value[keys["tool_calls"]] if "tool_calls" in keys else None
        if isinstance(calls, list) and len(calls) == 1:
            value = calls[0]
            continue
        found = [keys[key] for key in _KEYS if key in keys]
        inside = [keys[key] for key in _INSIDE if key in keys]
        if inside and not (found and isinstance(value[found[0]], str | int)):
            name, value = value.get("name"), value[inside[0]]
            if isinstance(value, str) and value.lstrip().startswith("{"):
                value = _parsed(value)
            if isinstance(name, str) and isinstance(value, dict) and not {*value} & {*_KEYS}:
                return _joined(name, [value[key] for key in _CARDS if key in value])
        elif found:
            more = [value[keys[key]] for key in _CARDS if key in keys]
            value = _joined(value[found[0]], more)
        else:
            return _Unclear(said, f"{short(said)!r} has no key 'action'; {_FORM}")
    if isinstance(value, bool) or not isinstance(value, str | int):
        return _Unclear(
            said, f"{short(said)!r} has neither a text nor an id for its action; {_FORM}"
        )
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
