"""The renderer: what is shown, what stays hidden, and that nothing falls off the edge."""

from __future__ import annotations

import random
from typing import Any

CARDS = [f"{number}{suit}" for suit in "spm" for number in range(1, 10)] + list("ESWNRGP")
ORDER = {card: place for place, card in enumerate([*CARDS, "J", "F"])}


class Deal:
    """Plays a Mhing table at random, without rules or engine, into what State.to_dict() returns."""

    def __init__(self, num_players: int = 4, seed: int = 1, **options: Any) -> None:
        self.random = random.Random(seed)
        deck = [card for card in CARDS for _ in range(4)] + ["J"] * 6
        self.random.shuffle(deck)
        hands = [[deck.pop() for _ in range(13)] for _ in range(num_players)]
        self.d: dict[str, Any] = {
            "game": "mhing",
            "options": {
                "num_players": num_players,
                "lay_down": False,
                "seven_pairs": False,
                "scoring": "points",
                "episode": "round",
                **options,
            },
            "round": 0,
            "turn": 1,
            "dealer": 0,
            "phase": "turn",
            "seat": 0,
            "on_turn": 0,
            "drawn": None,
            "offer": None,
            "offered_by": None,
            "claimed_from": None,
            "claims": [],
            "to_ask": [],
            "source": deck,
            "hands": hands,
            "melds": [[] for _ in hands],
            "flowers": [seat % 3 for seat, _ in enumerate(hands)],
            "discards": [],
            "events": [{"seat": 0, "event": "deal", "detail": None, "jokers": 0}],
            "scores": [seat * 64 for seat, _ in enumerate(hands)],
            "chips": [500] * num_players if num_players < 5 else None,
            "returns": [0.0] * num_players,
            "result": None,
        }
        self._draw()

    def play(self, turns: int, claims: float = 0.15) -> Deal:
        """Plays on for so many turns, each discard claimed with this probability."""
        for _ in range(turns):
            self.discard()
            if not self.d["source"]:
                break
            self.answer(self.random.random() < claims)
        return self

    def discard(self) -> Deal:
        """The seat on turn discards a card that it has drawn or holds; the next seat may claim it."""
        d, seat = self.d, self.d["on_turn"]
        card = self.random.choice(d["hands"][seat])
        d["hands"][seat].remove(card)
        d["discards"].append({"card": card, "by": seat, "taken_by": None})
        self._event(seat, "discard", card)
        d.update(phase="claim", offer=card, offered_by=seat, drawn=None, claimed_from=None)
        d["seat"] = (seat + 1) % len(d["hands"])
        return self

    def answer(self, claims: bool) -> Deal:
        """The seat that is asked claims the discard with two cards of its hand, or passes."""
        d = self.d
        seat, card = d["seat"], d["offer"]
        claims = claims and len(d["melds"][seat]) < 4
        d.update(phase="turn", on_turn=seat, offer=None, offered_by=None, turn=d["turn"] + 1)
        if not claims:
            self._draw()
            return self
        del d["hands"][seat][:2]
        card = "P" if card == "J" else card
        stars = self.random.randrange(3)
        text = card[0] * (3 - stars) + (card[0] + "*") * stars + card[1:]
        discard = d["discards"][-1]
        discard["taken_by"] = d["seat"]
        d["claimed_from"] = discard["by"]
        jokers = list(range(3 - stars, 3))
        meld = {"kind": "triplet", "text": text, "cards": [card] * 3, "jokers": jokers}
        d["melds"][seat].append({**meld, "from": discard["by"]})
        self._event(seat, "claim", text)
        return self

    def end(self) -> Deal:
        """The seat on turn declares MHING."""
        d, seat = self.d, self.d["on_turn"]
        d.update(phase="over", seat=-1, drawn=None)
        d["scores"][seat] += 131072
        d["result"] = {
            "round": 0,
            "winner": seat,
            "payer": (seat + 1) % len(d["hands"]),
            "credits": 41,
            "points": 131072,
            "parts": [
                ["sequences only", 1],
                ["double sequence", 2],
                ["broken royal run", 1],
                ["two suits only", 1],
                ["pair of 2s, 5s or 8s", 1],
                ["flower", 3],
                ["identical double sequence", 6],
                ["nothing connects with all honours", 8],
            ],
            "shape": "melds",
            "arrangement": ["6*78s", "67*8s", "567p", "P*P*P*", "55*s"],
            "payments": None,
        }
        self._event(seat, "mhing", 0)
        return self

    def _draw(self) -> None:
        d, seat = self.d, self.d["on_turn"]
        d["drawn"] = d["source"].pop(0)
        d["hands"][seat].append(d["drawn"])
        d["hands"][seat].sort(key=ORDER.__getitem__)

    def _event(self, seat: int, event: str, detail: Any) -> None:
        self.d["events"].append({"seat": seat, "event": event, "detail": detail, "jokers": 0})
        del self.d["events"][:-32]
