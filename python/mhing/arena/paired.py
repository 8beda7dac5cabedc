"""Differences between players with the luck taken out: the estimator ``"paired"``.

Rewards are noisy: what a player earns depends on the cards far more than on how it plays. So this
estimator leaves out what does not come of a decision. One built-in bot is the *baseline*, which
stands for every player of the tournament. Of each game the core estimates two numbers by seat:

- *Gains.* At each decision that a player takes otherwise than the baseline would, pairs of games
  are played on from that very state: one after the player's action, one after the baseline's, with
  the baseline in the seats of all players, the field in the others, and the same cards to come in
  both. What the first brings more, added up over the player's game, is its gain over the baseline;
  two players differ by what their gains differ.
- *Luck.* After each decision of a player, what it may expect at its next one is compared with the
  mean of the same after other draws: the chance terms of AIVAT (Burch, Schmid, Moravcik, Morrill
  and Bowling: AIVAT, a new variance reduction technique for agent evaluation in imperfect
  information games, 2018). The judge is the net of the package, or where there is none the last bot
  that judges; without one, games are played on to the end. Luck is estimated where a player is no
  built-in bot, or searches: other bots would play many games in that time.

The estimate of a deal is the difference of the gains, less two control variates, each with a
coefficient: how much gains are above rewards, and luck. So where gains are noisier than rewards,
rewards less luck are what is left. It is unbiased, with any numbers of play-outs and draws:

1. By the performance-difference lemma the gains of a game are in expectation what all seats earn in
   it less what they would earn if the baseline played for the players (csrc/play/mh_paired.c).
2. In that other game all players are alike, and have every seat of a deal once. So they earn the
   same there in expectation, and the difference of two players' gains is that of their rewards.
   The first variate of two players has the mean 0.
3. Players choose without regard to the order of the cards that nobody knows. So all orders are
   alike after a choice, and the mean of luck is 0 for any judge and any players (same file).
4. Coefficients are those of least squares in the deals before, on which a deal does not depend.
5. This holds for every reward, and for games of several rounds: play-outs last to the end of the
   episode, and the estimate is of the same number as that by rewards. There is no cut by a value,
   which would be biased. A forfeit is part of the rewards, and what it costs is added as it is.

Players are asked along their games only, so they can be of any kind; the baseline and the field
play in play-outs, and must be built-in bots. How much narrower intervals become depends on how
often players differ from the baseline, and how long they think: see the page on the arena.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mhing._lib import episodes
from mhing._lib.arguments import one_of, positive
from mhing._lib.games import SEARCH
from mhing.arena.table import GameOutcome, Match
from mhing.game import Game
from mhing.players import Given, Player
from mhing.players.seating import OUTSIDE, seat

RAW, PAIRED = "raw", "paired"
ESTIMATORS = (RAW, PAIRED)

PLAY_OUTS = 32
"""Pairs for a decision, where nobody says how many."""

WORLDS = 8
"""Other draws for each decision of a player: luck is what exceeds their mean."""

ENOUGH = 20
"""Deals from which intervals of the estimator hold what they say: gains are rare and uneven, and
few deals may have none that matters. Below that, differences are by rewards."""


@dataclass(frozen=True)
class Pairing:
    """The settings of the estimator."""

    baseline: Player
    """The built-in bot that stands for every player."""
    play_outs: int
    """Pairs of them for each decision that a player takes otherwise."""
    worlds: int
    """Other draws for each decision of a player, by which its luck is estimated; 0: it is not."""

    def to_dict(self) -> dict[str, Any]:
        """Them as plain data."""
        return {
            "baseline": self.baseline.name,
            "play_outs": self.play_outs,
            "worlds": self.worlds,
        }


def pairing(
    game: Game,
    players: Sequence[Player],
    field: Player | None,
    estimator: str,
    baseline: Given | None,
    play_outs: int | None,
) -> Pairing | None:
    """The settings that were asked for; None: the estimator is ``"raw"``.

    The baseline is the first of the players that is a built-in bot and no search, which would take
    long in play-outs; else the field, if that is one; else the game's default bot.

    Raises:
        ValueError: there is no such estimator or bot, the field is no built-in bot, or settings
            are given that the raw estimator does not have.
        TypeError: the baseline is no player, or the number of play-outs is not a whole one.
    """
    one_of("estimator", estimator, [*ESTIMATORS])
    if estimator == RAW:
        for name, value in (("baseline", baseline), ("play_outs", play_outs)):
            if value is not None:
                raise ValueError(f"{name}: only with the estimator {PAIRED!r}")
        return None
    seated = players if field is None else [*players, field]
    fast = [one for one in seated if isinstance(one.plays, int) and not _searches(one)]
    if baseline is None:
        chosen = fast[0] if fast else seat(game.default_bot, game)
    else:
        chosen = seat(baseline, game, "baseline", outside=OUTSIDE)
    for argument, one in (("baseline", chosen), ("field", field)):
        if one is not None:
            check_plays_out(one, argument)
    is_slow = any(not isinstance(one.plays, int) or _searches(one) for one in players)
    pairs = PLAY_OUTS if play_outs is None else positive(play_outs, "play_outs")
    return Pairing(chosen, pairs, WORLDS if is_slow else 0)


def check_plays_out(player: Player, argument: str) -> None:
    """Raise ValueError, which names the argument, unless the player can play in play-outs."""
    if not isinstance(player.plays, int):
        raise ValueError(
            f"{argument}: {player.name} is no built-in bot, and play-outs are played by these "
            f"alone; take one, or the estimator {RAW!r}"
        )
    if _searches(player):
        raise ValueError(
            f"{argument}: {player.name} would search at every move of every play-out; take a bot "
            f"that does not search, or the estimator {RAW!r}"
        )


def _searches(player: Player) -> bool:
    return isinstance(player.given, str) and player.given.startswith(SEARCH)


class Estimates(NamedTuple):
    """Estimates of seats, as arrays of one shape; NaN: none of that seat."""

    gains: NDArray[np.float64]
    """Earnings beyond those of the game that the baseline would have played."""
    luck: NDArray[np.float64]
    """Earnings that the draws brought."""


class Estimator:
    """Compares games with what the baseline would have played in them.

    Args:
        players: those who are compared, then the field if there is one.
        compared: how many of them are compared.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        compared: int,
        settings: Pairing,
        threads: int,
    ) -> None:
        self._handle, self._settings, self._threads = game._handle, settings, threads
        baseline = settings.baseline.plays
        own = [player.plays if isinstance(player.plays, int) else -1 for player in players]
        self._bots = np.array([baseline] * compared + own[compared:], np.int32)
        self._is_player = np.arange(len(own)) < compared
        self._differs = self._is_player & (np.array(own) != baseline)

    def of(self, games: Sequence[Match], played: Sequence[GameOutcome]) -> Estimates:
        """(games, seats) estimates, of the players' seats alone."""
        seating = np.array([game.seating for game in games])
        found = episodes.paired(
            self._handle,
            episodes.Episodes.of_lengths(
                np.array([game.seed for game in games], np.uint64),
                np.array([len(one.actions) for one in played], np.int32),
                np.concatenate([np.asarray(one.actions, np.int32) for one in played]),
            ),
            self._bots[seating],
            self._differs[seating],
            self._is_player[seating],
            self._settings.play_outs,
            self._settings.worlds,
            self._threads,
        )
        forfeited = np.array([one.returns for one in played]) - found.totals
        return Estimates(found.gains + forfeited, found.luck)
