"""A pool of opponents: each episode meets one of its members, drawn by the seed of the episode.

>>> import gymnasium as gym
>>> import mhing
>>> pool = mhing.players.Pool(["greedy", "expert"], choose="beats_me")
>>> envs = gym.make_vec("mhing:Mhing-v0", num_envs=64, opponents=pool)
>>> observations, infos = envs.reset(seed=1)
>>> for _ in range(100):
...     _ = envs.step(envs.sample_actions())
>>> pool.add("random", name="past:1")
'past:1'
>>> {name: met.episodes > 20 for name, met in pool.report().items()}
{'greedy': True, 'expert': True, 'past:1': False}
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any, Protocol, TypeAlias
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike

from mhing.players import seating

LEAST = 0.05
"""The weight of a member that the learner beats most, where that of the strongest is about 1."""

_WIDTH = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Met:
    """The episodes against a member: means, and halves of the widths of 95 % intervals."""

    episodes: float
    """The number that counts: less than were played where the pool forgets."""
    reward: float
    """The learner's mean reward in an episode."""
    reward_interval: float
    """Infinite before the second episode."""
    theirs: float
    """The mean reward of the other seats."""
    theirs_interval: float
    difference: float
    """The first less the second."""
    difference_interval: float
    weight: float
    """The chance that the next episode meets the member, 0 to 1."""

    def to_dict(self) -> dict[str, float | None]:
        """Everything as plain data; None for an interval that is infinite."""
        return {
            name: value if math.isfinite(value) else None for name, value in asdict(self).items()
        }


Choose: TypeAlias = "str | Callable[[Mapping[str, Met]], Mapping[str, float]]"
"""The way to draw members: ``"uniform"``, ``"beats_me"``, or a function from what
:meth:`Pool.report` returns to the weight of each member."""


@dataclass(slots=True)
class _MemberSums:
    """Sums over a member's episodes: weights, weighted rewards of the learner, and differences."""

    count: float = 0.0
    squared: float = 0.0  # the sum of the squares of the weights
    reward: float = 0.0
    reward2: float = 0.0
    theirs: float = 0.0
    theirs2: float = 0.0
    difference: float = 0.0
    difference2: float = 0.0

    def add(self, own: Any, others: Any, kept: float) -> None:
        difference = own - others
        self.count = self.count * kept + len(own)
        self.squared = self.squared * kept * kept + len(own)
        self.reward = self.reward * kept + float(own.sum())
        self.reward2 = self.reward2 * kept + float((own * own).sum())
        self.theirs = self.theirs * kept + float(others.sum())
        self.theirs2 = self.theirs2 * kept + float((others * others).sum())
        self.difference = self.difference * kept + float(difference.sum())
        self.difference2 = self.difference2 * kept + float((difference * difference).sum())

    def mean(self, sum_: float, squares: float) -> tuple[float, float]:
        """The mean and its standard error."""
        if not self.count:
            return 0.0, math.inf
        mean, known = sum_ / self.count, self.count * self.count / self.squared  # as if so many
        if known <= 1.5:
            return mean, math.inf
        spread = max(0.0, squares / self.count - mean * mean) * known / (known - 1)
        return mean, math.sqrt(spread / known)


class PoolSeats(Protocol):
    """Seats of an environment whose opponents are drawn from a pool."""

    pool: Pool | None
    """The pool that they are drawn from now."""

    def admit(self, members: Mapping[str, Any]) -> None:
        """Raise where what the pool's members are to be could not play."""


class Pool:
    """Frozen players, one of which has all other seats of an episode.

    Give it to an environment as `opponents`. Which member an episode meets follows from the seed of
    the episode and the weights of the members at its beginning; episodes in play keep theirs.

    Args:
        players: the members, each as an environment takes `opponents`: a player, or a list with one
            for each other seat; in a mapping by name.
        choose: ``"uniform"``; ``"beats_me"``: the more a member earns than the learner, the more
            often it is met, and a new one as often as the strongest; or a function from
            :meth:`report` to weights by name, 0 or more, one of them above 0.
        memory: episodes against a member after which an older one counts half, for learners that
            change; None: all count the same.

    Raises:
        ValueError: there is no member, two have one name, or there is no such way to choose.
    """

    def __init__(
        self,
        players: Sequence[Any] | Mapping[str, Any],
        choose: Choose = "uniform",
        *,
        memory: float | None = None,
    ) -> None:
        self.version = 0
        """It grows with each change of members or weights."""
        self.choose = choose
        if memory is not None and not memory > 0:
            raise ValueError(f"memory: {memory!r} is not more than 0")
        if isinstance(players, str) or not isinstance(players, Sequence | Mapping):
            raise TypeError(f"players: {players!r} is neither a sequence of players nor a mapping")
        if not players:
            raise ValueError("players: a pool has one member at least")
        self.memory = memory
        self.seats: WeakSet[PoolSeats] = WeakSet()
        """Environments with members of it, which add themselves."""
        self._members: dict[str, Any] = {}
        self._sums: dict[str, _MemberSums] = {}
        named = (
            players.items() if isinstance(players, Mapping) else ((None, one) for one in players)
        )
        for name, player in named:
            self.add(player, name)

    def __repr__(self) -> str:
        """The members, with the chance that the next episode meets each unless a function says it.

        >>> Pool(["greedy", "random"])
        Pool({'greedy': 0.50, 'random': 0.50}, choose='uniform')
        """
        if callable(self.choose):
            members = ", ".join(map(repr, self._members))
        else:
            members = ", ".join(f"{name!r}: {share:.2f}" for name, share in self.weights().items())
        return f"Pool({{{members}}}, choose={self.choose!r})"

    @property
    def choose(self) -> Choose:
        """The way to draw members, which can be changed."""
        return self._choose

    @choose.setter
    def choose(self, choose: Choose) -> None:
        if not callable(choose) and choose not in ("uniform", "beats_me"):
            raise ValueError(f"choose: {choose!r} is neither 'uniform', 'beats_me' nor a function")
        self._choose = choose
        self.version += 1

    @property
    def members(self) -> dict[str, Any]:
        """The members by name, as they were given."""
        return dict(self._members)

    def add(self, player: Any, name: str | None = None) -> str:
        """Add a member; the episodes that begin from now on may meet it.

        Args:
            player: as in `players`.
            name: how :meth:`report` calls it; None: its own name, with a number if another has it.

        Returns:
            Its name.

        Raises:
            ValueError: another member has this name, or it cannot play in an environment that has
                the pool: no such player, a list of the wrong length, or a file that cannot be used.
            TypeError: it is neither text nor an object that plays, for such an environment.
            ModuleNotFoundError: an extra is missing, likewise.
        """
        if name in self._members:
            raise ValueError(f"name: another member of the pool is called {name!r}")
        own, number = name or called(player), 1
        while own in self._members:
            number += 1
            own = f"{called(player)} ({number})"
        for seats in [*self.seats]:
            if seats.pool is self:
                seats.admit({**self._members, own: player})
        self._members[own], self._sums[own] = player, _MemberSums()
        self.version += 1
        return own

    def remove(self, name: str) -> None:
        """Remove a member, which no further episode meets.

        Raises:
            ValueError: there is no such member, or no other one.
        """
        if name not in self._members:
            raise ValueError(f"name: {name!r} is none of {', '.join(self._members)}")
        if len(self._members) == 1:
            raise ValueError(f"name: {name!r} is the only member of the pool")
        del self._members[name], self._sums[name]
        self.version += 1

    def __getstate__(self) -> dict[str, Any]:
        """The state of copies and pickles, which no environment has yet."""
        return {name: value for name, value in vars(self).items() if name != "seats"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, seats=WeakSet())

    def record(self, name: str, rewards: ArrayLike, others: ArrayLike) -> None:
        """Count episodes against a member, which environments do by themselves.

        Args:
            name: of the member; nothing is counted for one that has been removed.
            rewards: (episodes,) what the learner earned in each.
            others: (episodes,) the mean of what the other seats earned.
        """
        own, theirs = np.asarray(rewards, np.float64), np.asarray(others, np.float64)
        if name in self._sums and len(own):
            kept = 1.0 if self.memory is None else 0.5 ** (len(own) / self.memory)
            self._sums[name].add(own, theirs, kept)
            self.version += self.choose != "uniform"

    def weights(self) -> dict[str, float]:
        """Return how likely the next episode meets each member; they add up to 1.

        Raises:
            ValueError: the function that chooses returned weights that cannot be used.
        """
        if callable(self.choose):
            weights = _checked(self.choose(self._report(self._even())), self._members)
        elif self.choose == "beats_me":
            weights = self._beating()
        else:
            weights = self._even()
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    def report(self) -> dict[str, Met]:
        """Return what is known of the episodes against each member, by name."""
        return self._report(self.weights())

    def state(self) -> dict[str, list[float]]:
        """Return what was counted of each member, for :meth:`count`."""
        return {
            name: [getattr(sums, field) for field in _MemberSums.__slots__]
            for name, sums in self._sums.items()
        }

    def count(self, state: Mapping[str, Sequence[float]]) -> None:
        """Count as well what another pool with members of these names has counted.

        Raises:
            KeyError: there is no such member.
            ValueError: another version has counted it.
        """
        for name, counted in state.items():
            if len(counted) != len(_MemberSums.__slots__):
                raise ValueError(f"state: another version has counted {name!r}")
            sums = self._sums[name]
            for field, value in zip(_MemberSums.__slots__, counted, strict=True):
                setattr(sums, field, getattr(sums, field) + value)
        self.version += 1

    def _even(self) -> dict[str, float]:
        return dict.fromkeys(self._members, 1 / len(self._members))

    def _report(self, weights: Mapping[str, float]) -> dict[str, Met]:
        found = {}
        for name, sums in self._sums.items():
            reward, error = sums.mean(sums.reward, sums.reward2)
            theirs, of_theirs = sums.mean(sums.theirs, sums.theirs2)
            difference, of_difference = sums.mean(sums.difference, sums.difference2)
            found[name] = Met(
                sums.count, reward, _WIDTH * error, theirs, _WIDTH * of_theirs, difference,
                _WIDTH * of_difference, weights[name],
            )  # fmt: skip
        return found

    def _beating(self) -> dict[str, float]:
        """The weight of each member: the less the learner earns beside it, the larger.

        Differences are taken relative to the spread of the members' own, so that they have no unit.
        Luck adds to that spread: where nothing is known of who is stronger, weights are alike.
        """
        found = {
            name: sums.mean(sums.difference, sums.difference2) for name, sums in self._sums.items()
        }
        known = {name: mean for name, (mean, error) in found.items() if math.isfinite(error)}
        if not known:
            return self._even()
        middle = sum(known.values()) / len(known)
        spread = sum((mean - middle) ** 2 for mean in known.values()) / len(known)
        luck = sum(found[name][1] ** 2 for name in known) / len(known)
        scale = math.sqrt(spread + luck)
        share = NormalDist().cdf
        weights = {
            name: LEAST + share((middle - mean) / scale if scale else 0.0) ** 2
            for name, mean in known.items()
        }
        most = max(weights.values())
        return {name: weights.get(name, most) for name in self._members}


def called(player: Any) -> str:
    """Return the name of a member that was given none."""
    if isinstance(player, Sequence) and not isinstance(player, str):
        return ",".join(map(called, player))
    return seating.called(player)


def _checked(weights: Any, members: Iterable[str]) -> dict[str, float]:
    """Weights that a function has returned, by name; members that it leaves out have 0."""
    names = list(members)
    if not isinstance(weights, Mapping):
        raise ValueError(f"choose: it returned {weights!r}; expected weights by name")
    if unknown := [name for name in weights if name not in names]:
        raise ValueError(f"choose: {unknown[0]!r} is none of {', '.join(names)}")
    found = {name: float(weights.get(name, 0.0)) for name in names}
    if any(not 0 <= weight < math.inf for weight in found.values()) or not sum(found.values()):
        raise ValueError(f"choose: weights {found}; expected 0 or more, and one above 0")
    return found
