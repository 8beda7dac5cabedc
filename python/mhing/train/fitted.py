"""Fitted afterstate values, for games with features: read from top to bottom.

A small net learns what a seat earns from what it leaves after a move (`State.afterstates`). The
seat then plays the move with the largest value; the core does that by itself.

- Rounds are played by the policies so far against the opponents. Each other seat of a round is one
  of these, drawn at random: "self" plays as the watched seat does. With "league", one of its own
  past versions or of the bots has all of them. Now and then the seat explores: it draws among the
  candidate moves, so that worse moves are known as worse.
- First targets are returns. Soon they are the net's own values of the seat's next row, which say
  less of luck: a net learns returns by heart before it has seen them twice, since all rows of a
  round share one, but it cannot learn by heart what it says itself. What follows a random move is
  left out, since the seat would not play it.
- The average of the weights so far plays, evaluates and is exported.
- Whole deals are held out to measure what is learned.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mhing._lib.nets import BY_NET, NET_FILE, NetMemory, bot_of_bytes, play_to_fit
from mhing.game import Game
from mhing.players.seating import SELF, Given, seat
from mhing.train.clock import Clock
from mhing.train.folder import write_whole
from mhing.train.layers import CoreLayers, FeatureRoom
from mhing.train.league import League, table
from mhing.train.learner import FEATURES, LEAGUE, Settings, bots, usual_teacher
from mhing.train.netfile import made_by, net_bytes
from mhing.train.pool import make_pool

SEES = (FEATURES,)

GROW = 3
"""Steps after which the present version joins a league, and again each time."""

AT_ONCE = 1000
"""Rounds that an actor plays at once, at most: it holds room for all rows that they might have."""

TEACHER, NEEDED = "expert", True


@dataclass(frozen=True)
class Tuning:
    """Settings that are rarely changed."""

    rounds: int = 20_000  # played by each step
    rows: int = 96  # kept of a round, at most
    keep: int = 8  # steps whose rounds are learned from
    epochs: int = 1  # of a step
    hidden: int = 64
    hidden2: int = 32
    minibatch: int = 1024
    learning_rate: float = 2e-3  # at the start, falling to 0
    decay: float = 1e-2  # of the weights
    average: float = 0.999  # what a minibatch leaves of the average of the weights before
    returns: float = 0.1  # part of the run in which targets are returns
    mix: float = 0.0  # weight of returns in the targets after that
    teacher_share: float = (
        0.1  # part of the run in which a bot plays for the net, and of rounds after that
    )
    explore: float = 0.15  # of the seat's decisions are at random
    held_out: int = 20  # one deal in so many is held out


# ---- Rows ------------------------------------------------------------------------------------


@dataclass
class WatchedAfterstates:
    """The afterstates of watched seats, round by round."""

    features: Tensor  # (n, features) float16, to save memory
    earned: Tensor  # (n,) from there to the end of the round
    follows: Tensor  # (n,) bool: the next row is the same seat's next one
    explored: Tensor  # (n,) bool: the seat's next move was drawn at random
    held_out: Tensor  # (n,) bool: of deals that are held out

    def __len__(self) -> int:
        return len(self.earned)


def join(parts: list[WatchedAfterstates], room: FeatureRoom | None = None) -> WatchedAfterstates:
    """All in one, with their features in a room."""
    if len(parts) == 1:
        return parts[0]
    names = [*WatchedAfterstates.__annotations__]
    features, *columns = ([getattr(part, name) for part in parts] for name in names)
    return WatchedAfterstates((room or FeatureRoom()).join(features), *map(torch.cat, columns))


class Source(NamedTuple):
    """All that the rounds of a step depend on: they can be played again from it."""

    first: int  # deal
    rounds: int
    teacher_share: float  # the share in which the teacher plays
    net: bytes
    members: tuple[str, ...] = ()  # of the league; a round meets one of them in all other seats
    chances: tuple[float, ...] = ()  # for each


class Rounds(NamedTuple):
    """Rounds to be played; they are the same no matter which actor plays them."""

    seeds: NDArray[np.uint64]
    opponents: NDArray[np.int64]  # (rounds, seats) which one of them, for each seat
    watched: NDArray[np.int32]  # the seat that is learned from
    by_teacher: NDArray[np.bool_]  # the teacher plays there, not the net


def share_out(rounds: Rounds, count: int) -> list[Rounds]:
    """The rounds in as many parts."""
    columns = [np.array_split(column, count) for column in rounds]
    return [part for part in map(Rounds, *columns) if len(part.seeds)]


class FittedActor:
    """Plays rounds, in the process of the learner or elsewhere."""

    def __init__(self, game: Game, settings: Settings, tuning: Tuning) -> None:
        self.game, self.tuning, self.threads = game, tuning, settings.threads
        self.teacher = game.bot_index(settings.teacher or usual_teacher("fitted", game))
        self.opponents = [_bot_of_the_core(game, name) for name in opponents_of(settings, game)]
        self.skipped = game.feature_places(settings.skip)

    def play(
        self, rounds: Rounds, net: bytes, past: dict[str, bytes], members: tuple[str, ...]
    ) -> tuple[WatchedAfterstates, NDArray[np.float64]]:
        """Rows of some rounds; and (rounds, 2) what the watched seat earned, and the mean of the
        others.

        Args:
            rounds: which ones.
            net: the learner's.
            past: nets of past versions among the `members`, by name.
            members: of the league, if there is one.
        """
        places, game = np.arange(len(rounds.seeds)), self.game
        numbers = [self.member(name, past) for name in members] or self.opponents
        own = np.where(rounds.by_teacher, self.teacher, BY_NET)
        players = np.array(numbers, np.int32)[rounds.opponents]
        players = np.where(players == BY_NET, own[:, None], players).astype(np.int32)
        players[places, rounds.watched] = own
        played = play_to_fit(
            game._handle, rounds.seeds, players, rounds.watched, self.tuning.explore,
            NetMemory(game._handle, net), self.tuning.rows, self.threads,
        )  # fmt: skip
        columns = np.arange(played.features.shape[1])
        mask = columns < played.used[:, None]
        follows = columns < played.used[:, None] - 1
        held = rounds.seeds % np.uint64(self.tuning.held_out) == 0
        features = played.features[mask].astype(np.float16)
        features[:, self.skipped] = 0
        rows = WatchedAfterstates(
            torch.from_numpy(features),
            torch.from_numpy(played.earned[mask].astype(np.float32)),
            torch.from_numpy(follows[mask]),
            torch.from_numpy(played.explored[mask].astype(bool)),
            torch.from_numpy(np.broadcast_to(held[:, None], mask.shape)[mask]),
        )
        earned = played.returns[places, rounds.watched]
        others = (played.returns.sum(1) - earned) / (game.num_seats - 1)
        return rows, np.stack([earned, others], 1)

    def member(self, name: str, past: dict[str, bytes]) -> int:
        """The number of a member of the league."""
        if name not in past:
            return self.game.bot_index(name)
        digest = sha256(past[name]).hexdigest()
        return bot_of_bytes(self.game._handle, f"{NET_FILE}{digest}", past[name])


# ---- Learning --------------------------------------------------------------------------------


class Fitted:
    """The learner; see :class:`mhing.train.learner.Learner`."""

    def __init__(self, game: Game, settings: Settings, tuning: Tuning) -> None:
        self.game, self.settings, self.tuning = game, settings, tuning
        own = FittedActor(game, settings, tuning)
        self.pool = make_pool(settings, own, tuning.rounds, FittedActor, game, settings, tuning)
        inputs = sum(feature.count for feature in game.features)
        self.generator = torch.Generator().manual_seed(settings.seed)
        with torch.random.fork_rng():
            torch.manual_seed(settings.seed)
            sizes = [inputs, tuning.hidden, tuning.hidden2, 1]
            self.net = CoreLayers(sizes, settings.threads).to(settings.device)
        self.average = deepcopy(self.net).requires_grad_(False)  # of its weights so far
        self.minibatches = 0
        self.optimizer = torch.optim.AdamW(
            self.net.parameters(), lr=tuning.learning_rate, weight_decay=tuning.decay, fused=True
        )
        self.folder = Path(mkdtemp(prefix="mhing-net-"))
        finalize(self, rmtree, self.folder, ignore_errors=True)
        self.league = League(game, self.seat, GROW) if LEAGUE in settings.opponents else None
        self.sources: list[Source] = []  # of the rounds that are learned from
        # Their rows; none after `restore`, until the next step.
        self.kept: list[WatchedAfterstates] = []
        self.room = FeatureRoom()
        self.clock = Clock()
        self.deals, self.done, self.begun = 0, 0.0, False
        self.mean, self.spread = 0.0, 1.0  # of what is earned: the net learns numbers of about 1
        if settings.teacher and settings.teacher.startswith(NET_FILE):
            self.begin_with(Path(settings.teacher.removeprefix(NET_FILE)).read_bytes())
        for net in (self.net, self.average):
            net.skip(own.skipped)

    def begin_with(self, data: bytes) -> None:
        """Start from the weights of a net.

        Raises:
            ValueError: it has other layers.
        """
        weights = torch.from_numpy(NetMemory(self.game._handle, data).weights())
        if weights.shape != self.net.weights.shape:
            raise ValueError("teacher: the net has other layers than are to be learned")
        with torch.no_grad():
            self.net.weights.copy_(weights)
        self.average.load_state_dict(self.net.state_dict())
        self.begun = True

    @torch.no_grad()
    def rescale(self) -> None:
        """Make the net output numbers of about 1 instead of what is earned."""
        for net in (self.net, self.average):
            *_, (weights, biases) = net.layers()
            weights.div_(self.spread)
            biases.sub_(self.mean).div_(self.spread)

    def set_progress(self, done: float) -> None:
        """Let the learning rate fall."""
        self.done = done
        for group in self.optimizer.param_groups:
            group["lr"] = self.tuning.learning_rate * max(1.0 - done, 0.02)

    def begin(self) -> None:
        """Call those who play."""
        self.pool.refresh()

    def step(self) -> dict[str, Any]:
        """Play some rounds, then learn once from all that are kept."""
        with self.clock.part("environment"):
            if not self.kept:
                self.kept = [self.play(source)[0] for source in self.sources]
            source = self.next_source(self.tuning.rounds)
            rows, earned = self.play(source)
        if not self.sources:
            self.mean = float(rows.earned.mean())
            self.spread = float(rows.earned.std()) or 1.0
            if self.begun:
                self.rescale()
        self.sources = [*self.sources, source][-self.tuning.keep :]
        self.kept = [*self.kept, rows][-self.tuning.keep :]
        pool = join(self.kept, self.room)
        losses = [self.fit(pool) for _ in range(self.tuning.epochs)]
        with self.clock.part("network"):
            held_out_loss = self.held_out_loss(pool)
        return {
            "steps": len(rows),
            "rounds": self.tuning.rounds,
            "return": float(earned[:, 0].mean()),
            "loss": losses[-1],
            "held_out_loss": held_out_loss,
            **self.pool.numbers(),
            **self.advance(source, earned),
        }

    def advance(self, source: Source, earned: NDArray[np.float64]) -> dict[str, Any]:
        """Tell the league what was earned, and let the learner join; returns what is known."""
        if self.league is None:
            return {}
        rounds = self.draw(source)
        for number, name in enumerate(source.members):
            some = earned[(rounds.opponents[:, 0] == number) & ~rounds.by_teacher]
            self.league.pool.record(name, some[:, 0], some[:, 1])
        found = table([self.league.pool.state()])
        met = [name for one in self.sources for name in one.members]
        self.league.advance(lambda: as_tensor(self.to_bytes()), met)
        return {"league": found}

    # ---- Playing

    def next_source(self, count: int) -> Source:
        """The source of the next rounds."""
        first, share = self.deals, self.tuning.teacher_share
        self.deals += count
        chances = self.league.pool.weights() if self.league else {}
        return Source(
            first, count, 1.0 if self.done < share else share, self.to_bytes(), (*chances,),
            (*chances.values(),),
        )  # fmt: skip

    def draw(self, source: Source) -> Rounds:
        """The rounds of a source."""
        count, seats = source.rounds, self.game.num_seats
        draw = np.random.default_rng((self.settings.seed, source.first))
        seeds = np.arange(source.first, source.first + count, dtype=np.uint64)
        watched = draw.integers(0, seats, count).astype(np.int32)
        if source.members:
            member = draw.choice(len(source.members), count, p=source.chances)
            opponents = np.repeat(member[:, None], seats, axis=1)
        else:
            opponents = draw.integers(0, len(self.settings.opponents) or 1, (count, seats))
        return Rounds(
            seeds=seeds + np.uint64(self.settings.seed << 32),
            opponents=opponents,
            watched=watched,
            by_teacher=draw.random(count) < source.teacher_share,
        )

    def play(self, source: Source) -> tuple[WatchedAfterstates, NDArray[np.float64]]:
        """Rows of the rounds of a source; and (rounds, 2) what each watched seat earned, and the
        mean of the others.

        The rounds of an actor that is lost are played by the others.
        """
        self.begin()
        pieces = max(len(self.pool.workers), -(-source.rounds // AT_ONCE))
        parts, played = share_out(self.draw(source), pieces), []
        while parts:
            self.begin()
            net, past = self.pool.put(source.net), self.pool.put(self.past(source))
            found = self.pool.call("play", [(part, net, past, source.members) for part in parts])
            played += [(parts[place].seeds[0], *result) for place, result in found.items()]
            parts = [part for place, part in enumerate(parts) if place not in found]
        _, rows, earned = zip(*sorted(played, key=itemgetter(0)), strict=True)
        return join([*rows]), np.concatenate(earned)

    def past(self, source: Source) -> dict[str, bytes]:
        """The nets of past versions that a source's rounds may meet, by name."""
        past = self.league.past if self.league else {}
        return {name: as_bytes(past[name]) for name in source.members if name in past}

    # ---- Fitting

    def targets(self, rows: WatchedAfterstates) -> Tensor:
        """Return the target of each row."""
        targets = rows.earned.clone()
        if self.done >= self.tuning.returns:
            values = self.values(rows)
            earlier = rows.follows.nonzero()[:, 0]
            # The earnings between the two rows are certain.
            between = rows.earned[earlier] - rows.earned[earlier + 1]
            expected = between + values[earlier + 1]
            targets[earlier] = self.tuning.mix * targets[earlier] + (1 - self.tuning.mix) * expected
        return targets

    @torch.no_grad()
    def values(self, rows: WatchedAfterstates) -> Tensor:
        """The values of all rows, by the average of the weights."""
        values: list[Tensor] = []
        for places in torch.split(torch.arange(len(rows)), 65536):
            values.append(self.judge(self.average, rows, places).cpu())
        return torch.cat(values).mul_(self.spread).add_(self.mean)

    def judge(self, net: CoreLayers, rows: WatchedAfterstates, places: Tensor) -> Tensor:
        """Values of some rows, by their places, in the memory of the learner's device."""
        features = rows.features
        if self.settings.device != "cpu":
            features, places = features[places], torch.arange(len(places))
        value: Tensor = net(features.to(self.settings.device), places.to(self.settings.device))
        return value

    def fit(self, rows: WatchedAfterstates) -> float:
        """One epoch; returns the mean squared error."""
        with self.clock.part("network"):
            targets = (self.targets(rows) - self.mean) / self.spread
        chosen = (~rows.held_out & ~rows.explored).nonzero()[:, 0]
        order = chosen[torch.randperm(len(chosen), generator=self.generator)]
        with self.clock.part("update"):
            parts = torch.split(order, self.tuning.minibatch)
            total = sum([self.update(rows, targets, part) for part in parts])
        return total / max(len(order), 1) * self.spread**2

    def update(self, rows: WatchedAfterstates, targets: Tensor, part: Tensor) -> float:
        """A step of the optimizer by some rows; returns the sum of their squared errors."""
        error = self.judge(self.net, rows, part) - targets[part].to(self.settings.device)
        loss = (error * error).mean()
        self.optimizer.zero_grad()
        torch.autograd.backward(loss)
        self.optimizer.step()
        self.update_average()
        return float(loss.detach()) * len(part)

    @torch.no_grad()
    def update_average(self) -> None:
        """Take the weights into their average, in which the first ones are soon forgotten."""
        self.minibatches += 1
        kept = min(self.tuning.average, self.minibatches / (self.minibatches + 10))
        self.average.weights.lerp_(self.net.weights, 1 - kept)

    def held_out_loss(self, rows: WatchedAfterstates) -> float:
        """The mean squared error of returns on deals that are held out."""
        chosen = (rows.held_out & ~rows.explored).nonzero()[:, 0]
        some = WatchedAfterstates(
            *(getattr(rows, name)[chosen] for name in WatchedAfterstates.__annotations__)
        )
        return float(((self.values(some) - some.earned) ** 2).mean())

    # ---- What comes of it

    def state(self) -> dict[str, Any]:
        """Return all that is needed to resume.

        That is not the rows, which take hundreds of MiB, but what they can be played from again,
        which takes as long as some steps.
        """
        return {
            "net": self.net.state_dict(),
            "average": self.average.state_dict(),
            "minibatches": self.minibatches,
            "optimizer": self.optimizer.state_dict(),
            "generator": self.generator.get_state(),
            "sources": [[*one[:3], as_tensor(one.net), *one[4:]] for one in self.sources],
            "league": self.league.state() if self.league else None,
            "deals": self.deals,
            "scale": [self.mean, self.spread],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned."""
        self.net.load_state_dict(state["net"])
        self.average.load_state_dict(state["average"])
        self.minibatches = state["minibatches"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])
        if self.league:
            self.league.restore(state["league"])
            self.league.settle()
        self.sources = [
            Source(first, count, share, as_bytes(net), *league)
            for first, count, share, net, *league in state["sources"]
        ]
        self.kept = []
        self.deals = state["deals"]
        self.mean, self.spread = state["scale"]

    def player(self) -> str:
        """Write the net to a file, which exists as long as the learner; return ``net:FILE``."""
        return self.seat(as_tensor(self.to_bytes()))

    def seat(self, net: Tensor) -> str:
        """The same for the bytes of any net."""
        data = as_bytes(net)
        path = self.folder / f"{sha256(data).hexdigest()}.net"
        path.write_bytes(data)
        return f"{NET_FILE}{path}"

    def rivals(self) -> dict[str, Given]:
        """The past versions in the league."""
        members = self.league.pool.members if self.league else {}
        return {name: one for name, one in members.items() if one.startswith(NET_FILE)}

    def export(self, folder: Path) -> list[Path]:
        """Write ``values.net``, which plays as ``net:FILE``."""
        path = folder / "values.net"
        write_whole(path, memoryview(self.to_bytes()))
        return [path]

    def to_bytes(self) -> bytes:
        """The net as a file of the core."""
        note = made_by(self.settings, self.game)
        return net_bytes(self.game, self.average, note, self.spread, self.mean)


def opponents_of(settings: Settings, game: Game) -> tuple[str, ...]:
    """The opponents by name; in a league its bots."""
    if LEAGUE in settings.opponents:
        return (*bots(game),)
    return settings.opponents or (game.default_bot,)


def as_tensor(data: bytes) -> Tensor:
    """Bytes as checkpoints hold them."""
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)


def as_bytes(data: Tensor) -> bytes:
    """The same back."""
    return data.numpy().tobytes()


def _bot_of_the_core(game: Game, name: str) -> int:
    """The number of an opponent, also of a net that a run has fitted; of the learner, BY_NET."""
    if name == SELF:
        return BY_NET
    plays = seat(name, game, "opponents").plays
    if not isinstance(plays, int):
        raise ValueError(
            f"opponents: fitted values are learned in the core, which cannot ask {name!r}; "
            "name a bot or net:FILE, or learn by ppo"
        )
    return plays


def make(game: Game, settings: Settings, tuning: Tuning) -> Fitted:
    """The learner.

    Raises:
        ValueError: the game has no features.
    """
    if not game.features:
        raise ValueError(f"method: {game.id} has no features, which fitted values need")
    return Fitted(game, settings, tuning)
