"""Reads the words of Mexican Rummy back into the fields that they were made from.

It knows the sentences and the two decks, and nothing of the code that writes them. Each line must
be read to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

RANKS, SUITS = "A23456789TJQKA", "shdc"
TYPES = [rank + suit for suit in SUITS for rank in RANKS[:13]]
OBJECTIVES = [(2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2)]
EVENTS = ["deal", "ask", "grant", "refuse", "take", "swap", "set", "run", "lay", "discard"]
EVENTS += ["shuffle", "over"]
ENDINGS = ["not finished", "last card laid", "No Discardo", "no card to draw", "turn limit"]
RESULTS = [
    "had no card left",
    "laid all cards at once",
    "there was no card to draw",
    "the turn limit was reached",
]
TAIL, MELDS, PLACES, PILE, KINDS_OF_SETS, OVER = 32, 3, 14, 84, 13, 10

CARD = "[A2-9TJQK][shdc]"
CARDS = f"{CARD}(?: {CARD})*"
NUMBER = r"\d{1,3}(?:,\d{3})*"
MELD = rf"(?:set|run) [A2-9TJQK*]*[shdc]*(?: \({CARDS}\))?"

QUESTIONS = {
    "may ask for (c)": 1,
    "(?:are|is) to grant it, to refuse it or to take (c)": 2,
    "(?:are|is) to draw or to take (c)": 3,
    "(?:are|is) to lay or to discard": 4,
    "(?:are|is) to choose a black 2 for (c)": 5,
    "(?:are|is) to begin a meld": 6,
    "(?:are|is) to fill the last meld": 7,
    "(?:are|is) to lay all the rest": 8,
    "(?:are|is) to choose where to lay (c)": 9,
}

EVENT_SENTENCES = {
    r"(S) (?:have|has) the first turn(?:: (c) is turned up)?": "deal",
    r"(S) asks? for (c)": "ask",
    r"(S) takes? (c)": "take",
    r"(S) discards? (c)": "discard",
    r"(S) grants? (c) to (s)": "grant",
    r"(S) refuses? (c) to (s)": "refuse",
    r"(S) gives? (c) for a black 2 in (\d)\.(\d)": "swap",
    r"(S) lays? (c) onto (\d)\.(\d)": "lay",
    r"(S) lays? a set: (\d+) cards of rank (.)": "set",
    r"(S) lays? a run: ([A2-9TJQK]+)([shdc])": "run",
    r"(S) shuffles? the discards but the last into a new draw pile": "shuffle",
    r"(S) (?:have|has) no card left: the round is over": "over last card laid",
    r"(S) lays? all cards at once: the round is over": "over No Discardo",
    r"The round ends in a turn of (o): the turn limit is reached": "over turn limit",
    r"The round ends in a turn of (o): there is no card to draw": "over no card to draw",
}


compiled = cache(re.compile)


def number(text: str) -> int:
    return int(text.replace(",", ""))


def low_bytes(value: int, count: int) -> list[int]:
    return list(value.to_bytes(count, "little"))


def card(text: str | None) -> int:
    """The type plus one; 0 for none."""
    return TYPES.index(text) + 1 if text else 0


def counts(text: str | None) -> NDArray[np.int64]:
    """Cards by type, of a list."""
    return np.bincount(
        [TYPES.index(word) for word in (text or "").split()], minlength=len(TYPES)
    ).astype(np.int64)


def any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


class Reader:
    """Reads one text. `names` are those that are shown, by seat; None: "you" and "seat 2"."""

    def __init__(self, seats: int, viewer: int, names: Sequence[str] | None = None) -> None:
        self.seats, self.viewer = seats, viewer
        self.observer = max(viewer, 0)
        self.is_named = names is not None
        if names is None:
            names = ["you" if seat == viewer else f"seat {seat}" for seat in range(seats)]
        self.inside = {name: seat for seat, name in enumerate(names)}
        self.subjects = {self._capital(name): seat for name, seat in self.inside.items()}
        self.owners = {("yours" if name == "you" else name): s for name, s in self.inside.items()}
        seats_said = (("(S)", self.subjects), ("(s)", self.inside), ("(o)", self.owners))
        self.marks = [(mark, f"({any_of(words)})") for mark, words in seats_said]
        self.known: dict[str, Any] = {}
        self.events: list[tuple[int, str, int, int]] = []
        self.blocks: dict[int, dict[str, Any]] = {}

    def _capital(self, name: str) -> str:
        return name if self.is_named and name != "you" else name[0].upper() + name[1:]

    # ---- Sentences -----------------------------------------------------------------------------

    def find(self, pattern: str, text: str) -> re.Match[str] | None:
        """A whole match. (S) is a seat that begins a sentence, (s) one within, (o) one after of."""
        for mark, any_of in self.marks:
            pattern = pattern.replace(mark, any_of)
        pattern = pattern.replace("(c)", f"({CARD})").replace("(n)", f"({NUMBER})")
        return compiled(pattern).fullmatch(text)

    def relative(self, seat: int) -> int:
        """A seat as the observation counts it, plus one."""
        return (seat - self.observer) % self.seats + 1

    def read(self, text: str) -> None:
        block: dict[str, Any] = {}
        for line in text.splitlines():
            if line.startswith("  "):
                self._read_of_seat(block, line[2:])
            elif seat := self._read_seat(line):
                block = seat
            elif not (self._read_line(line) or self._read_event(line)):
                raise ValueError(f"nobody can read this line: {line!r}")

    def _read_line(self, line: str) -> bool:
        readers = (
            self._read_heading,
            self._read_limits,
            self._read_discards,
            self._read_draw_pile,
            self._read_cards_of_piles,
            self._read_result,
            self._read_turn,
            self._read_end,
            self._read_hints,
        )
        return line.startswith("Moves: ") or any(read(line) for read in readers)

    def _read_heading(self, line: str) -> bool:
        found = self.find(
            r"Mexican Rummy, (?:round (\d), )?turn (n) of (n)\. The objective is ([^.]*)\."
            r"(?: You are ((s)|seat \d)\.)? (S) had the first turn\.",
            line,
        )
        if not found:
            return False
        said, turn, turns, objective, viewer, _, starter = found.groups()
        sets, runs = (
            int((re.search(rf"(\d) {noun}s?\b", objective) or [0, 0])[1]) for noun in ("set", "run")
        )
        name = next((name for name, seat in self.inside.items() if seat == self.viewer), None)
        who = f"seat {self.viewer}" if self.viewer >= 0 and not self.is_named else name
        assert viewer == (None if who == "you" else who)
        self.known |= {
            "sets": sets,
            "runs": runs,
            "objective": OBJECTIVES.index((sets, runs)) + 1,
            "turns_left": number(turns) - number(turn),
            "starter": self.relative(self.subjects[starter]),
            "round": said and int(said) - 1,
        }
        return True

    def _read_limits(self, line: str) -> bool:
        found = self.find(
            r"The fewest points win\.(?: Rounds left after this one: (\d)\.)?"
            r"( Black twos are wild in runs\.)?( All cards of a hand are laid at once, without a "
            r"discard\.)? Who is granted a discard also draws a card\.",
            line,
        )
        if found:
            assert bool(found[2]) == (self.known.get("runs", 0) > 0)
            assert bool(found[3]) == (self.known.get("objective", 0) == len(OBJECTIVES))
            self.known["rounds_left"] = int(found[1] or 0)
        return bool(found)

    # ---- Seats ---------------------------------------------------------------------------------

    def _read_seat(self, line: str) -> dict[str, Any] | None:
        found = self.find(
            rf"(S) (?:have|has) (?:(n) points? and )?(n) cards?(?:: ({CARDS}))?\."
            rf"(?: (S) (?:have|has) just drawn (c)\.)?(?: All know (them|{CARDS})\.)?"
            r"(?: (n) cards? (?:was|were) not in the last shuffle\.)?"
            r"( (S) (?:were|was) refused the discard\.)?",
            line,
        )
        if not found:
            return None
        subject, score, size, listed, drawer, drawn, known, old, refused, who = found.groups()
        seat = self.subjects[subject]
        assert {drawer, who} <= {None, subject}
        block: dict[str, Any] = {
            "score": number(score or "0"),
            "hand_size": number(size),
            "listed": None if listed is None else counts(listed),
            "known": counts(listed if known == "them" else known),
            "old_cards": number(old or "0"),
            "refused": int(bool(refused)),
            "melds": [],
            "planned": [],
        }
        assert not drawn or seat == self.viewer
        if seat == self.viewer:
            self.known["drawn"] = card(drawn)
        assert seat not in self.blocks
        self.blocks[seat] = block
        return block

    def _read_of_seat(self, block: dict[str, Any], line: str) -> None:
        seat = next(seat for seat, known in self.blocks.items() if known is block)
        found = self.find(rf"Melds: (\d\.\d {MELD}(?:, \d\.\d {MELD})*)\.", line)
        if found:
            for place, text in enumerate(found[1].split(", "), 1):
                name, laid = text.split(" ", 1)
                assert name == f"{self.relative(seat) - 1}.{place}"
                block["melds"].append(laid)
            return
        assert seat == self.viewer
        found = self.find(rf"Laying down: ({MELD}(?:, {MELD})*)(?: and (\d) cards? more)?\.", line)
        if found:
            block["planned"] = found[1].split(", ")
            self.known["to_fill"] = int(found[2] or 0)
            return
        found = self.find(
            r"(S) gives? (c) for the (c) in (\d)\.(\d)(?:, as the (low|high) ace)?"
            r"(, and must still lay it)?\.",
            line,
        )
        assert found, line
        subject, given, got, clockwise, meld, ace, wanted = found.groups()
        assert self.subjects[subject] == seat
        assert (given[0] == "A") == (ace is not None)
        place = 13 if ace == "high" else RANKS.index(given[0])
        self.known |= {
            "swap_card": card(given),
            "swap_from": [1 + MELDS * int(clockwise) + int(meld) - 1, place + 1],
            "wanted": card(got) if wanted else 0,
            "got": got,
        }

    # ---- Piles, results, turns -------------------------------------------------------------------

    def _read_discards(self, line: str) -> bool:
        intro = "Discards, the newest last: "
        if not line.startswith(intro):
            return False
        assert line.endswith(").")
        discards, makers = [], []
        for text in re.split(rf"\), (?={CARD} \()", line[len(intro) : -2]):
            found = self.find(r"(c) \((turned up|(s))\)", text + ")")
            assert found, text
            discards.append(card(found[1]))
            turned_up = found[2] == "turned up" and "turned up" not in self.inside
            makers.append(0 if turned_up else self.relative(self.inside[found[3]]))
        self.known |= {"discards": discards, "discarded_by": makers}
        return True

    def _read_draw_pile(self, line: str) -> bool:
        found = self.find(
            r"The draw pile has (n) cards?(?:, after (n) shuffles? of the discards)?\."
            r"(?: (c) is on offer\.)?",
            line,
        )
        if found:
            self.known |= {
                "draw_pile_left": number(found[1]),
                "shuffles": number(found[2] or "0"),
                "offer": card(found[3]),
            }
        return bool(found)

    def _read_cards_of_piles(self, line: str) -> bool:
        for intro, name in (
            ("Not in the draw pile but in other hands: ", "held"),
            ("The draw pile, its top card first: ", "draw_pile"),
        ):
            if line.startswith(intro):
                self.known[name] = line[len(intro) : -1]
                return True
        return False

    def _read_result(self, line: str) -> bool:
        found = self.find(
            r"(This|Last) round: (?:(s) (had no card left|laid all cards at once)"
            r"|(there was no card to draw|the turn limit was reached))\. Points: (.*)\.",
            line,
        )
        if not found:
            return False
        points = {}
        for text in re.split(r"(?<=\d), ", found[5]):
            name, value = text.rsplit(" +", 1)
            points[self.inside[name]] = number(value)
        self.known["result"] = {
            "is_this": found[1] == "This",
            "winner": self.inside[found[2]] if found[2] else -1,
            "ending": RESULTS.index(found[3] or found[4]) + 1,
            "points": [points[seat] for seat in range(self.seats)],
        }
        return True

    def _read_turn(self, line: str) -> bool:
        question = "|".join(QUESTIONS).replace("(c)", CARD)
        found = self.find(
            r"(S) (?:are|is) on turn(?:, with (c) taken|, (before|after) the draw)\."
            rf"(?: (S) (?:have|has) asked for (c)\.)?(?: (S) ({question})\.)?",
            line,
        )
        if not found:
            return False
        on_turn, taken, when, asker, _, asked, question = found.groups()
        self.known |= {
            "on_turn": self.relative(self.subjects[on_turn]),
            "taken": card(taken),
            "before_draw": when == "before",
            "asker": self.relative(self.subjects[asker]) if asker else 0,
            "phase": 0,
            "to_act": 0,
            "chosen": 0,
            "is_over": False,
        }
        if asked:
            seat = self.subjects[asked]
            self.known["to_act"] = seat + 1
            for pattern, phase in QUESTIONS.items():
                match = self.find(pattern, question)
                if match and seat == self.viewer:
                    self.known["phase"] = phase
                    self.known["chosen"] = card(match[1]) if phase in (5, 9) else 0
        return True

    def _read_end(self, line: str) -> bool:
        found = self.find(
            r"(S) had the last turn\. The (game|round) is over\."
            r"(?: (?:(S) wins? it|(S)((?:, (s))*) and (s) share the win) with (n) points?\.)?",
            line,
        )
        if not found:
            return False
        last, what, winner, first, more, _, second, points = found.groups()
        winners = [self.subjects[name] for name in (winner, first) if name]
        winners += [self.inside[name] for name in (more or "").split(", ")[1:]]
        winners += [self.inside[second]] if second else []
        self.known |= {
            "on_turn": self.relative(self.subjects[last]),
            "phase": OVER if self.viewer >= 0 else 0,
            "what": what,
            "winners": winners,
            "winners_points": number(points) if points else None,
            "is_over": True,
        }
        return True

    def _read_hints(self, line: str) -> bool:
        found = self.find(
            r"Lacking: (n) cards?\. In the hand: (n) points?\."
            r"(?: Cards lacking/points after a move: (.*)\.)?",
            line,
        )
        if found:
            after = [text.rsplit(" ", 1) for text in (found[3] or "").split(", ") if text]
            self.known |= {
                "lacking": number(found[1]),
                "points": number(found[2]) // 5,
                "after": {action: tuple(map(number, both.split("/"))) for action, both in after},
            }
        return bool(found)

    # ---- Events --------------------------------------------------------------------------------

    def _read_event(self, line: str) -> bool:
        if not line.endswith("."):
            return False
        for pattern, kind in EVENT_SENTENCES.items():
            found = self.find(pattern, line[:-1])
            if found:
                words = (
                    self.owners
                    if kind in ("over turn limit", "over no card to draw")
                    else (self.subjects)
                )
                seat = words[found[1]]
                self.events.append((seat, kind.split()[0], *self._details(kind, seat, found)))
                return True
        return False

    def _details(self, kind: str, seat: int, found: re.Match[str]) -> tuple[int, int]:
        """The two details of an event."""
        details = (0, 0)
        if kind.startswith("over "):
            details = ENDINGS.index(kind.removeprefix("over ")), 0
        elif kind == "set":
            details = RANKS.index(found[3]) + 1, int(found[2])
        elif kind == "run":
            suit, low = SUITS.index(found[3]), RANKS.index(found[2][0])
            assert found[2] == RANKS[low : low + len(found[2])]
            details = 1 + suit * PLACES + low, len(found[2])
        elif kind in ("grant", "refuse"):
            details = card(found[2]), (self.inside[found[3]] - seat) % self.seats
        elif kind in ("swap", "lay"):
            clockwise = (self.observer + int(found[3]) - seat) % self.seats
            details = card(found[2]), 1 + MELDS * clockwise + int(found[4]) - 1
        elif kind != "shuffle":
            details = card(found[2]), 0
        return details

    # ---- Fields --------------------------------------------------------------------------------

    def fields(self) -> dict[str, NDArray[np.int64]]:
        """The fields of the observation, but for its hints."""
        known = self.known
        order = [(self.observer + place) % self.seats for place in range(self.seats)]
        blocks = [self.blocks[seat] for seat in order]
        own = blocks[0] if self.viewer >= 0 else {"listed": None, "planned": []}
        hand = own["listed"] if own["listed"] is not None else counts("")
        plan_kind, plan_cards = _melds(own["planned"])
        tables = [_melds(block["melds"]) for block in blocks]
        discards = known.get("discards", [])
        makers = known.get("discarded_by", [])
        for block in blocks:  # a viewer that sees a hand is told all of it
            laid = np.count_nonzero(_melds(block["planned"])[1])
            assert block["listed"] is None or block["listed"].sum() + laid == block["hand_size"]
        offer = known["offer"]
        assert offer in (0, *discards[-1:])
        assert known.get("before_draw", False) == bool(offer)
        fields: dict[str, Any] = {
            "hand": hand,
            "discards": discards + [0] * (PILE - len(discards)),
            "discarded_by": makers + [0] * (PILE - len(makers)),
            "offered_by": makers[-1] if offer else 0,
            "plan_kind": plan_kind,
            "plan_cards": plan_cards,
            "shuffles": low_bytes(known["shuffles"], 2),
            "turns_left": low_bytes(known["turns_left"], 4),
            "swap_from": known.get("swap_from", [0, 0]),
            "meld_kind": [kind for kind, _ in tables],
            "meld_cards": [cards for _, cards in tables],
            "score": [low_bytes(block["score"], 2) for block in blocks],
            **dict(zip(_EVENT_FIELDS, self._event_columns(), strict=True)),
        }
        for name in ("hand_size", "known", "old_cards", "refused"):
            fields[name] = [block[name] for block in blocks]
        for name in ("drawn", "chosen", "wanted", "to_fill", "swap_card", "taken", "asker"):
            fields[name] = known.get(name, 0)
        for name in ("phase", "on_turn", "offer", "objective", "sets", "runs", "starter"):
            fields[name] = known[name]
        for name in ("draw_pile_left", "rounds_left"):
            fields[name] = known[name]
        fields["unseen"] = self._unseen(fields)
        held = counts(known.get("held"))
        fields["drawable"] = fields["unseen"] - held
        return {name: np.asarray(value) for name, value in fields.items()}

    def _unseen(self, fields: dict[str, Any]) -> NDArray[np.int64]:
        """All cards that the seat does not see, of two decks."""
        if self.viewer < 0:
            return counts("")
        open_cards = np.concatenate(
            [np.ravel(fields[name]) for name in ("discards", "meld_cards", "plan_cards")]
        )
        seen = fields["hand"] + np.bincount(open_cards, minlength=len(TYPES) + 1)[1:]
        seen = seen + np.sum(fields["known"][1:], axis=0)
        if fields["swap_card"]:  # the black 2 is in its run still; the card that is given is held
            seen[fields["swap_card"] - 1] += 1
            seen[TYPES.index(self.known["got"])] -= 1
        unseen: NDArray[np.int64] = 2 - seen
        return unseen

    def _event_columns(self) -> Iterator[list[int]]:
        rows = [
            (self.relative(seat), EVENTS.index(kind), detail, place)
            for seat, kind, detail, place in self.events
        ]
        rows = [(0, 0, 0, 0)] * (TAIL - len(rows)) + rows
        return (list(column) for column in zip(*rows, strict=True))

    def hidden_hands(self) -> list[NDArray[np.int64]]:
        """All hands, where all cards are open."""
        hands = [self.blocks[seat]["listed"] for seat in range(self.seats)]
        hands = [counts("") if hand is None else hand for hand in hands]
        if self.viewer >= 0:  # its cards that it is laying down are still in its hand
            _, planned = _melds(self.blocks[self.viewer]["planned"])
            own = hands[self.viewer] + np.bincount(planned, minlength=len(TYPES) + 1)[1:]
            if self.known.get("swap_card"):
                own[self.known["swap_card"] - 1] += 1
                own[TYPES.index(self.known["got"])] -= 1
            hands[self.viewer] = own
        return hands


_EVENT_FIELDS = ("event_seat", "event_kind", "event_detail", "event_place")


def _melds(texts: list[str]) -> tuple[list[int], list[int]]:
    """The kinds of melds and their cards, as fields hold them."""
    kinds, cards = [0] * MELDS, [0] * (MELDS * PLACES)
    for meld, text in enumerate(texts):
        word, laid, *more = text.split(" ", 2)
        wilds = iter(more[0].strip("()").split() if more else [])
        at = meld * PLACES
        if word == "set":
            kinds[meld] = RANKS.index(laid[0]) + 1
            assert not more
            for place, suit in enumerate(laid[1:]):
                cards[at + place] = card(laid[0] + suit)
            continue
        suit = laid[-1]
        kinds[meld] = 1 + KINDS_OF_SETS + SUITS.index(suit)
        ranks = re.findall(r"[^*]\*?", laid[:-1])
        low = RANKS.index(ranks[0][0]) if ranks else 0
        for place, rank in enumerate(ranks, low):
            assert rank[0] == RANKS[place]
            cards[at + place] = card(next(wilds) if "*" in rank else rank + suit)
        assert not list(wilds)
    return kinds, cards
