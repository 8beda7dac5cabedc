"""Lineups: the opponents of each episode of a batch, the same in all or the members of a pool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mhing._lib.rows import CALLER, GUEST, LocalBatch
from mhing.batches import Batch
from mhing.game import Game
from mhing.players.player import Command, Player
from mhing.players.pool import Pool
from mhing.players.seating import SELF, Given, has_self, listed, one_per_seat, seat
from mhing.words import plural

if TYPE_CHECKING:
    from mhing.players.programs import SeatedPrograms

Opponents: TypeAlias = "Given | Sequence[Given] | Pool | None"
"""The players of the other seats: one for all, one for each clockwise from the learner's, a pool
for each episode; None: the default bot."""


@dataclass(slots=True)
class _Lineup:
    """Players of whole episodes, under the number that the batch gave them."""

    pool: Pool | None
    """The pool that hears how these episodes end."""
    name: str
    """The member of the pool; "" without one."""
    players: list[Player | None]
    """Clockwise from the caller; None: the caller. None at all: they were dropped."""


class Lineups:
    """Seats opponents in a batch; they may change from one episode to the next.

    Args:
        game: of the rows.
        opponents: who plays.
        rows: of the batch.
        seat: the caller's; None: drawn for each episode.
        also: other names than those of players that the caller takes, each with a comma.
        guests: True if policies and programs play in the batch as its guests; False: in the
            caller's seats.

    Raises:
        ValueError: no such player, a list of the wrong length, a file that cannot be used, or
            programs that would take too many processes.
        TypeError: an entry is neither text nor an object that plays.
        ModuleNotFoundError: an extra is missing.
    """

    def __init__(
        self,
        game: Game,
        opponents: Opponents,
        *,
        rows: int,
        seat: int | None,
        also: str = "",
        guests: bool,
    ) -> None:
        self._game, self._also, self._guests = game, also, guests
        self._rows, self._has_seat = rows, seat is not None
        self.guests: list[Player | None] = []
        """The policies and programs among the players; as guests of the batch in the order of
        their numbers. None: one who has gone, whose number the next one gets."""
        self.pool: Pool | None = None
        """The pool that members are drawn from, if there is one."""
        self._made: dict[Any, tuple[Any, Player | None]] = {}
        """The given objects, which keep their ids, and their players; by text or id."""
        self._batch: LocalBatch | None = None
        self._lineups: dict[tuple[Any, ...], int] = {}
        self._seated: list[_Lineup] = []
        self._leaving: set[int] = set()  # lineups that no further episode meets
        self._version = -1  # the version of the pool
        self.has_pools = False
        """True once episodes may meet members of a pool, which is to be told of them."""
        self.given: Opponents = opponents
        """The opponents as the caller gave them."""
        self._members = self._seat(opponents)
        self.first = self._numbers(next(iter(self._members)))
        """The players to make the batch with."""
        self._join()

    def bind(self, batch: Batch) -> None:
        """Seat the opponents in the batch that was made with :attr:`first`; a server's stay."""
        name = next(iter(self._members))
        if isinstance(batch, LocalBatch):
            self._batch = batch
            self._add(name, self.first)
            self.update()
        else:
            self._seated.append(_Lineup(self.pool, name, self._members[name]))

    def change(self, opponents: Opponents) -> None:
        """Seat others in the episodes that begin from now on; raise as at the beginning.

        Raises:
            NotImplementedError: the rows are on a server.
        """
        if self._batch is None:
            raise NotImplementedError("opponents: rows on a server keep theirs")
        before = (self.pool, self.given, self._members, self._made)
        self._made = {key: made for key, made in self._made.items() if not isinstance(key, str)}
        try:
            self.given, self._members = opponents, self._seat(opponents)
            self._weigh()
        except BaseException:
            self.pool, self.given, self._members, self._made = before
            raise
        self._version = -1
        self._join()

    def admit(self, members: Mapping[str, Any]) -> None:
        """Make the players of what the pool's members are to be; raise as at the beginning."""
        self._seat_members(members)

    def update(self) -> None:
        """Take in changes of the pool, and drop the players that nobody meets any more."""
        if self.pool is not None and self.pool.version != self._version:
            self._members = self._seat(self.pool)
            self._weigh()
            self._version = self.pool.version
        elif self._leaving:
            self._drop()

    def tell(self) -> None:
        """Tell pools how the episodes with their members ended in the last step of the batch.

        An episode belongs to the pool that its opponents were drawn from, also after a change.
        """
        if self.has_pools and self._batch is not None:
            lineups, returns = self._batch.ended()
            for number in np.unique(lineups).tolist():
                met, some = self._seated[number], returns[lineups == number]
                if met.pool is not None:
                    met.pool.record(met.name, some[:, 0], some[:, 1:].mean(1))

    def load(self, batch: Batch, row: int, snapshot: bytes) -> None:
        """Continue a row of the batch from a snapshot.

        Raises:
            ValueError: the bytes are no snapshot, or the opponents have gone; the row is as it was.
        """
        if not isinstance(batch, LocalBatch) or all(one.players for one in self._seated):
            batch.load_row(row, snapshot)
            return
        before = batch.save_row(row)
        batch.load_row(row, snapshot)
        met = self._seated[batch.lineup(row)]
        if not met.players:
            batch.load_row(row, before)
            raise ValueError(
                f"snapshot: its opponents{met.name and f', {met.name},'} have gone since: they are "
                "kept as long as an episode meets them"
            )

    def refuse_copy(self) -> None:
        """Raise TypeError if a copy could not be made with the same lineups."""
        now = [*(self._members if self.pool is None else self.pool.members)]
        if self._batch and [one.name for one in self._seated] != now[: len(self._seated)]:
            raise TypeError(
                "opponents: they were changed after the environment was made, so it cannot be "
                "copied or pickled; make another one with them"
            )

    @cached_property
    def programs(self) -> SeatedPrograms:
        """The programs in play."""
        from mhing.players.programs import SeatedPrograms  # noqa: PLC0415  only where one plays

        return SeatedPrograms()

    def begin(self, rows: Iterable[int]) -> None:
        """Take note that other episodes begin in these rows, whatever their seeds are."""
        if "programs" in vars(self):
            self.programs.begin(rows)

    def close(self) -> None:
        """End the programs; the pool may get members that cannot play here."""
        if self.pool is not None:
            self.pool.seats.discard(self)
        if "programs" in vars(self):
            self.programs.close()

    def member(self, row: int) -> str:
        """The member of the pool that a row's episode meets."""
        return "" if self._batch is None else self._seated[self._batch.lineup(row)].name

    def player(self, row: int, place: int) -> Player:
        """The player of a row's episode, so many seats clockwise from the caller's."""
        number = 0 if self._batch is None else self._batch.lineup(row)
        player = self._seated[number].players[place - 1]
        assert player is not None
        return player

    def _join(self) -> None:
        """Let the pool ask whether its new members can play here."""
        if self.pool is not None:
            self.has_pools = True
            self.pool.seats.add(self)

    def _seat(self, opponents: Opponents) -> dict[str, list[Player | None]]:
        """The players of each member; None: the caller."""
        self.pool = opponents if isinstance(opponents, Pool) else None
        if isinstance(opponents, Pool):
            return self._seat_members(opponents.members)
        players = self._players(opponents, "opponents", self._also)
        self._check_processes([players])
        return {"": players}

    def _seat_members(self, members: Mapping[str, Any]) -> dict[str, list[Player | None]]:
        """The players of a pool's members."""
        seated = {}
        for name, given in members.items():
            argument = f"opponents: the pool's member {name!r}"
            if has_self(given):
                raise ValueError(f"{argument}: a pool has frozen players, not {SELF!r}")
            seated[name] = self._players(given, argument)
        self._check_processes(seated.values())
        return seated

    def _check_processes(self, lineups: Iterable[list[Player | None]]) -> None:
        """Refuse programs that may come to need more processes than an environment can have."""
        places = {
            place
            for players in lineups
            for place, player in enumerate(players)
            if player and isinstance(player.plays, Command)
        }
        if not places:
            return
        from mhing.players.programs import MOST  # noqa: PLC0415  only where one plays

        seats = len(places) if self._has_seat else self._game.num_seats
        if self._rows * seats > MOST:
            drawn = "" if self._has_seat else ", since `seat` is drawn"
            most = MOST // seats
            raise ValueError(
                f"opponents: programs play at {plural(seats, 'seat')} in "
                f"{plural(self._rows, 'row')}{drawn}, each in a separate process; {MOST} are "
                f"allowed: make at most {most} (in training --tune rows={most}), or give programs "
                "fewer seats"
            )

    def _players(self, given: Any, argument: str, also: str = "") -> list[Player | None]:
        """The players of the other seats, each made once however often it is named."""
        if any(isinstance(one, Pool) for one in listed(given)):
            raise TypeError(
                f"{argument}: a pool stands for all other seats of an episode, not in a list; to "
                'mix seats, give lists to it, as in Pool([["greedy", "random"], ["random", "net"]])'
            )
        made = []
        for one in one_per_seat(self._game, given, argument):
            key = one if isinstance(one, str) else id(one)
            if key not in self._made:
                is_self = also and key == SELF
                player = None if is_self else self._player(one, argument, also)
                self._made[key] = one, player
            made.append(self._made[key][1])
        return made

    def _player(self, given: Given, argument: str, also: str) -> Player:
        return seat(given, self._game, argument, also=also, outside=(Command,))

    def _numbers(self, name: str) -> list[int]:
        """The numbers of a member's players in the batch, clockwise from the caller's seat."""
        return [CALLER, *map(self._number, self._members[name])]

    def _number(self, player: Player | None) -> int:
        if player is None:
            return CALLER
        if isinstance(player.plays, int):
            return player.plays
        if player not in self.guests:
            if None not in self.guests:
                self.guests.append(None)
            self.guests[self.guests.index(None)] = player
        return GUEST - self.guests.index(player) if self._guests else CALLER

    def _key(self, name: str) -> tuple[Any, ...]:
        """A member of a pool and who plays for it: bots by their numbers."""
        return (
            self.pool,
            name,
            *(
                one.plays if one is not None and isinstance(one.plays, int) else one
                for one in self._members[name]
            ),
        )

    def _add(self, name: str, numbers: list[int]) -> None:
        assert self._batch is not None
        self._lineups[self._key(name)] = self._batch.add_lineup(numbers) if self._seated else 0
        self._seated.append(_Lineup(self.pool, name, self._members[name]))

    def _weigh(self) -> None:
        """Seat members that are new, and set how likely each is."""
        assert self._batch is not None
        chances = {"": 1.0} if self.pool is None else self.pool.weights()
        lineups = {}
        for name in chances:
            if self._key(name) not in self._lineups:
                self._add(name, self._numbers(name))
            lineups[name] = self._lineups[self._key(name)]
        weights = np.zeros(len(self._seated), np.uint32)
        for name, chance in chances.items():
            weights[lineups[name]] = max(1, round(chance * (1 << 24))) if chance else 0
        self._batch.weigh_lineups(weights)
        played = {*lineups.values()}
        self._leaving = {
            number
            for number, one in enumerate(self._seated)
            if number not in played and self._takes_memory(one)
        }
        self._drop()

    def _drop(self) -> None:
        """Drop the players that no row meets, and no further episode."""
        assert self._batch is not None
        gone = {*self._leaving}
        for row in range(len(self._batch.actions)):
            gone.discard(self._batch.lineup(row))
            if not gone:
                return
        for number in gone:
            one = self._seated[number]
            players = [] if any(map(self._is_kept, one.players)) else one.players
            self._seated[number] = _Lineup(None, one.name, players)
        self._leaving -= gone
        self._lineups = {key: one for key, one in self._lineups.items() if one not in gone}
        seated = {player for one in self._seated for player in one.players}
        self.guests[:] = (player if player in seated else None for player in self.guests)
        self._made = {key: made for key, made in self._made.items() if made[1] in seated}

    def _takes_memory(self, one: _Lineup) -> bool:
        """True for players, or a pool, that only this keeps."""
        return one.pool not in (None, self.pool) or any(map(self._is_kept, one.players))

    @staticmethod
    def _is_kept(player: Player | None) -> bool:
        """True if a player takes memory outside the core."""
        return player is not None and not isinstance(player.plays, int)
