"""Reads the words of General Mhing back into the fields that they were made from.

It knows the sentences and the deck, and nothing of the code that writes them. Each line must be
read to its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

RANKS, SUITS = "A23456789TJQK", "shdc"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
EVENTS = ["deal", "take", "sequence", "swap", "discard", "shuffle", "over"]
ENDINGS = ["not finished", "with a fourth sequence", "at the turn limit"]
PARTS = ["same suit", "same values", "in order", "all high or all low"]
TAIL, PILE, SEQUENCES, LOWS, DEALT = 32, 38, 4, 11, 7
WAIT, START, TAKEN, PLAY, END, OVER = range(6)

CARD = "[A2-9TJQK][shdc]"
CARDS = f"{CARD}(?: {CARD})*"
NUMBER = r"\d{1,3}(?:,\d{3})*"
SEQUENCE = r"[A2-9TJQK*]{3,4}[shdc]"
POINTS = f"{NUMBER} points?"
PART = f"{NUMBER} (?:{'|'.join(PARTS)})"

EVENT_SENTENCES = {
    "(S) (?:have|has) the first turn": "deal",
    "(S) takes? (c)": "take",
    "(S) lays? (q)": "sequence",
    "(S) gives? (c) for (c)": "swap",
    "(S) discards? (c)": "discard",
    "(S) shuffles? the discards but the last into a new draw pile": "shuffle",
    "(S) ends? the round (with a fourth sequence|at the turn limit)": "over",
}


def number(text: str | None) -> int:
    return int(text.replace(",", "")) if text else 0


def low_bytes(value: int, count: int) -> list[int]:
    return list(value.to_bytes(count, "little"))


def card(text: str | None) -> int:
    """The card plus one; 0 for none."""
    return DECK.index(text) + 1 if text else 0


def flags(cards: set[str]) -> list[int]:
    return [int(each in cards) for each in DECK]


def filled(numbers: list[int], length: int) -> list[int]:
    return numbers + [0] * (length - len(numbers))


def sequence_of(text: str) -> tuple[int, int]:
    """The kind plus one, and the place of the ace, of "78*9h"."""
    ranks, suit = text[:-1].replace("*", ""), text[-1]
    low = RANKS.index(ranks[0])
    assert ranks == RANKS[low : low + 3], text
    return 1 + SUITS.index(suit) * LOWS + low, max(text.find("*"), 0) if low else 1


def cards_of(kind: int, ace: int) -> set[str]:
    """The cards that a sequence is made of."""
    suit, low = divmod(kind - 1, LOWS)
    ranks = ["A" if place == ace else RANKS[low + place - 1] for place in (1, 2, 3)]
    return {rank + SUITS[suit] for rank in ranks}


@cache
def pattern_of(sentence: str, names: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern in which S and s stand for a seat, N for a number, c and C for cards."""
    anyone = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    first = "|".join(
        re.escape(
            name[0].upper() + name[1:] if name == "you" or re.match(r"seat \d$", name) else name
        )
        for name in sorted(names, key=len, reverse=True)
    )
    for short, long in {
        "(S)": f"({first})",
        "(s)": f"({anyone})",
        "(c)": f"({CARD})",
        "(C)": f"({CARDS})",
        "(q)": f"({SEQUENCE})",
        "(Q)": f"({SEQUENCE}(?: {SEQUENCE})*)",
        "(N)": f"({NUMBER})",
        "<S>": f"(?:{first})",
        "<s>": f"(?:{anyone})",
    }.items():
        sentence = sentence.replace(short, long)
    return re.compile(sentence)


class Reader:
    """Reads a text for a viewer at a table of so many seats, under names if they have any."""

    def __init__(self, seats: int, viewer: int, names: Sequence[str] | None = None) -> None:
        self.seats, self.viewer = seats, viewer
        self.observer = max(viewer, 0)
        numbered = [f"seat {seat}" if seat != viewer else "you" for seat in range(seats)]
        self.names = tuple(names or numbered)
        self.known: dict[str, Any] = {"offer": None, "held": set(), "shuffles": 0, "discards": []}
        self.blocks: dict[int, dict[str, Any]] = {}
        self.events: list[tuple[int, str, int, int]] = []
        lines: dict[str, Callable[..., None]] = {
            r"General Mhing, round (N)(?: of (N))?, turn (N) of (N)\.(?: You are (seat \d|<s>)\.)?"
            r" (S) had the first turn\.": self._heading,
            r"(?:(N) points? wins? the game|The most points win (the game|this round, the only one)"
            r")\.( The discard on top may be taken whoever discarded it\.)?": self._limits,
            r"(S) (?:have|has) (?:(N) points? and )?(N) cards?(?:: (C))?\."
            r"(?: (<S>) (?:have|has) just drawn (c)(?: and (c))?\.)?(?: All know (C)\.)?"
            r"(?: (N) cards? (?:was|were) not in the last shuffle\.)?": self._hand,
            r"  Sequences: (Q)(?:, worth (N) points?)?\.": self._sequences,
            rf"Discards, the newest last: ({CARD} \(<s>\)(?:, {CARD} \(<s>\))*)\.": self._discards,
            r"The draw pile has (N) cards?(?:, after (N) shuffles? of the discards)?\."
            r"(?: (c) is on offer\.)?": self._draw_pile,
            r"Not in the draw pile but in other hands: (C)\.": self._held,
            r"The draw pile, its top card first: (C)\.": self._order,
            rf"(?:(S)|Nobody) won (this|the last) round(?: and (N) points?)?\."
            rf"(?: It ended (with a fourth sequence|at the turn limit)\.)?"
            rf"((?: <S> had {POINTS}(?:: {PART}(?:, {PART})*)?\.)*)": self._result,
            r"The round is over\.": self._round_over,
            r"The game is over\. (<S>(?:(?:, <s>)* and <s>)?) "
            r"(?:win it|wins it|share the win) with (N) points?\.": self._game_over,
            r"(S) (?:are|is) on turn(?:, with (c) taken)?\."
            r"(?: (S) (?:are|is) (to .*)\.)?": self._turn,
            r"Cards lacking for a sequence: (N)\."
            r"(?: Cards lacking, useful cards and points after a move: (.*)\.)?": self._hints,
            r"Moves: (.*)\.": self._moves,
        }
        self.patterns = [(pattern_of(text, self.names), read) for text, read in lines.items()]
        self.event_patterns = [
            (pattern_of(text + r"\.", self.names), event) for text, event in EVENT_SENTENCES.items()
        ]

    def read(self, text: str) -> None:
        for line in text.splitlines():
            self._line(line)

    def _line(self, line: str) -> None:
        for pattern, read in self.patterns:
            if found := pattern.fullmatch(line):
                read(*found.groups())
                return
        for pattern, event in self.event_patterns:
            if found := pattern.fullmatch(line):
                self._event(event, *found.groups())
                return
        raise AssertionError(f"not a line of General Mhing: {line!r}")

    # ---- Lines -----------------------------------------------------------------------------------

    def _seat(self, name: str) -> int:
        """A seat by its name, which may begin a sentence."""
        lower = name[0].lower() + name[1:]
        return self.names.index(name if name in self.names else lower)

    def _heading(
        self, round_: str, last: str | None, turn: str, turns: str, viewer: str | None, starter: str
    ) -> None:
        left = number(last) - number(round_) + 1 if last else 0
        self.known |= {"round": number(round_) - 1, "rounds_left": left}
        self.known |= {"turns_left": number(turns) - number(turn), "viewer": viewer}
        self.known["starter"] = self._seat(starter)

    def _limits(self, target: str | None, instead: str | None, on_top: str | None) -> None:
        self.known |= {"target": number(target), "instead": instead, "on_top": bool(on_top)}

    def _hand(
        self,
        name: str,
        score: str | None,
        size: str,
        cards: str | None,
        drawer: str | None,
        first: str | None,
        second: str | None,
        aces: str | None,
        old: str | None,
    ) -> None:
        seat = self._seat(name)
        assert drawer in (None, name)
        assert seat == (self.observer + len(self.blocks)) % self.seats, "seats are said clockwise"
        if drawer:
            self.known["drawn"] = [card(first), card(second)]
        self.blocks[seat] = {
            "score": number(score),
            "hand_size": number(size),
            "hand": None if cards is None else set(cards.split()),
            "aces": set((aces or "").split()),
            "old_cards": number(old),
            "sequences": [],
            "tally": 0,
        }

    def _sequences(self, texts: str, tally: str | None) -> None:
        block = list(self.blocks.values())[-1]
        block["sequences"] = [sequence_of(text) for text in texts.split()]
        block["tally"] = number(tally)

    def _discards(self, texts: str) -> None:
        found = pattern_of(r"(c) \((s)\)(?:, |$)", self.names).findall(texts)
        self.known["discards"] = [(each, self._seat(name)) for each, name in found]

    def _draw_pile(self, left: str, shuffles: str | None, offer: str | None) -> None:
        self.known |= {"draw_pile_left": number(left), "shuffles": number(shuffles)}
        self.known["offer"] = offer

    def _held(self, cards: str) -> None:
        self.known["held"] = set(cards.split())

    def _order(self, cards: str) -> None:
        self.known["draw_pile"] = cards.split()

    def _event(self, event: str, name: str, what: str = "", ace: str = "") -> None:
        detail, place = 0, 0
        if event == "sequence":
            detail, place = sequence_of(what)
        elif event == "over":
            detail = ENDINGS.index(what)
        elif what:
            detail = card(what)
        assert not ace or ace == f"A{what[1]}", "the ace is of the suit of the card given"
        self.events.append((self._seat(name), event, detail, place))

    def _result(
        self, name: str | None, which: str, points: str | None, ending: str | None, tallies: str
    ) -> None:
        found = pattern_of(rf"(S) had (N) points?(?:: ({PART}(?:, {PART})*))?\.", self.names)
        scored = {
            self._seat(who): (number(tally), parts) for who, tally, parts in found.findall(tallies)
        }
        self.known["result"] = {
            "is_this": which == "this",
            "winner": -1 if name is None else self._seat(name),
            "points": number(points),
            "ending": ENDINGS.index(ending or "not finished"),
            "tallies": [scored.get(seat, (0, ""))[0] for seat in range(self.seats)],
            "parts": [_parts(scored.get(seat, (0, ""))[1]) for seat in range(self.seats)],
        }

    def _round_over(self) -> None:
        self.known["over"] = "round"

    def _game_over(self, names: str, points: str) -> None:
        found = pattern_of("(?:^(S)|(?:, | and )(s))", self.names).findall(names)
        winners = [self._seat(first or other) for first, other in found]
        self.known |= {"over": "game", "winners": winners, "winners_points": number(points)}

    def _turn(self, name: str, taken: str | None, asked: str | None, choices: str | None) -> None:
        self.known |= {"on_turn": self._seat(name), "taken": card(taken)}
        assert asked in (None, name)
        if choices:
            self.known["choices"] = [
                choice.removeprefix("to ") for choice in choices.split(", or ")
            ]

    def _hints(self, lacking: str, after: str | None) -> None:
        moves = (each.rpartition(" ") for each in (after or "").split(", ") if each)
        self.known["lacking"] = number(lacking)
        self.known["after"] = {
            text: tuple(int(value) for value in values.split("/")) for text, _, values in moves
        }

    def _moves(self, text: str) -> None:
        self.known["moves"] = [
            each if place == 0 else f"{moves.split(' ')[0]} {each}"
            for moves in text.split("; ")
            for place, each in enumerate(moves.split(", "))
        ]

    # ---- Fields ----------------------------------------------------------------------------------

    def _relative(self, seat: int) -> int:
        """Seat + 1 as counted from the observer."""
        return (seat - self.observer) % self.seats + 1

    def _on_turn(self) -> int:
        """After the end of a round it is the seat that ended it."""
        return int(self.events[-1][0] if "over" in self.known else self.known["on_turn"])

    def phase(self) -> int:
        """The phase of the seat on turn, as far as the words say it."""
        if "over" in self.known:
            return OVER
        choices = self.known.get("choices", [])
        for phase, first in ((START, "draw"), (PLAY, "discard"), (END, "end the turn")):
            if first in choices:
                return phase
        return TAKEN if choices else WAIT

    def _is_taken(self) -> bool:
        """Return whether the card taken is still in the hand, as all have seen."""
        last = next(
            (each for each in reversed(self.events) if each[1] not in ("swap", "shuffle")), None
        )
        return last is not None and last[:2] == (self._on_turn(), "take")

    def _unseen(self) -> set[str]:
        seen = set(self.blocks[self.viewer]["hand"] or ())
        seen |= {made for made, _ in self.known["discards"]}
        for block in self.blocks.values():
            seen |= block["aces"]
            for kind, ace in block["sequences"]:
                seen |= cards_of(kind, ace)
        if self._is_taken():
            seen.add(DECK[self.known["taken"] - 1])
        return set(DECK) - seen

    def _own(self) -> dict[str, Any]:
        """The observer's own fields; a spectator has none."""
        if self.viewer < 0:
            nothing = [0] * len(DECK)
            return {
                "hand": nothing,
                "unseen": nothing,
                "drawable": nothing,
                "phase": 0,
                "drawn": [0, 0],
            }
        unseen = self._unseen()
        asked = "over" in self.known or self._on_turn() == self.viewer
        return {
            "hand": flags(self.blocks[self.viewer]["hand"] or set()),
            "unseen": flags(unseen),
            "drawable": flags(unseen - self.known["held"]),
            "phase": self.phase() if asked else WAIT,
            "drawn": self.known.get("drawn", [0, 0]),
        }

    def fields(self) -> dict[str, Any]:
        """All that the observation says, by field."""
        known = self.known
        discards = known["discards"]
        result = known.get("result", {"winner": -1, "points": 0})
        winner = result["winner"]
        return {
            **self._own(),
            "discards": filled([card(made) for made, _ in discards], PILE),
            "discarded_by": filled([self._relative(by) for _, by in discards], PILE),
            "on_turn": self._relative(self._on_turn()),
            "offer": card(known["offer"]),
            "offered_by": self._relative(discards[-1][1]) if known["offer"] else 0,
            "taken": known.get("taken", 0),
            "draw_pile_left": known["draw_pile_left"],
            "shuffles": low_bytes(known["shuffles"], 2),
            "turns_left": low_bytes(known["turns_left"], 2),
            "starter": self._relative(known["starter"]),
            "round": low_bytes(known["round"], 4),
            "rounds_left": low_bytes(known["rounds_left"], 2),
            "last_winner": 0 if winner < 0 else self._relative(winner),
            "last_points": result["points"],
            "target": low_bytes(known["target"], 2),
            **self._event_columns(),
            **self._seat_fields(),
        }

    def _event_columns(self) -> dict[str, list[int]]:
        rows = [
            (self._relative(seat), EVENTS.index(event), detail, ace)
            for seat, event, detail, ace in self.events
        ]
        rows = [(0, 0, 0, 0)] * (TAIL - len(rows)) + rows
        names = ("event_seat", "event_kind", "event_detail", "event_ace")
        return {name: [row[n] for row in rows] for n, name in enumerate(names)}

    def _seat_fields(self) -> dict[str, list[Any]]:
        """The seats' blocks were read clockwise from the observer."""
        assert len(self.blocks) == self.seats
        target = self.known["target"]
        rows = [
            {
                "sequence_kind": filled([kind for kind, _ in block["sequences"]], SEQUENCES),
                "sequence_ace": filled([ace for _, ace in block["sequences"]], SEQUENCES),
                "tally": block["tally"],
                "hand_size": block["hand_size"],
                "aces_held": [int(f"A{suit}" in block["aces"]) for suit in SUITS],
                "old_cards": block["old_cards"],
                "score": low_bytes(block["score"], 2),
                "missing": low_bytes(max(0, target - block["score"]), 2),
            }
            for block in self.blocks.values()
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def hidden(self) -> dict[str, Any]:
        """The omniscient observation."""
        pile = [card(each) for each in self.known.get("draw_pile", [])]
        return {
            "to_act": 0 if "over" in self.known else self._on_turn() + 1,
            "draw_pile": filled(pile, PILE),
            "hands": [flags(self.blocks[seat]["hand"] or set()) for seat in range(self.seats)],
        }


def _parts(text: str) -> list[int]:
    """The points under each label."""
    found = dict(part.split(" ", 1)[::-1] for part in text.split(", ") if part)
    return [number(found.get(name)) for name in PARTS]
