"""Tables at which others than built-in bots play, asked about many at once where they can be."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from mhing.arena.asking import Asker, Forfeited, Terms
from mhing.arena.guests import Guests, Seated
from mhing.arena.programs import Programs
from mhing.arena.table import ArenaTable, GameOutcome, Match
from mhing.game import Game
from mhing.players.player import Command, Player
from mhing.remote.bridge import Program

_log = logging.getLogger(__name__)


class Tables:
    """Plays games among players of all kinds.

    A seat forfeits the game when its player raises an exception, answers with what is no legal
    action, or takes longer than the clock allows. The game's idle actions are played for it to the
    end, so that the others can finish. It earns what the seat that earned least did; its wins and
    totals are those of the idle seat.
    """

    def __init__(self, game: Game, players: Sequence[Player], terms: Terms, guests: Guests) -> None:
        self._game, self._terms, self._guests = game, terms, guests
        self._names = [player.name for player in players]
        self._plays = [player.plays for player in players]
        self._views = [player.view for player in players]
        self._reported: set[int] = set()
        self._with_programs = any(isinstance(plays, Command) for plays in self._plays)
        self.asks_rows = not self._with_programs and any(
            hasattr(plays, "choose_rows") for plays in self._plays
        )
        """True if a player is asked about many tables at once."""
        self._programs = Programs(game, players, terms.environment)
        self._asker = Asker(game, players, terms)
        self.times = self._asker.times
        """The time that each player's answers took."""
        self._begun = count()

    def close(self) -> None:
        """End the programs, and whoever waits for them."""
        self._programs.close()
        self._asker.close()

    def play(self, matches: Sequence[Match]) -> Iterator[tuple[Match, GameOutcome]]:
        """Play the games, none of the same deal, and yield each as soon as it is over.

        If programs take part, as many are played at once as there are jobs; otherwise all, or as
        many as there are guests for.
        """
        left, running = deque(matches), list[ArenaTable]()
        is_new = True
        while left or running:
            if is_new or not running:
                self._begin(left, running)
            is_new = False
            waiting = []
            for table in running:
                if table.advance():
                    waiting.append(table)
                else:
                    is_new = True
                    yield table.match, self._end(table)
            running = waiting
            self._ask_all(waiting)

    def _end(self, table: ArenaTable) -> GameOutcome:
        played = table.end()
        self._programs.free(table.programs)
        return played

    def _begin(self, left: deque[Match], running: list[ArenaTable]) -> None:
        """Open tables for games that are left."""
        most = self._terms.jobs if self._with_programs else len(left) + len(running)
        while left and len(running) < most:
            guests = self._guests.at(left[0].seating, wait=not running)
            if guests is None:
                return
            running.append(self._table(left.popleft(), guests))

    def _table(self, match: Match, guests: Mapping[int, Seated]) -> ArenaTable:
        names = [self._names[player] for player in match.seating]
        seats: dict[int, Program | Seated] = {**self._programs.at(match.seating), **guests}
        table = ArenaTable(self._game, match, self._plays, next(self._begun))
        if seats:
            table.admit(names, seats, self._terms.clock, self._terms.start)
        return table

    def _ask_all(self, tables: Sequence[ArenaTable]) -> None:
        """Have somebody act at each table.

        Secret questions come first, until all are answered: a table that fell behind the others by
        one would show it to those who play at several of them.
        """
        while secret := [table for table in tables if table.advance() and table.is_secret]:
            self._ask_each(secret)
        self._ask_each([table for table in tables if table.advance()])

    def _ask_each(self, tables: Sequence[ArenaTable]) -> None:
        """Have somebody act at each table."""
        for table, decided in zip(tables, self._asker.decide(tables), strict=True):
            if isinstance(decided, Forfeited):
                self._report(table.player, decided)
                table.forfeit(decided.reason)
            else:
                table.play(decided)

    def _report(self, player: int, lost: Forfeited) -> None:
        """Say at once why a player forfeits a game, the first time that it does."""
        if player not in self._reported:
            self._reported.add(player)
            name = self._names[player]
            _log.warning(
                "%s forfeits a game for the first time: %s", name, lost.reason, exc_info=lost.error
            )
