"""PPO that learns to play Mhing on the native batch: one file, read from top to bottom.

    mhing train --minutes 30    learns against three greedy bots, then plays evaluation rounds
    python my_copy.py           the same by a copy of this file, with the Settings written there

It is masked PPO with four ideas; what they brought stands in benchmarks/README.md.

- The environment's hints (how far from complete an action leaves the hand, how many unseen cards
  help then) are added to the logits, so that learning starts close to greedy play.
- The three suits are alike: the network sees them sorted by the number of its cards.
- The critic, which playing does not need, also sees the other hands and the cards to be drawn.
- Some seven of the 341 actions are legal at a time; only their logits are computed.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mhing
from mhing.cli.common import Progress
from mhing.vector import CardGameVectorEnv

try:
    import torch
    from matplotlib.figure import Figure
    from torch import Tensor, nn
    from torch.nn.functional import one_hot
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error.name} is missing: pip install 'mhing[train]'") from error


@dataclass(frozen=True)
class Settings:
    """The settings of a run; those from `trust` on are tuned and rarely changed."""

    minutes: float = 30.0  # of learning; 0: none
    steps: int = 0  # to learn from, whatever time they take; 0: as many as the minutes allow
    opponents: str = "greedy"
    seed: int = 1
    threads: int = 1  # of torch and of the batch; more than there are free cores slow it down
    rounds: int = 40_000  # of each evaluation
    load: str | None = None  # file of weights to begin with
    save: str | None = None  # file for the weights
    curve: str | None = None  # file for a picture of the learning curve

    trust: float = 0.5  # in the hints at the start; 0: begin with knowing nothing
    rows: int = 1024
    horizon: int = 32  # steps of each row between two updates
    epochs: int = 2
    minibatch: int = 4096
    learning_rate: float = 5e-4  # at the start, falling to 0
    trace: float = 0.95  # lambda of GAE; nothing is discounted
    clip: float = 0.2
    entropy: float = 0.02  # weight of the bonus that keeps the policy trying things
    hidden: int = 256


def make_batch(settings: Settings, rows: int) -> CardGameVectorEnv:
    """Rows that each wait for one seat, with bots in the other three."""
    return CardGameVectorEnv(
        rows, opponents=settings.opponents, hints=True, num_threads=settings.threads,
        autoreset_mode="same_step", copy=False,
    )  # fmt: skip


# ---- What the network sees -------------------------------------------------------------------
#
# Bytes that count in 32nds. Card types and actions are numbered with the suits in their sorted
# order: under order k, action a is the environment's ACTION[k, a], and OURS is the way back.

SEATS, TYPES, PASS, MHING = 4, 35, 339, 340
ORDERS = list(itertools.permutations(range(3)))
TYPE = torch.tensor([[9 * k[i // 9] + i % 9 for i in range(27)] + [*range(27, 35)] for k in ORDERS])
ACTION = torch.tensor([
    types  # discards
    + [35 + 56 * order[i // 56] + i % 56 for i in range(168)]  # sequences
    + [203 + 4 * types[i // 4] + i % 4 for i in range(136)]  # triplets
    + [PASS, MHING]
    for order, types in zip(ORDERS, TYPE.tolist(), strict=True)
])  # fmt: skip
OURS = ACTION.argsort(dim=1)
MELD = torch.zeros(56, TYPES, dtype=torch.uint8)  # the cards that a kind of meld stands for
for place in range(21):
    MELD[1 + place, torch.arange(3) + 9 * (place // 7) + place % 7] = 1
MELD[22:] = 3 * torch.eye(34, TYPES)


class View(NamedTuple):
    """What is known of n rows, and of every action in them."""

    order: Tensor  # (n,) of the suits
    inputs: Tensor  # (n, inputs) uint8, for actor and critic
    hidden: Tensor  # (n, hidden) uint8, for the critic alone
    after: Tensor  # (n, 341) uint8: distance after an action, 255: it is illegal
    behind: Tensor  # (n, 341) uint8: useful cards less than after the best one at such a distance


def flags(values: Tensor, count: int) -> Tensor:
    """Whole numbers (n,) as (n, count) flags; the last one also stands for all above it."""
    return 32 * one_hot(values.long().clamp(max=count - 1), count).byte()


def look(envs: CardGameVectorEnv, observations: Any, all_cards: bool = False) -> View:
    """Sorts and encodes the observations of all rows; `all_cards`: the hidden ones too."""
    seen = {name: torch.from_numpy(part) for name, part in envs.unpack(observations).items()}
    laid = MELD[seen["meld_kind"].long()].sum(2, dtype=torch.uint8)  # by seat and type
    suits = (seen["hand"] + laid[:, 0])[:, :27].reshape(-1, 3, 9).sum(2)
    sizes, by_size = suits.sort(dim=1, descending=True, stable=True)
    order = 2 * by_size[:, 0] + (by_size[:, 1] > by_size[:, 2])
    types, actions = TYPE[order], ACTION[order]
    hand, unseen = seen["hand"].gather(1, types), seen["unseen"].gather(1, types)
    offer = flags(seen["offer"], 36)[:, 1:].gather(1, types)
    laid = laid.gather(2, types[:, None].expand(-1, SEATS, -1))

    # The farther from complete, the more cards help: they are compared at the same distance only.
    after, useful = (seen[hint].gather(1, actions) for hint in ("distance_after", "useful_after"))
    near, legal = after == after.amin(1, keepdim=True), after < 255
    most = useful.where(near, 0).amax(1, keepdim=True)
    most_of_others = useful.where(legal & ~near, 0).amax(1, keepdim=True)
    behind = (torch.where(near, most, most_of_others) - useful).where(legal, 0)

    distance, claim = seen["distance"], after[:, TYPES:PASS].amin(1)
    credits, flowers, kinds = seen["credits_now"], seen["flowers"], seen["meld_kind"]
    parts = [
        *(32 * (hand > number) for number in range(3)), 8 * unseen, offer, 4 * sizes,
        8 * laid[:, 0], 4 * laid[:, 1:].sum(1), 32 * near[:, :TYPES], useful[:, :TYPES],
        useful[:, PASS:], most, flags(seen["phase"], 4), flags(distance, 8),
        32 * torch.stack([claim < distance, claim == distance], 1), flags(flowers[:, 0], 6),
        flags(credits, 12), credits[:, None], seen["source_left"][:, None],
        *(flags((kinds[:, seat] > 0).sum(1), 5) for seat in range(1, SEATS)),
    ]  # fmt: skip
    inputs, hidden = torch.cat([part.byte() for part in parts], 1), torch.empty(0)
    if all_cards:
        hidden = torch.cat([8 * laid[:, 1:].flatten(1), *see_all_cards(envs, seen, types)], 1)
    return View(order, inputs, hidden, after, behind)


def see_all_cards(envs: CardGameVectorEnv, seen: dict[str, Tensor], types: Tensor) -> list[Tensor]:
    """The others' hands, their distances, and who is going to draw what."""
    parts = envs.game.unpack_omniscient(envs.omniscient())
    rows, others = np.arange(len(types))[:, None], np.arange(SEATS - 1)
    hands = parts["hands"][rows, (parts["to_act"][:, None] + others) % SEATS]  # to_act: seat + 1
    kinds = seen["meld_kind"][:, 1:].reshape(-1, 4).numpy()
    distances = mhing.distances(mhing.hands_array(hands.reshape(-1, TYPES), kinds))
    # Three laps of the table, if nobody claims: the sooner a card is drawn, the more it counts.
    source = torch.from_numpy(parts["source"][:, : 3 * SEATS]).long()
    drawers = (seen["on_turn"].long()[:, None] + torch.arange(3 * SEATS)) % SEATS
    weights = torch.tensor([32, 16, 8]).repeat_interleave(SEATS).expand(len(types), -1)
    draws = torch.zeros(len(types), SEATS * 37, dtype=torch.long)
    draws = draws.scatter_add(1, 37 * drawers + source, weights).reshape(-1, SEATS, 37)
    both = torch.cat([8 * torch.from_numpy(hands), draws[:, :, 1:36]], 1).byte()
    both = both.gather(2, types[:, None].expand(-1, both.shape[1], -1))
    return [both.flatten(1), flags(torch.from_numpy(distances), 6).reshape(len(types), -1)]


# ---- The network -----------------------------------------------------------------------------
#
# An action's logit comes from the actor's output of its SLOT (a discard, a kind of meld however
# its jokers lie, pass, MHING), less what its distance, the useful cards that it is behind, and
# its jokers cost. The actor changes these prices as it sees fit in each position.

SLOT, JOKERS = torch.tensor([
    [*range(35), *(35 + i // 8 for i in range(168)), *(56 + i // 4 for i in range(136)), 90, 91],
    [0] * 35 + [i.bit_count() for i in range(8)] * 21 + [0, 1, 2, 3] * 34 + [0, 0],
])  # fmt: skip
PRICES = torch.tensor([6.0, 0.8, 0.0, 6.0, 0.3, 2.0])  # of discards, then of all others


class Agent(nn.Module):
    """Actor and critic, apart from each other."""

    def __init__(self, view: View, settings: Settings) -> None:
        super().__init__()
        width, self.trust = settings.hidden, settings.trust
        inputs, hidden = view.inputs.shape[1], view.hidden.shape[1]
        self.head = nn.Linear(width, 92 + len(PRICES))
        self.actor = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.critic = nn.Sequential(
            nn.Linear(inputs + hidden, width), nn.ReLU(),
            nn.Linear(width, width // 2), nn.ReLU(), nn.Linear(width // 2, 1),
        )  # fmt: skip
        nn.init.uniform_(self.head.weight, -0.006, 0.006)  # at first the hints decide
        nn.init.zeros_(self.head.bias)

    def forward(self, view: View) -> tuple[Tensor, Tensor, Tensor]:
        """Rows, actions and log-probabilities of all legal actions, row after row."""
        out = self.head(self.actor(view.inputs / 32))
        rows, actions = (view.after < 255).nonzero(as_tuple=True)
        hints = (view.after[rows, actions], view.behind[rows, actions], JOKERS[actions])
        prices = (self.trust * PRICES + out[:, 92:]).reshape(-1, 2, 3)
        costs = (prices[rows, (actions >= TYPES).long()] * torch.stack(hints, 1)).sum(1)
        logits = out[rows, SLOT[actions]] - costs
        top = torch.full((len(out),), -math.inf).scatter_reduce(0, rows, logits.detach(), "amax")
        sums = torch.zeros(len(out)).index_add(0, rows, (logits - top[rows]).exp())
        return rows, actions, logits - (top + sums.log())[rows]

    def value(self, view: View) -> Tensor:
        """Credits that the seat to act may expect."""
        fours: Tensor = self.critic(torch.cat([view.inputs, view.hidden], 1) / 32)
        return 4 * fours[:, 0]

    def choose(
        self, envs: CardGameVectorEnv, view: View, sample: bool
    ) -> tuple[Any, Tensor, Tensor]:
        """Actions of all rows: the environment's ids, ours, and the log-probabilities of these."""
        rows, actions, logs = self(view)
        logits = torch.full((len(view.order), 341), -math.inf)
        logits[rows, ACTION[view.order[rows], actions]] = logs
        ids = envs.sample_actions(logits=logits.numpy()) if sample else logits.argmax(1).numpy()
        chosen = OURS[view.order, torch.from_numpy(ids).long()]
        return ids, chosen, logs[actions == chosen[rows]]


# ---- Learning --------------------------------------------------------------------------------


def gae(rewards: Tensor, ends: Tensor, values: Tensor, trace: float) -> Tensor:
    """Generalized advantage estimates (time, rows), undiscounted; `values` has one time more.

    `ends` is 1 where a step ended the episode: what follows is another one.
    """
    advantages, later = torch.zeros_like(rewards), torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        later = rewards[t] + (1 - ends[t]) * (values[t + 1] + trace * later) - values[t]
        advantages[t] = later
    return advantages


@torch.no_grad()
def roll_out(
    envs: CardGameVectorEnv, agent: Agent, horizon: int
) -> tuple[View, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Plays so many steps in all rows.

    The view's first axis is time and rows in one. Actions, their log-probabilities, rewards and
    ends are (time, rows); values, (time + 1, rows), also has what was expected after the last step.
    """
    views, steps = [look(envs, envs.observe()[0], all_cards=True)], []
    for _ in range(horizon):
        ids, chosen, logs = agent.choose(envs, views[-1], sample=True)
        _, credits, over, _, _ = envs.step(ids)
        steps.append((chosen, logs, torch.tensor(credits), torch.tensor(over).float()))
        views.append(look(envs, envs.observe()[0], all_cards=True))
    values = torch.stack([agent.value(view) for view in views])
    view = View(*map(torch.cat, zip(*views[:-1], strict=True)))
    chosen, logs, rewards, ends = map(torch.stack, zip(*steps, strict=True))
    return view, chosen, logs, rewards, ends, values


def update(
    settings: Settings, agent: Agent, optimizer: torch.optim.Optimizer, view: View, *played: Tensor
) -> None:
    """Learns from what was played: the clipped objective of PPO, the critic's squared error."""
    chosen, logs, advantages, returns = (tensor.flatten() for tensor in played)
    advantages = (advantages - advantages.mean()) / advantages.std()
    for _ in range(settings.epochs):
        for some in torch.split(torch.randperm(len(chosen)), settings.minibatch):
            part = View(*(tensor[some] for tensor in view))
            rows, actions, all_logs = agent(part)
            ratio = (all_logs[actions == chosen[some][rows]] - logs[some]).exp()
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            gain = torch.min(ratio * advantages[some], clipped * advantages[some]).mean()
            entropy = -(all_logs.exp() * all_logs).sum() / len(some)
            error = ((agent.value(part) - returns[some]) / 4).square().mean()
            optimizer.zero_grad()
            (error / 2 - gain - settings.entropy * entropy).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def begin(settings: Settings) -> tuple[CardGameVectorEnv, Agent]:
    """What learns and where; ValueError when the file of `load` holds nothing for it."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(min(settings.threads, os.cpu_count() or 1))
    weights = load(settings.load) if settings.load else None
    envs = make_batch(settings, settings.rows)
    observations, _ = envs.reset(seed=settings.seed)
    agent = Agent(look(envs, observations, all_cards=True), settings)
    if weights is not None:
        with errors_of(settings.load):
            agent.load_state_dict(weights)
    return envs, agent


def load(path: str) -> Any:
    """The weights in a file; ValueError when there are none."""
    with errors_of(path):
        return torch.load(path, weights_only=True)


@contextmanager
def errors_of(path: str | None) -> Iterator[None]:
    """Torch has many classes for what can be wrong with a file: they all become ValueError."""
    try:
        yield
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(f"load: {path!r} holds no such agent: {reason}") from error


def learn(settings: Settings, envs: CardGameVectorEnv, agent: Agent) -> list[dict[str, float]]:
    """Learns for the time, or the steps, that the settings give.

    Returns the learning curve, at most 60 points, each the mean of the rounds since the last one.
    """
    optimizer = torch.optim.Adam(agent.parameters(), eps=1e-5)
    curve: list[dict[str, float]] = []
    start, steps, done = time.monotonic(), 0, 0.0 if settings.steps or settings.minutes else 1.0
    rounds, credits = 0, 0.0
    with Progress(f"learning against three {settings.opponents} bots") as progress:
        while done < 1:
            optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - done)
            view, chosen, logs, rewards, ends, values = roll_out(envs, agent, settings.horizon)
            advantages = gae(rewards, ends, values, settings.trace)
            returns = advantages + values[:-1]
            update(settings, agent, optimizer, view, chosen, logs, advantages, returns)
            steps, minutes = steps + ends.numel(), (time.monotonic() - start) / 60
            rounds, credits = rounds + int(ends.sum()), credits + float(rewards.sum())
            done = steps / settings.steps if settings.steps else minutes / settings.minutes
            if 60 * done >= len(curve) + 1:
                mean = credits / max(1, rounds)
                curve.append(
                    {"minutes": minutes, "steps": steps, "credits": mean, "rounds": rounds}
                )
                rounds, credits = 0, 0.0
                progress.update(done, f"{steps / 1e6:.1f} M steps, {mean:.2f} credits")
    return curve


# ---- What came of it -------------------------------------------------------------------------

FRESH = 1 << 48  # first seed of the evaluations: no run learns from these deals


def evaluate(settings: Settings, agent: Agent | None, sample: bool = False) -> dict[str, float]:
    """What one seat earns in `rounds` rounds, of the same deals each time; no agent: greedy.

    Each row counts its first round alone: short rounds must not count more often than long ones.
    """
    credits = np.full(settings.rounds, np.nan)
    envs = make_batch(settings, min(settings.rounds, 4000))
    name = "greedy" if agent is None else "sampled actions" if sample else "likeliest actions"
    with Progress(f"evaluating, {name}") as progress, torch.no_grad():
        for first in range(0, settings.rounds, envs.num_envs):
            progress.update(first / settings.rounds)
            observations, _ = envs.reset(seed=FRESH + first)
            mine = credits[first : first + envs.num_envs]
            while np.isnan(mine).any():
                if agent is None:
                    states = map(envs.state, range(envs.num_envs))
                    ids = np.array([state.bot_action("greedy", 0)[0] for state in states])
                else:
                    ids, _, _ = agent.choose(envs, look(envs, observations), sample)
                observations, rewards, over, _, _ = envs.step(ids)
                ended = over[: len(mine)] & np.isnan(mine)
                mine[ended] = rewards[: len(mine)][ended]
    interval = 1.96 * credits.std(ddof=1) / math.sqrt(len(credits))
    return {"credits": credits.mean(), "interval": interval, "wins": (credits > 0).mean()}


def train(settings: Settings, envs: CardGameVectorEnv, agent: Agent) -> dict[str, Any]:
    """Learns, evaluates, and writes the files that are asked for; OSError where it cannot."""
    curve = learn(settings, envs, agent)
    if settings.save:
        weights = io.BytesIO()
        torch.save(agent.state_dict(), weights)
        Path(settings.save).write_bytes(weights.getvalue())
    results = {
        "likeliest actions": evaluate(settings, agent),
        "sampled actions": evaluate(settings, agent, sample=True),
        "greedy": evaluate(settings, None),
    }
    if settings.curve:
        draw(settings.curve, curve, results)
    return {"curve": curve, "results": results}


def draw(path: str, curve: list[dict[str, float]], results: dict[str, dict[str, float]]) -> None:
    """Writes the picture: credits a round over time, what the evaluations gave at its end."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    minutes = [point["minutes"] for point in curve]
    axes.plot(minutes, [point["credits"] for point in curve], label="while learning")
    for place, (name, seen) in enumerate(results.items()):
        x, label = max(minutes, default=0) * (1 + 0.02 * place), f"{name}, 95 % interval"
        axes.errorbar(x, seen["credits"], seen["interval"], fmt="o", capsize=3, label=label)
    axes.set(xlabel="minutes", ylabel="credits a round")
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)
    figure.savefig(path)


if __name__ == "__main__":
    print(train(Settings(), *begin(Settings())))
