"""Reads what is said of a table of Mhing back into fields of the observation, by the words alone.

What a text leaves out is what it says where it is left out: 0, or the stake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

EVENTS = ("deal", "flower", "discard", "claim", "lay_down", "mhing", "wash")
_TAIL = 32
_SUITS, _HONOURS = "spm", "ESWNRGP"
_JOKER, _TYPES, _TAKER = 34, 35, 36
_CARDS = r"(?:[1-9*]+[spm]|[ESWNRGPJ*]+)"
_LIST = rf"{_CARDS}(?: {_CARDS})*"
_NUMBER = r"-?\d{1,3}(?:,\d{3})*"
_MOVE = r"discard \w+|pass|mhing|(?:sequence|triplet) [\w*]+"

Fields = dict[str, Any]


def number(text: str) -> int:
    return int(text.replace(",", ""))


def types(text: str) -> list[int]:
    """The types in a text such as "1123s 55p EE J"; a star follows what a joker stands for."""
    found: list[int] = []
    for word in text.split():
        suit = word[-1] if word[-1] in _SUITS else ""
        for face, star in re.findall(r"([^*])(\*?)", word.removesuffix(suit)):
            natural = (
                _SUITS.index(suit) * 9 + int(face) - 1
                if suit
                else _JOKER
                if face == "J"
                else 27 + _HONOURS.index(face)
            )
            found.append(_JOKER if star else natural)
    return found


def counts(found: list[int]) -> list[int]:
    return [found.count(card) for card in range(_TYPES)]


def card(text: str) -> int:
    (found,) = [36] if text == "F" else [kind + 1 for kind in types(text)]
    return found


def meld(text: str) -> tuple[int, int]:
    """Its kind plus one, and its jokers."""
    suit = text[-1] if text[-1] in _SUITS else ""
    faces = re.findall(r"([^*])(\*?)", text.removesuffix(suit))
    stars = [bool(star) for _, star in faces]
    first, second, _ = (face for face, _ in faces)
    if first != second:
        lowest = _SUITS.index(suit) * 7 + int(first)
        return lowest, sum(1 << place for place, star in enumerate(stars) if star)
    (natural,) = set(types("".join(face for face, _ in faces) + suit))
    return 22 + natural, sum(stars)


def bytes_of(value: int, count: int = 4) -> list[int]:
    return list(value.to_bytes(count, "little"))


class Reader:
    """The contents of a text.

    Args:
        text: all that is said of a table.
        seats: how many sit there.
        seat: whose observation it is; None: a spectator's.
        names: what seats are called within a sentence.
        options: of the game, as far as no field shows them.
    """

    def __init__(
        self, text: str, seat: int | None, names: list[str], options: dict[str, Any]
    ) -> None:
        self.seat, self.names, self.options = seat, names, options
        self.seats = len(names)
        self.observer = seat or 0
        self.called: dict[str, int] = {}
        for place, name in enumerate(names):
            self.called |= {name: place}
            if name == "you":
                self.called |= {"You": place, "yours": place, "your": place}
            elif re.fullmatch(r"seat \d", name):
                self.called |= {"S" + name[1:]: place}
        words = sorted(self.called, key=len, reverse=True)
        self.who = "(" + "|".join(map(re.escape, words)) + ")"
        self.blocks: list[Fields] = [{} for _ in names]
        self.events: list[tuple[int, int, int, int]] = []
        self.said: Fields = {"claimed_from": 0, "target": 0, "round": 0, "rounds_left": 0}
        self.hidden: Fields = {"hands": {}, "answers": [0] * self.seats, "source": [], "to_act": 0}
        self.result: Fields = {}
        self.lines = iter(text.splitlines())
        self._read()

    # ---- Lines ----------------------------------------------------------------------------------

    def place(self, word: str) -> int:
        """A seat plus one, as the observer counts it."""
        return (self.called[word] - self.observer) % self.seats + 1

    def match(self, pattern: str, line: str) -> re.Match[str] | None:
        return re.fullmatch(pattern.replace("WHO", self.who).replace("CARDS", _LIST), line)

    def need(self, pattern: str, line: str) -> re.Match[str]:
        found = self.match(pattern, line)
        assert found, (pattern, line)
        return found

    def _read(self) -> None:
        self._heading(next(self.lines))
        self._limits(next(self.lines))
        seat: int | None = None
        for line in self.lines:
            if line.startswith("  Melds: "):
                assert seat is not None
                self._melds(seat, line)
            elif line.startswith("  Discards: "):
                assert seat is not None
                self._discards(seat, line)
            elif line.startswith("  "):
                self._of_result(line)
            elif (owner := self._of_seat(line)) is not None:
                seat = owner
            elif not (self._piles(line) or self._event(line) or self._result(line)):
                self._status(line)

    def _heading(self, line: str) -> None:
        pattern = (
            rf"Mhing, round ({_NUMBER})(?: of ({_NUMBER}))?, turn (\d+)\. "
            r"(You are .+\. )??WHO (?:is|are) the dealer\."
        )
        found = self.need(pattern, line)
        self.said["round"] = number(found[1]) - 1
        self.said["rounds_left"] = number(found[2]) - self.said["round"] if found[2] else 0
        self.said["turn"] = int(found[3])
        self.said["dealer"] = self.place(found[5])
        if self.seat is not None and self.names[self.seat] != "you":
            assert found[4] == f"You are {self.names[self.seat]}. "
        elif self.seat is None:
            assert found[4] is None

    def _limits(self, line: str) -> None:
        pattern = (
            rf"(?:({_NUMBER}) points? wins? the game|The most (points|chips) win)\."
            r"( Melds may be laid from the hand\.)?( Seven pairs are complete\.)?"
        )
        found = self.need(pattern, line)
        self.said["target"] = number(found[1]) if found[1] else 0
        self.said["rules"] = [self.seats, bool(found[3]), bool(found[4]), found[2] == "chips"]

    def _of_seat(self, line: str) -> int | None:
        pattern = (
            rf"WHO (?:has|have) (?:({_NUMBER}) points?(?:,| and) )?"
            rf"(?:({_NUMBER}) chips?(?:,| and) )?"
            r"(?:(\d) flowers? and )?(\d+) cards?(?:: (CARDS)?(?:, )?(?:(\w+) just drawn)?)?\."
            r"(?: WHO needs? (?:(\d+) credits?|(more than one hand)) to win\.)?"
        )
        found = self.match(pattern, line)
        if found is None:
            return None
        seat = self.called[found[1]]
        stake = self.options["stake"] if self.seats <= 4 else 0
        hand = types(found[6] or "") + (types(found[7]) if found[7] else [])
        if found[6] or found[7]:
            self.hidden["hands"][seat] = counts(hand)
        if found[7]:
            assert seat == self.seat
            self.said["drawn"] = card(found[7])
        assert not found[8] or self.called[found[8]] == seat
        self.blocks[seat] = {
            "score": number(found[2] or "0"),
            "chips": number(found[3]) if found[3] else stake,
            "flowers": int(found[4] or 0),
            "hand_size": int(found[5]),
            "credits_missing": 42 if found[10] else int(found[9] or 0),
            "melds": [],
            "discards": [],
        }
        return seat

    def _melds(self, seat: int, line: str) -> None:
        line = line.removeprefix("  Melds: ").removesuffix(".")
        pattern = rf"(\S+) \(from (?:the hand|{self.who})\)"
        assert re.fullmatch(rf"{pattern}(?:, {pattern})*", line)
        for text, origin in re.findall(pattern, line):
            way = (self.called[origin] - seat) % self.seats if origin else 0
            self.blocks[seat]["melds"].append((*meld(text), way))

    def _discards(self, seat: int, line: str) -> None:
        line = line.removeprefix("  Discards:").removesuffix(".")
        pattern = re.compile(rf" (\w+)(?: \(taken by {self.who}\))?")
        end = 0
        while end < len(line):
            found = pattern.match(line, end)
            assert found, line[end:]
            way = (self.called[found[2]] - seat) % self.seats if found[2] else 0
            self.blocks[seat]["discards"].append(card(found[1]) + _TAKER * way)
            end = found.end()

    def _piles(self, line: str) -> bool:
        if found := self.match(r"The next cards are ((?:\w+ ?)+)\.", line):
            self.hidden["source"] = [card(word) for word in found[1].split()]
            return True
        pattern = (
            r"(?:The source is (empty)|(\d+) cards? (?:is|are) left in the source)\."
            r"(?: (\w+), discarded by WHO, is on offer\.)?"
        )
        found = self.match(pattern, line)
        if found is None:
            return False
        self.said["source_left"] = 0 if found[1] else int(found[2])
        self.said["offer"] = card(found[3]) if found[3] else 0
        self.said["offered_by"] = self.place(found[4]) if found[3] else 0
        if found[3]:
            self.said["on_turn"] = self.said["offered_by"]
        return True

    def _event(self, line: str) -> bool:
        readers: list[tuple[str, str, Callable[[str], tuple[int, int]]]] = [
            ("deal", r"WHO deals? the round\.()", lambda _: (0, 0)),
            ("flower", r"WHO lays? a flower aside\.()", lambda _: (0, 0)),
            ("discard", r"WHO discards? (\w+)\.", lambda text: (card(text), 0)),
            ("claim", r"WHO claims? it for (\S+)\.", meld),
            ("lay_down", r"WHO lays? down (\S+)\.", meld),
            ("mhing", r"WHO calls? MHING (on it|from the hand)\.", lambda how: (how == "on it", 0)),
            ("wash", r"WHO finds? the source empty\.()", lambda _: (0, 0)),
        ]
        for kind, pattern, read in readers:
            if found := self.match(pattern, line):
                detail, jokers = read(found[2])
                self.events.append(
                    (self.place(found[1]), EVENTS.index(kind), int(detail), int(jokers))
                )
                return True
        return False

    def _result(self, line: str) -> bool:
        if found := self.match(r"Nobody (?:has won this|won the last) round\.", line):
            self.result = {"winner": 0, "credits": 0, "is_this": "this" in line}
            return True
        pattern = (
            r"WHO (?:(has|have) won this|won the last) round(?: on a discard of WHO)?: "
            rf"(\d+) credits?(?: \((.*)\))?, ({_NUMBER}) points?\."
        )
        found = self.match(pattern, line)
        if found is None:
            return False
        parts = [one.split(" for ", 1) for one in (found[5] or "").split(" + ") if one]
        self.result = {
            "winner": self.place(found[1]),
            "payer": self.called[found[3]] if found[3] else -1,
            "credits": int(found[4]),
            "parts": {name: int(credits) for credits, name in parts},
            "points": number(found[6]),
            "is_this": found[2] is not None,
        }
        return True

    def _of_result(self, line: str) -> None:
        if found := self.match(r"  Laid open: (CARDS)\.", line):
            self.result["revealed"] = counts(types(found[1]))
        else:
            found = self.need(r"  Chips: (.*)\.", line)
            pattern = rf"{self.who} \+?({_NUMBER})(?:, |$)"
            paid = re.findall(pattern, found[1])
            assert re.fullmatch(rf"(?:{pattern})*", found[1])
            self.result["payments"] = {self.called[who]: number(text) for who, text in paid}

    def _status(self, line: str) -> None:
        won = rf"(?: ([^.]*) (?:wins? it|share the win) with ({_NUMBER}) (?:chip|point)s?\.)?"
        end = rf"(?:The (game|round) is over\.{won} WHO had the last turn\.)"
        pattern = (
            rf"(?:{end}|It is WHO(?:'s)? turn\.|WHO may claim (\w+)\.)?"
            rf"((?: ?WHO (?:has|have) answered (?:{_MOVE})\.)*)"
            r"(?: ?WHO (?:is|are) to act\.)?"
            r"(?: ?WHO began this turn with a discard of WHO\.)?"
        )
        found = self.need(pattern, line)
        self.said["over"] = found[1]
        if found[2]:
            self.result["winners"] = {self.called[who] for who in re.findall(self.who, found[2])}
            self.result["highest"] = number(found[3])
        if found[4] or found[5]:
            self.said["on_turn"] = self.place(found[4] or found[5])
        assert not (found[5] and self.said["offer"]), "while claims are open it is nobody's turn"
        self.said["claims"] = bool(found[6])
        if found[6]:
            assert self.called[found[6]] == self.seat
            assert card(found[7]) == self.said["offer"]
        for who, move in re.findall(rf"{self.who} (?:has|have) answered ({_MOVE})\.", found[8]):
            self.hidden["answers"][self.called[who]] = move
        self.hidden["to_act"] = self.called[found[10]] + 1 if found[10] else 0
        if found[11]:
            assert self.place(found[11]) == self.said["on_turn"]
            self.said["claimed_from"] = self.place(found[12])

    # ---- Fields ---------------------------------------------------------------------------------

    def _phase(self) -> int:
        if self.seat is None:
            return 0
        if self.said.get("over"):
            return 3
        if self.said.get("claims"):
            return 2
        return int(self.said["on_turn"] == 1 and not self.said["offer"])

    def _unseen(self, hand: list[int]) -> list[int]:
        """The deck without what the seat holds or sees."""
        if self.seat is None:
            return [0] * _TYPES
        left = [6 if kind == _JOKER else 4 for kind in range(_TYPES)]
        seen = list(hand)
        for block in self.blocks:
            for shown in block["discards"]:
                if shown < _TAKER:
                    seen[shown - 1] += 1
            for kind, jokers, _ in block["melds"]:
                for held in meld_types(kind - 1, jokers):
                    seen[held] += 1
        if self.said.get("over") and self.result["winner"] != 1:
            seen = [a + b for a, b in zip(seen, self.result.get("revealed", [0] * 35), strict=True)]
        return [all_ - some for all_, some in zip(left, seen, strict=True)]

    def fields(self, room: int) -> Fields:
        """The fields by name, as lists; `room`: for the discards of a seat."""
        hand = (
            [0] * _TYPES if self.seat is None else self.hidden["hands"].get(self.seat, [0] * _TYPES)
        )
        events = [(0, 0, 0, 0)] * (_TAIL - len(self.events)) + self.events
        said = self.said
        shown: Fields = {
            "hand": hand,
            "unseen": self._unseen(hand),
            "revealed": self.result.get("revealed", [0] * _TYPES),
            "phase": self._phase(),
            "on_turn": said["on_turn"],
            "offer": said["offer"],
            "offered_by": said["offered_by"],
            "claimed_from": said["claimed_from"],
            "drawn": said.get("drawn", 0),
            "source_left": said["source_left"],
            "dealer": said["dealer"],
            "round": bytes_of(said["round"]),
            "rounds_left": bytes_of(said["rounds_left"]),
            "last_winner": self.result.get("winner", 0),
            "last_credits": self.result.get("credits", 0),
            "target": bytes_of(said["target"]),
            "rules": [int(value) for value in said["rules"]],
        }
        for column, name in enumerate(("seat", "kind", "detail", "jokers")):
            shown[f"event_{name}"] = [event[column] for event in events]
        order = [(self.observer + place) % self.seats for place in range(self.seats)]
        for name, values in self._by_seat(order, room):
            shown[name] = values
        return shown

    def _by_seat(self, order: list[int], room: int) -> Iterator[tuple[str, list[Any]]]:
        blocks = [self.blocks[seat] for seat in order]
        for column, name in enumerate(("kind", "jokers", "from")):
            rows = [[laid[column] for laid in block["melds"]] for block in blocks]
            yield f"meld_{name}", [row + [0] * (4 - len(row)) for row in rows]
        for name in ("flowers", "hand_size", "credits_missing"):
            yield name, [block[name] for block in blocks]
        target = self.said["target"]
        for name in ("score", "chips"):
            yield name, [bytes_of(block[name]) for block in blocks]
        yield "missing", [bytes_of(max(0, target - block["score"])) for block in blocks]
        rows = [block["discards"] for block in blocks]
        yield "num_discards", [len(row) for row in rows]
        yield (
            "discard_count",
            [counts([shown - 1 for shown in row if shown < _TAKER]) for row in rows],
        )
        yield "discards", [row + [0] * (room - len(row)) for row in rows]


def meld_types(kind: int, jokers: int) -> list[int]:
    """The cards that lie in a meld."""
    if kind < 21:
        first = kind // 7 * 9 + kind % 7
        return [_JOKER if jokers >> place & 1 else first + place for place in range(3)]
    return [kind - 21] * (3 - jokers) + [_JOKER] * jokers
