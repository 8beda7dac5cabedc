"""Fitted afterstate values, for games with features: read from top to bottom.

A small net learns what a seat earns from what it leaves after a move (`State.afterstates`). The
seat then plays the move with the largest value; the core does that by itself.

- Rounds are played by the policies so far against the opponents. Now and then the seat explores:
  it draws among the candidate moves, so that worse moves are known as worse.
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
from operator import itemgetter
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mhing._lib.nets import BY_NET, NET_FILE, NetMemory, play_to_fit
from mhing.game import Game
from mhing.players.seating import seat
from mhing.train.clock import Clock
from mhing.train.folder import write_whole
from mhing.train.learner import FEATURES, Settings, usual_teacher
from mhing.train.netfile import made_by, make_layers, net_bytes
from mhing.train.pool import make_pool

SEES = (FEATURES,)

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
class Rows:
    """The afterstates of watched seats, round by round."""

    features: Tensor  # (n, features) float16, to save memory
    earned: Tensor  # (n,) from there to the end of the round
    follows: Tensor  # (n,) bool: the next row is the same seat's next one
    explored: Tensor  # (n,) bool: the seat's next move was drawn at random
    held_out: Tensor  # (n,) bool: of deals that are held out

    def __len__(self) -> int:
        return len(self.earned)


def join(parts: list[Rows]) -> Rows:
    """All in one."""
    if len(parts) == 1:
        return parts[0]
    return Rows(
        *(torch.cat([getattr(part, name) for part in parts]) for name in Rows.__annotations__)
    )


class Source(NamedTuple):
    """All that the rounds of a step depend on: they can be played again from it."""

    first: int  # deal
    rounds: int
    teacher_share: float  # the share in which the teacher plays
    net: bytes


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


class Actor:
    """Plays rounds, in the process of the learner or elsewhere."""

    def __init__(self, game: Game, settings: Settings, tuning: Tuning) -> None:
        self.game, self.tuning, self.threads = game, tuning, settings.threads
        self.teacher = game.bot_index(settings.teacher or usual_teacher("fitted", game))
        opponents = settings.opponents or (game.default_bot,)
        numbers = [_bot_of_the_core(game, name) for name in opponents]
        self.opponents = np.array(numbers, np.int32)

    def play(self, rounds: Rounds, net: bytes) -> tuple[Rows, NDArray[np.float64]]:
        """Rows of some rounds, and what the watched seats earned in each."""
        places, game = np.arange(len(rounds.seeds)), self.game
        bots = self.opponents[rounds.opponents]
        bots[places, rounds.watched] = np.where(rounds.by_teacher, self.teacher, BY_NET)
        played = play_to_fit(
            game._handle, rounds.seeds, bots, rounds.watched, self.tuning.explore,
            NetMemory(game._handle, net), self.tuning.rows, self.threads,
        )  # fmt: skip
        columns = np.arange(played.features.shape[1])
        mask = columns < played.used[:, None]
        follows = columns < played.used[:, None] - 1
        held = rounds.seeds % np.uint64(self.tuning.held_out) == 0
        rows = Rows(
            torch.from_numpy(played.features[mask].astype(np.float16)),
            torch.from_numpy(played.earned[mask].astype(np.float32)),
            torch.from_numpy(follows[mask]),
            torch.from_numpy(played.explored[mask].astype(bool)),
            torch.from_numpy(np.broadcast_to(held[:, None], mask.shape)[mask]),
        )
        return rows, played.returns[places, rounds.watched]


# ---- Learning --------------------------------------------------------------------------------


class Fitted:
    """The learner; see :class:`mhing.train.learner.Learner`."""

    def __init__(self, game: Game, settings: Settings, tuning: Tuning) -> None:
        self.game, self.settings, self.tuning = game, settings, tuning
        own = Actor(game, settings, tuning)
        self.pool = make_pool(settings, own, tuning.rounds, Actor, game, settings, tuning)
        inputs = sum(feature.count for feature in game.features)
        self.sizes = [inputs, tuning.hidden, tuning.hidden2, 1]
        self.generator = torch.Generator().manual_seed(settings.seed)
        with torch.random.fork_rng():
            torch.manual_seed(settings.seed)
            self.net = make_layers(self.sizes).to(settings.device)
        self.average = deepcopy(self.net).requires_grad_(False)  # of its weights so far
        self.minibatches = 0
        self.optimizer = torch.optim.AdamW(
            self.net.parameters(), lr=tuning.learning_rate, weight_decay=tuning.decay
        )
        self.folder = Path(mkdtemp(prefix="mhing-net-"))
        finalize(self, rmtree, self.folder, ignore_errors=True)
        self.sources: list[Source] = []  # of the rounds that are learned from
        self.kept: list[Rows] = []  # their rows; none after `restore`, until the next step
        self.clock = Clock()
        self.deals, self.done, self.begun = 0, 0.0, False
        self.mean, self.spread = 0.0, 1.0  # of what is earned: the net learns numbers of about 1
        if settings.teacher and settings.teacher.startswith(NET_FILE):
            self.begin_with(Path(settings.teacher.removeprefix(NET_FILE)).read_bytes())

    def begin_with(self, data: bytes) -> None:
        """Start from the weights of a net.

        Raises:
            ValueError: it has other layers.
        """
        weights = torch.from_numpy(NetMemory(self.game._handle, data).weights())
        layers = [layer for layer in self.net if isinstance(layer, nn.Linear)]
        if len(weights) != sum(layer.weight.numel() + layer.bias.numel() for layer in layers):
            raise ValueError("teacher: the net has other layers than are to be learned")
        at = 0
        with torch.no_grad():
            for layer in layers:
                outputs, inputs = layer.weight.shape
                layer.weight.copy_(weights[at : at + inputs * outputs].view(inputs, outputs).T)
                at += inputs * outputs
                layer.bias.copy_(weights[at : at + outputs])
                at += outputs
        self.average.load_state_dict(self.net.state_dict())
        self.begun = True

    @torch.no_grad()
    def rescale(self) -> None:
        """Make the net output numbers of about 1 instead of what is earned."""
        for last in (self.net[-1], self.average[-1]):
            assert isinstance(last, nn.Linear)
            last.weight.div_(self.spread)
            last.bias.sub_(self.mean).div_(self.spread)

    def set_progress(self, done: float) -> None:
        """Let the learning rate fall."""
        self.done = done
        for group in self.optimizer.param_groups:
            group["lr"] = self.tuning.learning_rate * max(1.0 - done, 0.02)

    def begin(self) -> None:
        """Call those who play."""
        self.pool.refresh()

    def step(self) -> dict[str, float]:
        """Play some rounds, then learn once from all that are kept."""
        with self.clock.part("environment"):
            if not self.kept:
                self.kept = [self.play(source)[0] for source in self.sources]
            source = self.next_source(self.tuning.rounds)
            rows, returned = self.play(source)
        if not self.sources:
            self.mean = float(rows.earned.mean())
            self.spread = float(rows.earned.std()) or 1.0
            if self.begun:
                self.rescale()
        self.sources = [*self.sources, source][-self.tuning.keep :]
        self.kept = [*self.kept, rows][-self.tuning.keep :]
        pool = join(self.kept)
        losses = [self.fit(pool) for _ in range(self.tuning.epochs)]
        with self.clock.part("network"):
            held_out_loss = self.held_out_loss(pool)
        return {
            "steps": len(rows),
            "rounds": self.tuning.rounds,
            "return": returned,
            "loss": losses[-1],
            "held_out_loss": held_out_loss,
            **self.pool.numbers(),
        }

    # ---- Playing

    def next_source(self, count: int) -> Source:
        """The source of the next rounds."""
        first, share = self.deals, self.tuning.teacher_share
        self.deals += count
        return Source(first, count, 1.0 if self.done < share else share, self.to_bytes())

    def draw(self, source: Source) -> Rounds:
        """The rounds of a source."""
        count, seats = source.rounds, self.game.num_seats
        draw = np.random.default_rng((self.settings.seed, source.first))
        seeds = np.arange(source.first, source.first + count, dtype=np.uint64)
        return Rounds(
            seeds=seeds + np.uint64(self.settings.seed << 32),
            watched=draw.integers(0, seats, count).astype(np.int32),
            opponents=draw.integers(0, len(self.settings.opponents) or 1, (count, seats)),
            by_teacher=draw.random(count) < source.teacher_share,
        )

    def play(self, source: Source) -> tuple[Rows, float]:
        """Rows of the rounds of a source, and what the watched seats earned on average.

        The rounds of an actor that is lost are played by the others.
        """
        self.begin()
        pieces = max(len(self.pool.workers), -(-source.rounds // AT_ONCE))
        parts, played = share_out(self.draw(source), pieces), []
        while parts:
            self.begin()
            net = self.pool.put(source.net)
            found = self.pool.call("play", [(part, net) for part in parts])
            played += [(parts[place].seeds[0], *result) for place, result in found.items()]
            parts = [part for place, part in enumerate(parts) if place not in found]
        _, rows, returns = zip(*sorted(played, key=itemgetter(0)), strict=True)
        return join([*rows]), float(np.concatenate(returns).mean())

    # ---- Fitting

    def targets(self, rows: Rows) -> Tensor:
        """Return the target of each row."""
        targets = rows.earned.clone()
        if self.done >= self.tuning.returns:
            values = self.values(rows)
            earlier = rows.follows.nonzero()[:, 0]
            # What was earned between the two rows is certain.
            between = rows.earned[earlier] - rows.earned[earlier + 1]
            expected = between + values[earlier + 1]
            targets[earlier] = self.tuning.mix * targets[earlier] + (1 - self.tuning.mix) * expected
        return targets

    @torch.no_grad()
    def values(self, rows: Rows) -> Tensor:
        """The values of all rows, by the average of the weights."""
        parts = torch.split(rows.features, 65536)
        return (
            torch.cat(
                [self.average(part.to(self.settings.device).float())[:, 0].cpu() for part in parts]
            )
            .mul_(self.spread)
            .add_(self.mean)
        )

    def fit(self, rows: Rows) -> float:
        """One epoch; returns the mean squared error."""
        with self.clock.part("network"):
            targets = (self.targets(rows) - self.mean) / self.spread
        chosen = (~rows.held_out & ~rows.explored).nonzero()[:, 0]
        order = chosen[torch.randperm(len(chosen), generator=self.generator)]
        with self.clock.part("update"):
            parts = torch.split(order, self.tuning.minibatch)
            total = sum([self.update(rows, targets, part) for part in parts])
        return total / max(len(order), 1) * self.spread**2

    def update(self, rows: Rows, targets: Tensor, part: Tensor) -> float:
        """A step of the optimizer by some rows; returns the sum of their squared errors."""
        features = rows.features.index_select(0, part).to(self.settings.device).float()
        error = self.net(features)[:, 0] - targets[part].to(self.settings.device)
        loss = (error * error).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.update_average()
        return float(loss.detach()) * len(part)

    @torch.no_grad()
    def update_average(self) -> None:
        """Take the weights into their average, in which the first ones are soon forgotten."""
        self.minibatches += 1
        kept = min(self.tuning.average, self.minibatches / (self.minibatches + 10))
        for mean, now in zip(self.average.parameters(), self.net.parameters(), strict=True):
            mean.lerp_(now, 1 - kept)

    def held_out_loss(self, rows: Rows) -> float:
        """The mean squared error of returns on deals that are held out."""
        chosen = (rows.held_out & ~rows.explored).nonzero()[:, 0]
        some = Rows(*(getattr(rows, name)[chosen] for name in Rows.__annotations__))
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
            "sources": [
                [*source[:-1], torch.frombuffer(bytearray(source.net), dtype=torch.uint8)]
                for source in self.sources
            ],
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
        self.sources = [
            Source(first, count, share, net.numpy().tobytes())
            for first, count, share, net in state["sources"]
        ]
        self.kept = []
        self.deals = state["deals"]
        self.mean, self.spread = state["scale"]

    def player(self) -> str:
        """Write the net to a file, which exists as long as the learner; return ``net:FILE``."""
        path = self.folder / f"{self.deals}.net"
        path.write_bytes(self.to_bytes())
        return f"net:{path}"

    def export(self, folder: Path) -> list[Path]:
        """Write ``values.net``, which plays as ``net:FILE``."""
        path = folder / "values.net"
        write_whole(path, memoryview(self.to_bytes()))
        return [path]

    def to_bytes(self) -> bytes:
        """The net as a file of the core."""
        note = made_by(self.settings, self.game)
        return net_bytes(self.game, self.average, self.sizes, note, self.spread, self.mean)


def _bot_of_the_core(game: Game, name: str) -> int:
    """The number of an opponent, also of a net that a run has fitted."""
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
