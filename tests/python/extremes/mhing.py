"""Extreme positions of Mhing: empty sources, jokers everywhere, five claims, games all but won."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from random import Random

from every_game import Options, Table, seats
from matches import Match
from reference.arrangement import Declared
from reference.cards import (
    DECK,
    FLOWER,
    HONOURS,
    JOKER,
    NAMES,
    PLAYABLE,
    SUIT_CARDS,
    Meld,
    all_patterns,
    number,
    parse_cards,
    parse_meld,
    suit,
)
from reference.referee import HAND, Referee
from reference.scoring import POINTS_TABLE, Best
from test_observation import check as check_seen
from test_observation import check_hints, check_info

import mhing
from extremes.mhing_refused import check_refused

__all__ = ["Match", "check", "positions"]

MELDS, FLOWERS, CHIPS_SEATS = 4, 8, 4

THEMES: list[set[int]] = [
    {*PLAYABLE},
    {card for card in SUIT_CARDS if suit(card) == 0},
    {card for card in PLAYABLE if suit(card) in (1, None)},
    {card for card in SUIT_CARDS if suit(card) != 2},
    {card for card in SUIT_CARDS if (number(card) or 0) >= 5},
    {card for card in SUIT_CARDS if number(card) in (4, 5, 6)},
    {*HONOURS},
]
"""The cards of which the melds and hands of a position are made."""


@cache
def patterns(theme: int) -> list[Meld]:
    """The melds of a theme, with any number of jokers."""
    return [meld for meld in all_patterns() if THEMES[theme].issuperset(meld.cards)]


@cache
def patterns_with(theme: int, card: int) -> list[Meld]:
    """Those that can be laid with this card."""
    return [meld for meld in patterns(theme) if meld.needs()[card]]


def positions(rng: Random) -> tuple[Options, Table]:
    """One position; some attempts come to nothing, since nobody can claim or turns do not fit."""
    while True:
        position = Position(rng)
        if position.is_dealt():
            return position.options, position.table()


class Position:
    """Melds first, then the turns that have led there, then the hands; the rest has been discarded
    or is left in the source."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.seats = rng.choice((2, 3, 4, 5, 6, 6))
        self.begun = rng.choice(("draw", "claim", "offer", "offer", "offer"))
        """The beginning of the turn in play, or "offer" where its discard is on offer."""
        self.left = Counter(DECK)
        self.theme = rng.choice((0, 0, *range(len(THEMES))))
        self.hoarder = rng.choice((None, None, rng.randrange(self.seats)))
        """The seat that gets all jokers that have room."""
        self.seven_pairs = rng.random() < 0.4
        self.lay_down = rng.random() < 0.4
        self.dealer = rng.randrange(self.seats)
        self.options: Options = {}
        self.keys: Table = {}

    def is_dealt(self) -> bool:
        """Deals, and says whether play can have led there."""
        counts = [self.rng.choice((0, 0, 0, 1, 2, 3, 4, 4)) for _ in range(self.seats)]
        if self.hoarder is not None:
            counts[self.hoarder] = self.rng.randint(0, 2)
            self.left[JOKER] = 0
        self.melds = [[self._meld() for _ in range(count)] for count in counts]
        self.from_hand = [[self._is_laid() for _ in melds] for melds in self.melds]
        if not self._source() or not self._turns():
            return False
        if self.hoarder is not None:
            self.left[JOKER] = 6
        self._offer()
        order = self.rng.sample(range(self.seats), self.seats)
        order.sort(key=lambda seat: seat != self.hoarder)
        hands = {seat: self._hand(seat) for seat in order}
        self.hands = [hands[seat] for seat in range(self.seats)]
        self._rest()
        self._game()
        return self._claims()

    # ---- Cards ----------------------------------------------------------------------------------

    def _take(self, cards: Counter[int]) -> bool:
        """Takes these cards if all of them are left."""
        fits = cards <= self.left
        if fits:
            self.left -= cards
        return fits

    def _any(self, count: int) -> list[int]:
        """So many cards of those that are left, but no flowers."""
        cards = [card for card in self.left.elements() if card != FLOWER]
        taken = self.rng.sample(cards, count)
        self.left -= Counter(taken)
        return taken

    def _meld(self) -> Meld:
        """A meld of the theme, or of any cards where those have run out."""
        for theme in (self.theme, self.theme, 0):
            for meld in self.rng.sample(patterns(theme), 10):
                if self._take(meld.needs()):
                    return meld
        return next(meld for meld in all_patterns() if self._take(meld.needs()))

    def _is_laid(self) -> bool:
        return self.lay_down and self.rng.random() < 0.5

    # ---- What has happened ----------------------------------------------------------------------

    def _source(self) -> bool:
        """Numbers of cards and flowers left in the source, and of dead cards."""
        most = len(DECK) - HAND * self.seats - FLOWERS - (self.begun != "offer")
        playable = self.rng.choice((0, 0, 1, 1, 2, 3, 9, self.rng.randint(0, most), most))
        laid = self.rng.choice((8, 8, 7, 6, 4, 0, self.rng.randint(0, 8)))
        self.playable, self.dead = playable, most - playable
        self.flowers = [0] * self.seats
        owners = self.rng.choice((range(self.seats), [self.rng.randrange(self.seats)]))
        for _ in range(laid):
            self.flowers[self.rng.choice(owners)] += 1
        return self.dead > 0 or self.begun != "offer"

    def _turns(self) -> bool:
        """The seats that made each discard and that took it, from the dealer on."""
        rng, by, dead = self.rng, self.dealer, self.dead - (self.begun == "offer")
        to_claim = [row.count(False) for row in self.from_hand]
        claimers = [seat for seat in range(self.seats) if to_claim[seat]]
        last = rng.choice(claimers) if self.begun == "claim" and claimers else None
        if last is not None:
            to_claim[last] -= 1
        elif self.begun == "claim":
            return False
        if self.begun == "draw" and dead:
            dead -= 1
        elif self.begun == "draw" and any(to_claim):
            return False
        self.turns: list[tuple[int, int | None]] = []
        while dead or any(to_claim):
            takers = [seat for seat in range(self.seats) if to_claim[seat] and seat != by]
            taker = None
            if takers and rng.random() < sum(to_claim) / (sum(to_claim) + dead):
                taker = rng.choice(takers)
                to_claim[taker] -= 1
            elif dead:
                dead -= 1
            else:
                return False
            self.turns.append((by, taker))
            by = (by + 1) % self.seats if taker is None else taker
        if last == by:
            return False
        if self.begun == "offer" or (self.begun == "draw" and self.dead) or last is not None:
            self.turns.append((by, last))
            if self.begun != "offer":
                by = (by + 1) % self.seats if last is None else last
        self.on_turn = by
        return all(self._can_have_laid(seat) for seat in range(self.seats))

    def _can_have_laid(self, seat: int) -> bool:
        """False for a first meld from the hand where its seat had no turn before a claim."""
        if not self.from_hand[seat] or not self.from_hand[seat][0]:
            return True
        first = next((turn for turn in self.turns if seat in turn), None)
        return first[0] == seat if first else seat == self.on_turn

    def _offer(self) -> None:
        """A card of the theme that many can claim, a joker, or any."""
        self.offer: int | None = None
        if self.begun == "offer":
            liked = [card for card in THEMES[self.theme] if self.left[card]]
            middle = [card for card in liked if number(card) in (3, 4, 5, 6, 7)]
            joker = [JOKER] * min(self.left[JOKER], 1)
            cards = self.rng.choice((middle, middle, liked, joker)) or liked or joker
            self.offer = self.rng.choice(cards) if cards else self._any(1)[0]
            self.left[self.offer] -= bool(cards)

    # ---- Hands ----------------------------------------------------------------------------------

    def _hand(self, seat: int) -> list[int]:
        """A hand that is complete, nearly so, or not at all; on offer, one that may claim."""
        rng = self.rng
        size = HAND - 3 * len(self.melds[seat]) + (seat == self.on_turn and self.begun != "offer")
        wanted: list[int] = []
        if seat == self.hoarder:
            wanted = [JOKER] * min(size, rng.choice((6, 6, 5)), self.left[JOKER])
            self.left[JOKER] -= len(wanted)
        shape = rng.choice(("melds", "melds", "melds", "apart", "pairs", "fours", "any"))
        wanted += self._shape(shape, seat)
        spare = len(wanted) - size
        lacking = max(spare, 0) + rng.choice((0, 0, 0, 1, 2))
        rng.shuffle(wanted)
        given_back = wanted[:lacking]
        self.left += Counter(given_back)
        hand = wanted[lacking:]
        return hand + self._any(size - len(hand))

    def _shape(self, shape: str, seat: int) -> list[int]:
        """Cards that are left of a complete hand, which may want the discard on offer."""
        melds = MELDS - len(self.melds[seat])
        if shape == "melds" or melds < MELDS:
            return self._melds(melds)
        if shape == "apart":
            return self._one_each(self._apart(), 14)
        if shape == "pairs":
            return self._copies(7, 2)
        return self._copies(3, 4) if shape == "fours" else []

    def _melds(self, count: int) -> list[int]:
        """So many melds, the first one perhaps with the card on offer, and a pair."""
        hand: list[int] = []
        for place in range(count):
            every = patterns(self.theme)
            offer = self.offer if place == 0 and self.rng.random() < 0.8 else None
            with_offer = patterns_with(self.theme, offer) if offer is not None else []
            for meld in self.rng.sample(with_offer or every, min(10, len(with_offer or every))):
                needs = meld.needs() - (Counter([offer]) if with_offer else Counter())
                if self._take(needs):
                    hand += needs.elements()
                    break
        return hand + self._copies(1, 2)

    def _copies(self, types: int, copies: int) -> list[int]:
        liked = [card for card in THEMES[self.theme] if self.left[card] >= copies]
        chosen = self.rng.sample(sorted(liked), min(types, len(liked)))
        taken = [card for card in chosen for _ in range(copies)]
        self.left -= Counter(taken)
        return taken

    def _apart(self) -> Iterator[int]:
        """Cards of which any two of a suit are three apart, those of the suits first."""
        for first in range(0, 27, 9):
            at = first + self.rng.randrange(3)
            while at < first + 9:
                yield at
                at += self.rng.choice((3, 3, 3, 4))
        yield from self.rng.sample(HONOURS, len(HONOURS))

    def _one_each(self, cards: Iterable[int], most: int) -> list[int]:
        chosen = [card for card in cards if self.left[card]]
        chosen = self.rng.sample(chosen, min(most, len(chosen)))
        self.left -= Counter(chosen)
        return chosen

    def _rest(self) -> None:
        """All other cards were discarded, or is in the source: flowers there come first, last, or
        anywhere."""
        rng = self.rng
        self.source = self._any(self.playable)
        flowers = [FLOWER] * (FLOWERS - sum(self.flowers))
        order = rng.choice((0, 1, 2))
        self.source = flowers + self.source if order else self.source + flowers
        if order == 2:
            rng.shuffle(self.source)
        self.discarded = self._any(self.dead - (self.offer is not None))
        self.discarded += [] if self.offer is None else [self.offer]

    # ---- Claims ---------------------------------------------------------------------------------

    def _claims(self) -> bool:
        """Seats that have answered, and the one asked, where one can claim the discard on offer."""
        if self.offer is None:
            return True
        referee = Referee(
            {
                "options": {"seven_pairs": self.seven_pairs, "num_players": self.seats},
                "offer": NAMES[self.offer],
                "hands": [_names(hand) for hand in self.hands],
                "melds": self.melds,
                "result": None,
            }
        )
        order = [(self.on_turn + step) % self.seats for step in range(1, self.seats)]
        able = [seat for seat in order if referee.claims(seat)]
        if not able:
            return False
        asked = self.rng.choice((0, len(able) - 1, self.rng.randrange(len(able))))
        answers = []
        for seat in able[:asked]:
            claims = sorted(referee.claims(seat))
            words = [*sorted({claim.split()[0] for claim in claims}), "pass"]
            word = self.rng.choice(words)
            fitting = [claim for claim in claims if claim.split()[0] == word] or ["pass"]
            answers.append({"seat": seat, "action": self.rng.choice(fitting)})
        self.keys |= {"phase": "claim", "seat": able[asked], "claims": answers}
        return True

    # ---- The game -------------------------------------------------------------------------------

    def _game(self) -> None:
        """A round alone, or the rounds before this one: the next declaration may end the game."""
        rng, has_chips = self.rng, self.seats <= CHIPS_SEATS
        by_chips = has_chips and rng.random() < 0.4
        target = rng.choice((0, 2, 6, 16, 100, 500, 500, 10**9 if rng.random() < 0.01 else 10**6))
        units = ["credits", "points", "win", *["chips"] * has_chips]
        self.options = {
            "num_players": self.seats,
            "lay_down": self.lay_down,
            "seven_pairs": self.seven_pairs,
            "scoring": "chips" if by_chips else "points",
            "target": target,
            "stake": rng.choice((1, 2, 7, 60, 500, 500_000_000)),
            "rounds": 0,
            "dealer": -1,
            "episode": rng.choice(("round", "game", "game", "game")),
            "reward": rng.choice(units),
        }
        played = 0
        if self.options["episode"] == "game" and rng.random() < 0.9:
            self.keys |= History(rng, self.options).keys()
            played = self.keys.get("round", 0)
        rounds = [played + 1, played + 1, played + 2, 1_000_000]
        rounds += [0] * (by_chips or target > 0)
        rounds += [-1] * (played < 100 if by_chips else target > 0)
        self.options["rounds"] = rng.choice(rounds)
        if rng.random() < 0.3:
            self.options["dealer"] = (self.dealer - played) % self.seats

    # ---- The table ------------------------------------------------------------------------------

    def table(self) -> Table:
        """The position as `Game.state_from_dict` takes it."""
        melds, claimed = self._laid()
        dead = iter(self.discarded)
        discards = [
            {"card": NAMES[next(dead if taker is None else claimed)], "by": by, "taken_by": taker}
            for by, taker in self.turns
        ]
        table: Table = {
            "phase": "turn",
            "dealer": self.dealer,
            "hands": [_names(hand) for hand in self.hands],
            "melds": melds,
            "flowers": self.flowers,
            "discards": discards,
            "source": _names(self.source),
            "random": f"{self.rng.getrandbits(64):016x}",
        }
        if self.begun == "draw":
            from_hand = zip(self.melds[self.on_turn], self.from_hand[self.on_turn], strict=True)
            laid = [card for meld, is_laid in from_hand if is_laid for card in meld.needs()]
            held = sorted({*self.hands[self.on_turn]})
            table["drawn"] = NAMES[self.rng.choice((*held, *laid))]
        if self.rng.random() < 0.1:
            table["events"] = self._events()
        return table | self.keys

    def _laid(self) -> tuple[list[list[Table]], Iterator[int]]:
        """The melds with whose discards they claimed, and these discards in their order."""
        claims = [(by, taker) for by, taker in self.turns if taker is not None]
        cards: dict[int, list[int]] = {seat: [] for seat in range(self.seats)}
        rows: list[list[Table]] = []
        for seat, (melds, from_hand) in enumerate(zip(self.melds, self.from_hand, strict=True)):
            sources = [by for by, taker in claims if taker == seat]
            rows.append([])
            for meld, is_laid in zip(melds, from_hand, strict=True):
                source = None if is_laid else sources.pop(0)
                rows[-1].append({"text": meld.text, "from": source})
                if not is_laid:
                    cards[seat].append(self.rng.choice(sorted(meld.needs())))
        return rows, (cards[taker].pop(0) for _, taker in claims)

    def _events(self) -> list[Table]:
        """As many events as a state holds, or nearly."""
        rng = self.rng
        return [
            {"seat": rng.randrange(self.seats), "event": "discard", "detail": rng.randint(1, 35)}
            for _ in range(rng.choice((31, 32, 33, 63, 64)))
        ]


def _names(cards: Iterable[int]) -> list[str]:
    return [NAMES[card] for card in cards]


# ---- The rounds before --------------------------------------------------------------------------

HANDS = [
    ("567s567s678s789s99s", "", 0),
    ("123s456pRRREE", "789m", 0),
    ("RRRGGJPPPEEE99p", "", 1),
    ("147s258p369mESWNR", "", 0),
    ("19s19p19mESWNRGPJ", "", 8),
    ("99sJ67m", "EEE 345m 4*56m", 2),
    ("J5p", "EEE* 345m 4*56m 111m", 0),
    ("123s678p444m567mWW", "", 0),
    ("345s345s345sJJJJJ", "", 8),
]
"""Hands that were declared in the round before: concealed cards, melds on the table, flowers."""


@cache
def declared(index: int, seven_pairs: bool) -> Best:
    """The worth of one of these hands."""
    cards, melds, flowers = HANDS[index]
    laid = tuple(map(parse_meld, melds.split()))
    best = Declared(Counter(parse_cards(cards)), laid, flowers).best(seven_pairs)
    assert best is not None
    return best


class History:
    """Rounds that the referee has paid, after which the game is not over."""

    def __init__(self, rng: Random, options: Options) -> None:
        self.rng, self.options = rng, options
        self.seats = range(options["num_players"])
        has_chips = len(self.seats) <= CHIPS_SEATS
        self.referee = Referee(
            {
                "options": options,
                "phase": "turn",
                "round": 0,
                "scores": [0 for _ in self.seats],
                "chips": [options["stake"] for _ in self.seats] if has_chips else None,
                "returns": [0.0 for _ in self.seats],
                "result": None,
            }
        )

    def keys(self) -> Table:
        """The keys of the game."""
        rng = self.rng
        if self.options["scoring"] == "chips":
            for _ in range(rng.choice((0, 1, 3, 12, 30))):
                self._declare(rng.choice(self.seats), self._payer(), self._credits())
        else:
            for seat in rng.sample(self.seats, rng.choice((1, 1, len(self.seats)))):
                self._bring_to_the_brink(seat)
        self.referee.table["round"] += rng.choice((0, 0, 1, 7, 30))
        result, table = self._last(), self.referee.table
        keys = {name: table[name] for name in ("round", "scores", "returns")}
        if table["chips"]:
            keys["chips"] = table["chips"]
        return keys | {"result": result}

    def _payer(self) -> int | None:
        return self.rng.choice((None, *self.seats))

    def _credits(self) -> int:
        return self.rng.choice((0, 1, 2, 3, 5, 8, 11, 41))

    def _declare(self, winner: int, payer: int | None, credits: int) -> bool:
        """A round more, unless it ends the game."""
        referee = self.referee
        before = {key: copy.copy(value) for key, value in referee.table.items()}
        referee.end_round(winner, None if payer == winner else payer, Best(credits))
        if referee.table["phase"] == "over":
            referee.table = before
            return False
        referee.table["round"] += 1
        return True

    def _bring_to_the_brink(self, seat: int) -> None:
        """Points for which the least hand wins, or the most that a score can be, or any."""
        target = self.options["target"]
        highest = self.rng.choice((2**31 - 4, 1022))
        most = (target - 1) // 2 if target else highest // 2
        left = 2 * self.rng.choice((most, most, self.rng.randint(0, most)))
        while left:
            credits, points = next(row for row in POINTS_TABLE if row[1] <= left)
            more = self.rng.choice((0, 0, 1, 2)) if credits in range(5, 39) else 0
            self._declare(seat, self._payer(), credits + more)
            left -= points
            if left > points and not any(self.referee.table["result"]["payments"] or ()):
                left -= self._repeat(seat, credits + more, points, left // points - 1)

    def _repeat(self, seat: int, credits: int, points: int, times: int) -> int:
        """So many declarations more, where none of them moves any chips; returns their points."""
        table, unit = self.referee.table, self.options["reward"]
        table["round"] += times
        table["scores"][seat] += times * points
        table["returns"][seat] += times * {"credits": credits, "points": points}.get(unit, 0)
        return times * points

    def _last(self) -> Table:
        """The round finished last: a wash, or one of the hands; its payments follow."""
        winner, payer = self.rng.choice(self.seats), self._payer()
        index = self.rng.randrange(len(HANDS))
        best = declared(index, self.options["seven_pairs"])
        if self.rng.random() < 0.3 or not self._declare(winner, payer, best.credits):
            self.referee.table["round"] += 1
            return {"winner": -1}
        cards, melds, flowers = HANDS[index]
        return {
            "winner": winner,
            "payer": -1 if payer in (None, winner) else payer,
            "hand": _names(parse_cards(cards)),
            "melds": melds.split(),
            "flowers": flowers,
            "payments": self.referee.table["result"]["payments"],
        }


# ---- What holds for every state -----------------------------------------------------------------


def check(state: mhing.State) -> None:
    """All that seats see, what is hidden, hints and the public numbers are the table's."""
    match = Match(state)
    assert match.referee.faults() == []
    check_seen(match)
    check_info(match)
    rng = Random(state.to_bytes())
    if not state.is_terminal and rng.random() < 0.01:
        game = mhing.Game("mhing", **{**state.game.options, "hints": True})
        check_hints(Match(game.state_from_dict({**state.to_dict(), "options": game.options})))
    seat = rng.choice(seats(state.game))
    world = Match(state.resample(seat, rng.getrandbits(64)))
    assert own_answers(world, seat) == own_answers(match, seat)
    assert world.referee.faults() == []
    world.legal()
    if not state.is_terminal:
        check_refused(match, rng)


def own_answers(match: Match, seat: int) -> list[Table]:
    """A seat's answer to the discard on offer."""
    return [claim for claim in match.table["claims"] if claim["seat"] == seat]
