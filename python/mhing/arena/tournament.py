"""A tournament, from the players given to the result."""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mhing._lib.arguments import positive, seed64
from mhing._support.environments import make_game
from mhing._support.interrupts import each, held
from mhing._support.spelling import did_you_mean
from mhing.arena.asking import Terms, checked, seconds
from mhing.arena.deals import Deal, Dealer, Forfeit, Hopeless
from mhing.arena.figures import LOOK, Controlled, Figures
from mhing.arena.guests import Guests
from mhing.arena.latency import Times
from mhing.arena.log import PAIRED, SEED, Log, Sizes, open_log, seed_of
from mhing.arena.paired import ENOUGH, RAW, Pairing, pairing
from mhing.arena.ratings import Ratings
from mhing.arena.result import WINS, Interrupted, Mean, Pair, Result, Standing
from mhing.arena.schedule import Schedule
from mhing.arena.seeds import SMALL, Seeds
from mhing.game import DEFAULT_GAME, Game
from mhing.options import Options
from mhing.players import Command, Given, Guest, Player
from mhing.players.asking import CannotPlay
from mhing.players.player import START, WAIT
from mhing.players.seating import line_up

if TYPE_CHECKING:
    from typing_extensions import Unpack


DEALS = 1000
"""The deals of a tournament that is not given a number."""


def play(
    players: Sequence[Given] | Mapping[str, Given],
    game: Game | str = DEFAULT_GAME,
    *,
    field: Given | None = None,
    deals: int = DEALS,
    until_significant: bool = False,
    fresh_deals: bool = False,
    seed: int | None = None,
    first_seed: int | None = None,
    clock: float | None = None,
    start: float = START,
    retries: int = 0,
    jobs: int = 1,
    wait: float = WAIT,
    server_key: str | None = None,
    secret_key: str | None = None,
    ratings: bool = False,
    estimator: str = RAW,
    baseline: Given | None = None,
    play_outs: int | None = None,
    environment: Collection[str] = (),
    log: str | Path | None = None,
    num_threads: int = 1,
    progress: Callable[[int, Callable[[], Result]], None] | None = None,
    **options: Unpack[Options],
) -> Result:
    """Play a tournament in which every player has every seat of every deal once.

    A player is named or given as :mod:`mhing.players` says; programs play by lines of JSON as
    ``mhing connect`` lets them, and for guests of a server see :meth:`mhing.remote.Bot.wait`.
    ``NAME=`` before a text gives the player another name, of letters, digits, ``_``, ``.`` and
    ``-``.

    Args:
        players: in a sequence, or by name. They play at the same tables, each in as many seats as
            there are; more players than seats take turns. Who sits next to whom changes from deal
            to deal, see :class:`mhing.arena.schedule.Schedule`.
        game: its id, or the game.
        field: who plays all other seats; each player then sits alone among the field.
        deals: how many; each is played at as many tables as every player needs to have all seats.
        until_significant: ends before that when all differences between players are decided, by
            intervals that hold however often one looks.
        fresh_deals: gives each of these tables a separate deal, for players that could remember
            a deal. Differences are then between other cards, and their intervals wider.
        seed: 0 to 2**64 - 1, of which all deals are hashes, see :class:`mhing.arena.seeds.Seeds`.
            None: one that nobody can guess, or that of the log; the result has it.
        first_seed: instead of `seed`, the seed of the first deal; each further deal has the next
            number. Anybody can compute these deals, for reproduction.
        clock: seconds for a decision; None: 10, and more for a player that needs it, as it says by
            an attribute `clock`: ``chat:`` counts its retries. A player that needs longer, raises
            an exception or answers with what is no legal action forfeits the game, see
            :class:`mhing.arena.tables.Tables`.
            One that forfeits 10 games in a row ends the tournament: `stopped` of the result.
        start: seconds for the first answer of a program, from its start on, and of a callable, if
            that is longer than `clock`.
        retries: how often a player is asked again whose answer is illegal. It is told the reason
            and all legal actions: a program by a message ``refused``, a callable by
            ``info["refused"]``.
        jobs: tables at which programs play at once, each with separate processes, and threads in
            which callables are asked; those that are coroutines wait together in any case.
        wait: seconds in which guests must come, whenever a game needs them.
        server_key: the public key of a server that asks for keys.
        secret_key: your own secret key for it.
        environment: names of variables that programs get; of others they have `PATH` and `LANG`.
        estimator: of differences: ``"raw"``, by rewards alone, or ``"paired"``, by play-outs at
            decisions where players differ from a baseline, see :mod:`mhing.arena.paired`. Its
            result has both; with fewer than `mhing.arena.paired.ENOUGH` deals by rewards alone.
        baseline: the built-in bot that plays on in play-outs, for the paired estimator. None: the
            first player that is one and does not search; else the field, or the game's default.
        play_outs: pairs of play-outs for a decision; None: `mhing.arena.paired.PLAY_OUTS`.
        ratings: adds ratings by openskill (extra ``mhing[openskill]``), each deal a match of all.
        log: a file to which deals are written as they are played, and from which they are read if
            it exists: after a kill the tournament continues and has the same result. An object
            that plays needs an attribute `identity` for that, see :data:`mhing.players.Policy`.
        num_threads: for the games between built-in bots; results do not depend on it.
        progress: is called whenever deals are over, with the number of those that are done, and a
            function that returns the result so far; at first with those of the log.
        options: of the game, if `game` is an id.

    Raises:
        ValueError: an argument has a value that it cannot have, or the log is another tournament's.
        TypeError: an argument is of the wrong type.
        ModuleNotFoundError: an extra is missing.
        OSError: the log cannot be read or written.
        mhing.arena.Absent: a guest has not come, or its server does not answer. The deals before
            are in the log.
        mhing.arena.Interrupted: Ctrl-C; it has the result of the games that were over.

    >>> result = play(["greedy", "random"], "general_mhing", deals=200, seed=1)
    >>> result.difference("greedy", "random").value > 0
    True
    """
    game = _made(game, options)
    deals, threads = positive(deals, "deals"), positive(num_threads, "num_threads")
    seeds = _seeds(seed, first_seed, log)
    wait, terms = seconds(wait, "wait"), checked(clock, start, retries, jobs, environment)
    contestants, others = _named(game, players, field)
    paired = pairing(
        game, contestants, others[0] if others else None, estimator, baseline, play_outs
    )
    schedule = Schedule(len(contestants), game.num_seats, bool(others))
    everybody = [*contestants, *others]
    if any(isinstance(player.plays, Command | Guest) for player in everybody):
        _warn_of(seeds)
    tournament = _identity(game, contestants, others, seeds, fresh_deals, terms)
    if paired:
        tournament[PAIRED] = [paired.baseline.identity, paired.play_outs, paired.worlds]
    sizes = Sizes(
        len(contestants), len(others), game.num_seats, game._handle.sizes.tally, bool(paired)
    )
    interrupt = None
    with (
        held(),
        closing(Guests(game, everybody, wait, server_key, secret_key)) as guests,
        Dealer(
            game, everybody, schedule, seeds, fresh_deals, threads, terms, guests, paired
        ) as dealer,
        open_log(log, tournament, sizes) if log is not None else nullcontext() as logged,
    ):
        sums = _DealSums(game, len(everybody), schedule, ratings, paired)
        if logged is not None:
            logged.check_players(everybody)

        def so_far(stopped: str | None = None) -> Result:
            return _result(
                game, contestants, others, seeds, fresh_deals, until_significant, sums,
                dealer.times, stopped,
            )  # fmt: skip

        try:
            for some in _deals(dealer, logged, deals):
                decided = sums.add_some(some, until_significant)
                if progress:
                    progress(sums.figures.deals, so_far)
                if decided:
                    break
            result = so_far()
        except (KeyboardInterrupt, Hopeless, CannotPlay) as reason:
            for deal in dealer.cut_short():
                sums.add(deal)
            if isinstance(reason, CannotPlay) and not sums.figures.deals:
                raise
            interrupt = reason if isinstance(reason, KeyboardInterrupt) else None
            result = so_far("interrupted" if interrupt else str(reason))
    if interrupt:
        raise Interrupted(result) from interrupt
    return result


def _seeds(seed: int | None, first_seed: int | None, log: str | Path | None) -> Seeds:
    """The seeds that were given, those of a log, or such that nobody can guess."""
    if first_seed is not None:
        if seed is not None:
            raise ValueError("seed and first_seed: give one of them")
        return Seeds(None, seed64(first_seed))
    if seed is None and log is not None:
        seed = seed_of(log)
    return Seeds(seed64(seed), None)


def _warn_of(seeds: Seeds) -> None:
    """Say so where programs can find out the deals that they play."""
    if seeds.secret is None:
        words = "the deals are public, and programs play, who can know all cards: this is for"
        warnings.warn(f"{words} reproduction only", stacklevel=3)
    elif seeds.secret < SMALL:
        words = f"seed: {seeds.secret} can be guessed, and programs play: leave it out, and a large"
        warnings.warn(f"{words} one is drawn", stacklevel=3)


def _made(game: Game | str, options: Options) -> Game:
    """The game with its options, which a game that is made already has."""
    if not isinstance(game, Game):
        return make_game(game, options, play)
    if options:
        name = next(iter(options))
        meant = did_you_mean(name, signature(play).parameters)
        raise TypeError(f"{name}: the game is made already; give options to Game(){meant}")
    return game


def _named(
    game: Game, players: Sequence[Given] | Mapping[str, Given], field: Given | None
) -> tuple[list[Player], list[Player]]:
    """The players to be compared, and who has all other seats: one or nobody."""
    contestants = line_up(players, game, "players")
    others = [] if field is None else line_up([field], game, "field")
    if len(contestants) + len(others) < 2:
        raise ValueError(
            f"players: {len(contestants)} given; give at least 2, or 1 and a field for it"
        )
    return contestants, others


def _identity(
    game: Game,
    players: Sequence[Player],
    others: Sequence[Player],
    seeds: Seeds,
    fresh_deals: bool,
    terms: Terms,
) -> dict[str, Any]:
    """The head of a tournament's log."""
    return {
        "mhing arena": 3,
        "game": game.id,
        "rules_version": game.rules_version,
        "options": game.options,
        "players": [[player.name, player.identity] for player in players],
        "field": [player.identity for player in others],
        "first_seed": seeds.first,
        SEED: seeds.secret,
        "fresh_deals": fresh_deals,
        "clock": terms.clock,
        "start": terms.start,
        "retries": terms.retries,
    }


def _deals(dealer: Dealer, log: Log | None, count: int) -> Iterator[Iterable[Deal]]:
    """The deals in their order: those of the log, then others, which are written to it."""
    begin = min(len(log), count) if log is not None else 0
    if begin < count and not dealer.by_itself:
        begin -= begin % dealer.block
    yield map(log.deal, range(begin)) if log is not None else ()
    if log is not None and begin < count:
        log.begin(begin)
    while begin < count:
        end = min(begin - begin % dealer.block + dealer.block, count)
        for some in each(dealer.play(range(begin, end))):
            if log is not None:
                log.write(some)
            yield some
        begin = end


class _DealSums:
    """Sums over deals."""

    def __init__(
        self,
        game: Game,
        everybody: int,
        schedule: Schedule,
        ratings: bool,
        paired: Pairing | None,
    ) -> None:
        self.figures, self.paired = Figures(schedule.players), paired
        self.gains = Controlled(schedule.players) if paired else None
        self.schedule = schedule
        self.rated = Ratings(schedule.players) if ratings else None
        self.games = np.zeros(schedule.players, np.int64)
        self.rounds = np.zeros(schedule.players, np.int64)
        self.tally = np.zeros((schedule.players, game._handle.sizes.tally), np.int64)
        self.forfeits: list[list[Forfeit]] = [[] for _ in range(everybody)]
        self.illegal = Counter[int]()
        self.left_out = 0
        """Games of deals in which not every player had a seat that was played."""

    def add_some(self, deals: Iterable[Deal], until_decided: bool) -> bool:
        """Add deals, if so asked until all pairs are decided; return whether they are."""
        for deal in deals:
            self.add(deal)
            if until_decided and self.looks_decided():
                return True
        return False

    def add(self, deal: Deal) -> None:
        """Add a deal; one that was cut short counts by the games of it that were played."""
        if not deal.games.all() or (self.gains and not deal.estimates):
            self.left_out += self._tables(deal.games)
            return
        self.figures.add(_by_player(deal.rewards))
        if self.gains and deal.estimates:
            gains, luck = deal.estimates
            self.gains.add_controlled(
                _by_player(gains), (_by_player(gains - deal.rewards), _by_player(luck))
            )
        self.games += deal.games
        self.rounds += deal.rounds
        self.tally += deal.tally
        if self.rated:
            self.rated.add(np.nansum(deal.rewards, 1))
        for forfeit in deal.forfeits:
            self.forfeits[forfeit.player].append(forfeit)
        self.illegal.update(deal.illegal)

    @property
    def tables(self) -> int:
        """Games that count."""
        return self._tables(self.games)

    def _tables(self, games: NDArray[np.int64]) -> int:
        """Return the number of games, from those of each player."""
        return int(games.sum()) // (1 if self.schedule.field else self.schedule.seats)

    def looks_decided(self) -> bool:
        """Return whether results are looked at after so many deals, and all pairs are decided."""
        figures = self.gains or self.figures
        return figures.deals % LOOK == 0 and bool(figures.pairs) and bool(figures.decided().all())


def _by_player(rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rewards or gains of each player a game; seats are added in their order."""
    sums = np.zeros(len(rewards))
    for column in np.nan_to_num(rewards).T:
        sums += column
    means: NDArray[np.float64] = sums / np.isfinite(rewards).sum(1)
    return means


def _result(
    game: Game,
    players: Sequence[Player],
    others: Sequence[Player],
    seeds: Seeds,
    fresh_deals: bool,
    always: bool,
    sums: _DealSums,
    times: Sequence[Times],
    stopped: str | None,
) -> Result:
    figures, schedule = sums.figures, sums.schedule
    means = _means(figures, always)
    raw = means[len(players) :]
    gains = sums.gains if sums.gains and sums.gains.deals >= ENOUGH else None
    differences = _means(gains, always)[len(players) :] if gains else raw
    pairs = [
        Pair(
            players[first].name,
            players[second].name,
            mean,
            bool(abs(mean.value) > mean.interval),
            by_rewards,
        )
        for (first, second), mean, by_rewards in zip(figures.pairs, differences, raw, strict=True)
    ]
    return Result(
        game=game.id,
        options=game.options,
        seed=seeds.secret,
        first_seed=seeds.first,
        deals=figures.deals,
        games=sums.tables,
        tables=schedule.tables,
        fresh_deals=fresh_deals,
        seats=schedule.seats,
        seats_of_a_player=schedule.seats_of_a_player,
        field=others[0].name if others else None,
        unit=game.unit,
        always=always,
        paired=sums.paired,
        players=_standings(game, players, means, sums, times),
        pairs=pairs,
        forfeits_of_field=len(sums.forfeits[-1]) if others else 0,
        stopped=stopped,
        left_out=sums.left_out,
    )


def _means(figures: Figures, always: bool) -> list[Mean]:
    """The means of players, then of pairs."""
    widths = figures.intervals(always).tolist()
    return [*itertools.starmap(Mean, zip(figures.means.tolist(), widths, strict=True))]


def _standings(
    game: Game,
    players: Sequence[Player],
    means: Sequence[Mean],
    sums: _DealSums,
    times: Sequence[Times],
) -> list[Standing]:
    """Return the standing of each player."""
    names = [WINS, *(number.name for number in game.info_role("total"))]
    shown = names if game.info_role("winner") else names[1:]
    standings = []
    for number, player in enumerate(players):
        totals = dict(zip(names, sums.tally[number].tolist(), strict=True))
        forfeits = sums.forfeits[number]
        usage = getattr(player.plays, "usage", None)
        standings.append(
            Standing(
                player.name,
                means[number],
                int(sums.games[number]),
                int(sums.rounds[number]),
                {name: totals[name] for name in shown},
                len(forfeits),
                forfeits[0].reason if forfeits else None,
                sums.illegal[number],
                times[number].latency(),
                {**usage} if isinstance(usage, Mapping) else None,
                sums.rated.rating(number) if sums.rated else None,
            )
        )
    return standings
