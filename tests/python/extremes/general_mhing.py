"""Extreme positions of General Mhing: empty piles, aces everywhere, last turns and rounds."""

from __future__ import annotations

from random import Random
from typing import Any

from every_game import Options, Table
from games.general_mhing.matches import Match
from games.general_mhing.test_seen import check as check_seen
from games.general_mhing.test_seen import check_info
from reference.general_mhing import (
    DECK,
    HAND,
    SEQUENCES,
    SUITS,
    Sequence,
    in_order,
    parts_of,
    winner_of,
)

import mhing

__all__ = ["Match", "check", "positions"]


def check(state: mhing.State) -> None:
    """All that seats see, what is hidden and the public numbers are the table's."""
    match = Match(state)
    check_seen(match)
    check_info(match)


def positions(rng: Random) -> tuple[Options, Table]:
    """One position; some attempts run out of cards, or ask a seat that has no choice."""
    while True:
        position = Position(rng)
        if position.is_asked():
            return position.options, position.table()


class Position:
    """A table late in a round: first the sequences, then the hands, then the piles."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.seats = rng.choice((2, 3, 3))
        self.left = set(DECK)
        self.on_turn = rng.randrange(self.seats)
        self.phase = rng.choice(("start", "start", "play", "play", "end", "taken"))
        self.aces = rng.random() < 0.5
        """True if aces lie in sequences wherever they can."""
        self.taken: str | None = None
        self.shown: set[str] = set()
        self.laid = [self._sequences(rng.choice((0, 1, 2, 3, 3, 3))) for _ in range(self.seats)]
        if self.phase == "end" and not self.laid[self.on_turn]:
            self.phase = "play"
        self.hands = [self._hand(seat) for seat in range(self.seats)]
        self._pile()
        self._clock()

    def _sequences(self, count: int) -> list[Sequence]:
        """So many that can still be laid, those with an ace first, or equal ones."""
        chosen: list[Sequence] = []
        lows = self.rng.sample(range(11), self.rng.choice((1, 4, 11)))
        for _ in range(count):
            fits = [s for s in SEQUENCES.values() if s.cards <= self.left]
            liked = [s for s in fits if s.low in lows] or fits
            liked = [s for s in liked if (s.ace is not None) == self.aces] or liked
            if not liked:
                break
            chosen.append(self.rng.choice(sorted(liked, key=lambda s: s.text)))
            self.left -= chosen[-1].cards
        return chosen

    def _draw(self, count: int, liked: set[str]) -> set[str]:
        """So many of the cards left, those liked first."""
        likes = self.rng.sample(in_order(liked & self.left), len(liked & self.left))
        rest = self.rng.sample(in_order(self.left - liked), len(self.left - liked))
        chosen = set((likes + rest)[:count])
        self.left -= chosen
        return chosen

    def _hand(self, seat: int) -> set[str]:
        """Cards of one suit, aces, cards that free aces, or any."""
        suit = self.rng.choice(SUITS)
        swaps = {
            card
            for laid in self.laid[seat]
            if laid.ace is not None
            for other in SEQUENCES.values()
            if other.suit == laid.suit and len(other.cards & laid.cards) == 2
            for card in other.cards - laid.cards
        }
        likes = {card for card in DECK if card[1] == suit}, {"A" + suit for suit in SUITS}, swaps
        likes = (*likes, swaps | likes[1], set[str]())
        more = seat == self.on_turn and self.phase in ("play", "taken")
        return self._draw(HAND + more, self.rng.choice(likes))

    def _pile(self) -> None:
        """The rest is drawn or discarded: now and then all but one card, or all, of either."""
        rest = self.rng.sample(in_order(self.left), len(self.left))
        most = len(rest)
        split = self.rng.choice((0, 0, 1, 1, 2, most, most - 1, self.rng.randint(0, most)))
        self.draw_pile, pile = rest[:split], rest[split:]
        before = (self.on_turn - 1) % self.seats
        self.discards = [{"card": card, "by": self.rng.randrange(self.seats)} for card in pile]
        if self.discards and self.rng.random() < 0.6:
            self.discards[-1]["by"] = before

    def _clock(self) -> None:
        """Turns and rounds, of which these may be the last; scores just below the target."""
        rng, seats = self.rng, self.seats
        turn = rng.choice((40, 41, 42, 200, 65000))
        limit = rng.choice((turn, turn, turn + 1, turn + 4, 65535))
        target = rng.choice((0, 1, 9, 14, 300, 1000))
        episode = rng.choice(("round", "game", "game"))
        self.options: dict[str, Any] = {
            "num_players": seats,
            "target": target,
            "rounds": (rounds := rng.choice((1, 2, 400) if not target else (0, 1, 2, 400))),
            "turn_limit": limit,
            "offer": rng.choice(("previous", "top")),
            "next_starter": rng.choice(("clockwise", "same")),
            "episode": episode,
            "reward": rng.choice(("points", "win", "margin")),
        }
        self.keys: Table = {"turn": turn, "starter": (self.on_turn - turn + 1) % seats}
        most = 300 if rounds in (0, 400) else rounds - 1
        played = 0 if episode == "round" else rng.choice((0, 1, most, rng.randint(0, most)))
        if played := min(played, most):
            self._played(played, target)

    def _played(self, rounds: int, target: int) -> None:
        """Rounds before this one, the last of which a seat has won or nobody."""
        rng, seats = self.rng, self.seats
        won = [SEQUENCES["789h"], SEQUENCES["TJQh"], SEQUENCES["789s"]]
        laid: list[list[Sequence]] = [[] for _ in range(seats)]
        laid[rng.randrange(seats)] = won[: rng.randint(0, 3)]
        tallies = [sum(parts_of(each).values()) for each in laid]
        winner = winner_of(tallies, [len(each) for each in laid])
        below = target - 1 if target else 2**15
        scores, left = [], rounds - 1
        for _ in range(seats):
            scores.append(
                rng.choice((min(below, 9 * left), rng.randint(0, min(below, 9 * left)), 0))
            )
            left -= -(-scores[-1] // 9)
        if winner >= 0:
            scores[winner] += tallies[winner]
            if target and scores[winner] >= target:
                scores[winner] = tallies[winner] if tallies[winner] < target else 0
                if not scores[winner]:
                    return
        self.keys |= {
            "round": rounds,
            "scores": scores,
            "result": {
                "winner": winner,
                "ending": "turn limit",
                "seats": [{"sequences": [{"text": s.text} for s in each]} for each in laid],
            },
        }

    def _shuffles(self) -> Table:
        """Cards of the draw pile were in the last shuffle, others in any."""
        shuffles = self.rng.choice((0, 1, 2, 300))
        of = dict.fromkeys(self.draw_pile, shuffles)
        for card in DECK:
            of.setdefault(card, self.rng.choice((0, shuffles)))
        for card in self.drawn:
            of[card] = shuffles
        return {"shuffles": shuffles, "shuffle_of": of}

    def table(self) -> Table:
        laid = [[{"text": sequence.text} for sequence in each] for each in self.laid]
        return self.keys | {
            "phase": self.phase,
            "on_turn": self.on_turn,
            "hands": [in_order(hand) for hand in self.hands],
            "sequences": laid,
            "draw_pile": self.draw_pile,
            "discards": self.discards,
            "offer": self.offer,
            "taken": self.taken,
            "drawn": self.drawn,
            "shown": in_order(self.shown),
            **self._shuffles(),
        }

    def is_asked(self) -> bool:
        """Settles what the phase demands, and says whether the seat on turn has a choice then."""
        rng, hand = self.rng, self.hands[self.on_turn]
        self.drawn: list[str] = []
        self.offer: str | None = None
        if self.phase == "taken":
            self.taken = rng.choice(in_order(hand))
            self.shown.add(self.taken)
        else:
            count = {"start": 0, "play": 1, "end": 2}[self.phase]
            self.drawn = rng.sample(in_order(hand), count)
        if self.phase == "start" and self.discards:
            top = self.discards[-1]
            before = top["by"] == (self.on_turn - 1) % self.seats
            if self.options["offer"] == "top" or (before and rng.random() < 0.8):
                self.offer = top["card"]
        aces = {card for each in self.hands for card in each if card[0] == "A"} - {*self.drawn}
        self.shown |= set(rng.sample(in_order(aces), rng.randint(0, len(aces))))
        match self.phase:
            case "play":
                return True
            case "taken":
                return self._laid_with(hand, self.taken or "") > 1
            case _:
                taken = self.offer and self._laid_with(hand | {self.offer}, self.offer)
                return bool(taken or self._swaps())

    def _laid_with(self, hand: set[str], card: str) -> int:
        return sum(card in s.cards and s.cards <= hand for s in SEQUENCES.values())

    def _swaps(self) -> bool:
        hand = self.hands[self.on_turn]
        return any(
            laid.ace is not None
            and other.suit == laid.suit
            and len(other.cards - laid.cards) == 1
            and "A" + laid.suit not in other.cards
            and other.cards - laid.cards <= hand
            for laid in self.laid[self.on_turn]
            for other in SEQUENCES.values()
        )
