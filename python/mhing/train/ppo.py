"""Masked PPO on native batches, for any game: read from top to bottom.

A thousand games are played at once by the network; what it has played it learns from, and plays on.

- It begins by learning to do what a built-in bot would do in the positions that it gets into
  itself, which takes seconds. From then on it learns from what it earns.
- Where the game has features of what moves leave, the network evaluates moves by them. Elsewhere it
  sees observations, with hints where the game has them, and learns what they are worth.
- With "self" among the opponents it plays several seats, and learns from all of them. "league" is
  its own past and all bots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from mhing.game import Game
from mhing.players import Given
from mhing.train.afterstate_net import AfterstateNet
from mhing.train.categorical import MaskedCategorical
from mhing.train.clock import Clock
from mhing.train.export import export_onnx
from mhing.train.folder import write_whole
from mhing.train.gae import gae
from mhing.train.league import League, table
from mhing.train.learner import FEATURES, LEAGUE, OBSERVATION, Settings
from mhing.train.netfile import made_by
from mhing.train.observation_net import ObservationNet
from mhing.train.player import Logits, NetworkSeats
from mhing.train.pool import make_pool
from mhing.train.rows import Inputs, LearnerRows, together
from mhing.train.workers import Worker

SEES = (FEATURES, OBSERVATION)

TEACHER, NEEDED = "expert", False

GROW = 25
"""Iterations after which the present version joins a league, and again each time."""

LEAST_ROWS = 4
"""The fewest rows of an actor."""

WARM = 10
"""Iterations after which episodes of all lengths have ended, so that the critic knows its scale."""


@dataclass(frozen=True)
class Tuning:
    """Settings that are rarely changed."""

    rows: int = 1024
    horizon: int = 32  # steps of each row between two updates
    epochs: int = 2
    minibatch: int = 1024
    learning_rate: float = 2e-3  # at the start, falling to 0
    imitate: int = 3  # iterations in which it does as the teacher does
    gae_lambda: float = 0.95  # lambda of GAE; nothing is discounted
    clip: float = 0.2
    ent_coef: float = 0.01  # weight of the bonus that keeps the policy trying things
    imitation_ent_coef: float = 0.1  # the same while it imitates: a certain policy learns no more
    hidden: int = 256  # of a network that sees observations
    first: int = 64  # layers of one that sees features
    second: int = 32


class Rollout(NamedTuple):
    """The decisions of an iteration, step by step, each in all rows."""

    inputs: Inputs
    actions: Tensor
    log_probs: Tensor  # the log-probabilities of these
    teacher_actions: Tensor  # the teacher's actions; of no meaning where there is none
    known: Tensor  # bool: what came of it is known
    advantages: Tensor
    returns: Tensor

    def take(self, some: Tensor, device: str) -> Rollout:
        """The data of these decisions."""
        rest = [tensor.index_select(0, some).to(device) for tensor in self[1:]]
        return Rollout(self.inputs.take(some).to(device), *rest)

    @staticmethod
    def join(parts: Sequence[Rollout]) -> Rollout:
        """All in one."""
        if len(parts) == 1:
            return parts[0]
        inputs, *rest = zip(*parts, strict=True)
        return Rollout(inputs[0].join(inputs), *map(torch.cat, rest))


class Gathered(NamedTuple):
    """An actor's part of an iteration."""

    played: Rollout
    numbers: dict[str, float]  # for the log
    seconds: dict[str, float]  # by part
    league: dict[str, list[float]]  # what its pool has counted


# ---- Playing ---------------------------------------------------------------------------------


class PPOActor:
    """Plays: in the process of the learner with its network, or elsewhere with a copy of it."""

    def __init__(
        self,
        game: Game,
        settings: Settings,
        tuning: Tuning,
        net: ObservationNet | AfterstateNet | None = None,
    ) -> None:
        self.game, self.settings, self.tuning = game, settings, tuning
        self.device = settings.device if net is not None else "cpu"
        self.net = make_net(game, settings, tuning) if net is None else net
        self.rows: LearnerRows | None = None
        self.seats = NetworkSeats(game, settings)
        self.league = self._make_league()
        self.clock = Clock()
        self.number = self.count = 0

    def begin(self, number: int, count: int, saved: dict[str, Any] | None = None) -> None:
        """Play in `count` rows from now on; new games are those of this number.

        It continues the saved games or, if nothing is saved, its own: as many as it has rows for.
        With as many rows as at the time of saving, its state is the saved one.
        """
        if saved is None:
            if count == self.count:
                return
            saved = self.state() if self.rows is not None else None
        elif saved["count"] == count:
            number = saved["number"]
        self.number, self.count = number, count
        game, settings, seed = self.game, self.settings, self.settings.seed + (number << 16)
        if self.league and saved is not None:
            self.league.restore(saved["league"])
        opponents = settings.opponents or (game.default_bot,)
        self.rows = LearnerRows(
            game, self.league.pool if self.league else opponents, seed, count, settings.threads,
            settings.teacher, settings.inputs(game), settings.skip,
        )  # fmt: skip
        if saved is not None:
            self.rows.restore(saved["rows"])
            if self.league:
                self.league.settle()

    def gather(self, weights: dict[str, Tensor], with_teacher: bool) -> Gathered:
        """Play by these weights, as `roll_out` says."""
        assert self.rows is not None, "it has begun"
        self.net.load_state_dict(weights)
        played, numbers = self.roll_out(self.rows, with_teacher)
        if self.league is None:
            return Gathered(played, numbers, self.clock.take(), {})
        self.league.advance(self._copy_weights, self.rows.envs.members)
        return Gathered(played, numbers, self.clock.take(), self.league.pool.state())

    def past(self) -> dict[str, Any]:
        """The weights of past versions that its rows meet, by name."""
        return self.league.past if self.league else {}

    @torch.no_grad()
    def roll_out(self, rows: LearnerRows, with_teacher: bool) -> tuple[Rollout, dict[str, float]]:
        """Play `horizon` steps in all rows; `with_teacher`: ask the teacher as well."""
        played, steps, part = [], [], self.clock.part
        for _ in range(self.tuning.horizon):
            with part("observe"):
                inputs, seats = rows.observe()
            with part("network"):
                policy, values = self.evaluate(inputs)
                actions = rows.choose(policy.dense(self.game.num_actions))
                log_probs = policy.log_prob(actions)
            with part("teacher"):
                teacher_actions = rows.teacher_actions() if with_teacher else seats
            with part("environment"):
                came = rows.step(actions)
            played.append(inputs)
            steps.append((seats, values, actions, log_probs, teacher_actions, *came))
        seats, values, actions, log_probs, teacher_actions, earned, ends, last = map(
            torch.stack, zip(*steps, strict=True)
        )
        inputs, now = rows.observe()
        _, value = self.evaluate(inputs)
        seats, values = torch.cat([seats, now[None]]), torch.cat([values, value[None]])
        advantages, known = gae(seats, values, earned, ends, last, self.tuning.gae_lambda)
        rest = (actions, log_probs, teacher_actions, known, advantages, advantages + values[:-1])
        flat = (tensor.flatten(0, 1) for tensor in rest)
        return Rollout(rows.join(played), *flat), rows.numbers()

    def evaluate(self, inputs: Inputs) -> tuple[MaskedCategorical, Tensor]:
        """Return the network's policy and values."""
        policy, values = self.net(*inputs.to(self.device))
        return policy.cpu(), values.cpu()

    def state(self) -> dict[str, Any]:
        """All that its next steps depend on, but for the weights."""
        assert self.rows is not None, "it has begun"
        league = self.league.state() if self.league else None
        return {
            "number": self.number, "count": self.count, "rows": self.rows.state(),
            "league": league,
        }  # fmt: skip

    def _make_league(self) -> League | None:
        if LEAGUE not in self.settings.opponents:
            return None
        return League(self.game, lambda weights: self.seats.past(self.net, weights), GROW)

    def _copy_weights(self) -> dict[str, Tensor]:
        return {name: one.cpu().clone() for name, one in self.net.state_dict().items()}


# ---- Learning --------------------------------------------------------------------------------


class Ppo:
    """The learner; see :class:`mhing.train.learner.Learner`."""

    def __init__(self, game: Game, settings: Settings, tuning: Tuning) -> None:
        self.game, self.settings, self.tuning = game, settings, tuning
        self.generator = torch.Generator().manual_seed(settings.seed)
        with torch.random.fork_rng():
            torch.manual_seed(settings.seed)
            self.net = make_net(game, settings, tuning).to(settings.device)
        self.actor = PPOActor(game, settings, tuning, self.net)  # idle where others play
        most = max(1, tuning.rows // LEAST_ROWS)
        self.pool = make_pool(settings, self.actor, most, PPOActor, game, settings, tuning)
        self.actor.begin(0, tuning.rows // (settings.workers or 1))  # so bad settings are found now
        self.playing: list[Worker] = []  # the actors that have their rows
        self.numbers = 1  # of beginnings, so that no two play the same games
        self.resumed: list[dict[str, Any]] = []
        self.optimizer = torch.optim.Adam(self.net.parameters(), eps=1e-5, fused=True)
        self.done, self.iterations = 0.0, 0
        self.clock = Clock()

    def set_progress(self, done: float) -> None:
        """Set the share of the run that is done; the learning rate falls to 0 with it."""
        self.done = done

    def step(self) -> dict[str, Any]:
        """Play for a while, and learn from it."""
        imitate = self.settings.teacher is not None and self.iterations < self.tuning.imitate
        self.optimizer.param_groups[0]["lr"] = self.tuning.learning_rate * (1 - self.done)
        played, numbers, league = self.gather(imitate)
        if imitate or self.iterations < WARM:
            self.net.scale.fill_(float(played.returns[played.known].std().clamp(min=1e-3)))
        self.iterations += 1
        with self.clock.part("update"):
            means = self.update(played, imitate)
        return numbers | means | ({"league": table(league)} if any(league) else {})

    def gather(
        self, with_teacher: bool
    ) -> tuple[Rollout, dict[str, float], Sequence[dict[str, list[float]]]]:
        """Return what all actors have played, at least one of them, and what their pools count."""
        parts: dict[int, Gathered] = {}
        while not parts:
            self.begin()
            weights = self.pool.put(
                {name: one.cpu() for name, one in self.net.state_dict().items()}
            )
            parts = self.pool.call("gather", len(self.playing) * [(weights, with_teacher)])
        every, numbers, spent, league = zip(*parts.values(), strict=True)
        played = Rollout.join(every)
        self.clock.add_mean(spent)
        return (
            played,
            {
                "steps": float(played.known.sum()),
                **self.pool.numbers(),
                **together(numbers),
            },
            league,
        )

    def begin(self) -> None:
        """Share out the rows if the actors have changed.

        All actors together always have the same number of rows: what a step learns from does not
        depend on where it is played. So most games in play continue, and lost ones begin anew.
        """
        while True:
            self.pool.refresh()
            if not self.resumed and self.playing == self.pool.workers:
                return
            self.playing = [*self.pool.workers]
            count, more = divmod(self.tuning.rows, len(self.playing))
            saved = [*self.resumed, *len(self.playing) * [None]]
            given = [
                (self.numbers + place, count + (place < more), saved[place])
                for place in range(len(self.playing))
            ]
            self.numbers, self.resumed = self.numbers + len(given), []
            self.pool.call("begin", given)

    def update(self, played: Rollout, imitate: bool) -> dict[str, float]:
        """PPO's clipped objective, or the teacher's actions; and the critic's squared error."""
        tuning, scale = self.tuning, self.net.scale
        ent_coef = tuning.imitation_ent_coef if imitate else tuning.ent_coef
        known = played.known.nonzero()[:, 0]
        deviation, mean = torch.std_mean(played.advantages[known])
        sums, count = torch.zeros(4), 0
        for _ in range(tuning.epochs):
            for some in torch.split(
                known[torch.randperm(len(known), generator=self.generator)], tuning.minibatch
            ):
                part = played.take(some, self.settings.device)
                policy, values = self.net(*part.inputs)
                entropy = policy.entropy()
                if imitate:
                    gain = policy.log_prob(part.teacher_actions).mean()
                else:
                    ratio = (policy.log_prob(part.actions) - part.log_probs).exp()
                    advantages = (part.advantages - mean) / (deviation + 1e-8)
                    clipped = ratio.clamp(1 - tuning.clip, 1 + tuning.clip)
                    gain = torch.min(ratio * advantages, clipped * advantages).mean()
                error = ((values - part.returns) / scale).square().mean()
                loss = error / 2 - gain - ent_coef * entropy
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.optimizer.step()
                sums += torch.stack([loss, error, gain, entropy]).detach().cpu()
                count += 1
        names = ("loss", "critic_error", "gain", "entropy")
        means = (sums / max(1, count)).tolist()
        return {"imitates": float(imitate), **dict(zip(names, means, strict=True))}

    # ---- To resume, and to play -----------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that the next step depends on."""
        actors = self.pool.call("state", len(self.playing) * [()]) if self.playing else {}
        return {
            "net": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "generator": self.generator.get_state(),
            "iterations": self.iterations,
            "actors": [*actors.values()] or self.resumed,
            "numbers": self.numbers,
            "lost": self.pool.lost,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned, with the present number of actors.

        Raises:
            KeyError: a league was saved in an earlier form.
        """
        if self.actor.league:
            for actor in state["actors"]:
                _ = actor["league"]
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])
        self.iterations, self.numbers = state["iterations"], state["numbers"]
        self.resumed = state["actors"]
        self.pool.lost = state["lost"]

    def player(self) -> Given:
        """Its most likely actions."""
        return self.actor.seats.player(self.net)

    def rivals(self) -> dict[str, Given]:
        """The past versions that the first actor meets."""
        if self.playing:
            past = self.pool.call("past", [()]).get(0, {})
        else:
            past = next((one["league"]["past"] for one in self.resumed if one["league"]), {})
        seats = self.actor.seats
        return {name: seats.past(self.net, one) for name, one in past.items()}

    def export(self, folder: Path) -> list[Path]:
        """Write ``policy.onnx``, or ``policy.net``, which plays as ``net:FILE``."""
        if isinstance(self.net, ObservationNet):
            return [export_onnx(self.game, Logits(self.net), folder / "policy.onnx")]
        path = folder / "policy.net"
        write_whole(path, self.net.to_bytes(self.game, made_by(self.settings, self.game)))
        return [path]


def make_net(game: Game, settings: Settings, tuning: Tuning) -> ObservationNet | AfterstateNet:
    """The network for what the learner sees."""
    if settings.inputs(game) == OBSERVATION:
        return ObservationNet(game, tuning.hidden)
    hidden = tuning.first, tuning.second
    return AfterstateNet(game, hidden, settings.skip, settings.threads)


def make(game: Game, settings: Settings, tuning: Tuning) -> Ppo:
    """The learner of this method; ValueError where it cannot learn that."""
    return Ppo(game, settings, tuning)
