"""A network that evaluates afterstates, for games with features (`State.afterstates`).

The actor is a small net of the core's kind. An action's logit is the net's value of the best way in
which the action can continue; if the result of an action is certain, the logit is its value times a
price, which is learned as well. So the most likely action is the one that the core's own net bot
plays with these weights, divided by the price: it needs no PyTorch.

The critic has the same shape. It says what is earned from a position by what the most likely move
leaves there, since to judge what every move leaves would take eight times as long. It takes a value
that is certain as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from mhing.game import Game
from mhing.train.categorical import MaskedCategorical
from mhing.train.netfile import make_layers, net_bytes


class AfterstateInputs(NamedTuple):
    """The afterstates of some rows, row after row."""

    counts: Tensor  # (rows,) how many of the following each has
    actions: Tensor  # (n,)
    features: Tensor  # (n, features) float16, to save memory
    values: Tensor  # (n,) what the action brings where that is certain, else NaN

    def take(self, rows: Tensor) -> AfterstateInputs:
        """The inputs of these rows."""
        counts = self.counts[rows]
        before = (self.counts.cumsum(0) - self.counts)[rows] - (counts.cumsum(0) - counts)
        places = torch.arange(int(counts.sum())) + before.repeat_interleave(counts)
        # A row at a time: to index takes eleven times as long.
        return AfterstateInputs(counts, *(tensor.index_select(0, places) for tensor in self[1:]))


class AfterstateNet(nn.Module):
    """Actor and critic.

    Args:
        game: what is played; ValueError where it has no features.
        hidden: numbers of the two layers between features and value.
    """

    scale: Tensor  # of values: the deviation of returns

    def __init__(self, game: Game, hidden: tuple[int, int]) -> None:
        super().__init__()
        if not game.features:
            raise ValueError(f"sees: {game.id} has no features; it can be learned by observation")
        self.num_actions = game.num_actions
        self.sizes = [sum(feature.count for feature in game.features), *hidden, 1]
        self.actor, self.critic = make_layers(self.sizes), make_layers(self.sizes)
        self.log_price = nn.Parameter(torch.zeros(()))  # logits for a unit of the reward
        self.register_buffer("scale", torch.ones(()))

    def forward(
        self, counts: Tensor, actions: Tensor, features: Tensor, values: Tensor
    ) -> tuple[MaskedCategorical, Tensor]:
        """Return the policy, and values (rows,)."""
        rows = torch.arange(len(counts), device=counts.device).repeat_interleave(counts)
        certain, known = ~values.isnan(), values.nan_to_num()
        ways = self.actor(features.float())[:, 0]
        ways = torch.where(certain, self.log_price.exp() * known, ways)
        # The ways of an action are next to each other; one of them counts, the best one.
        places = rows * self.num_actions + actions
        first = places.diff(prepend=places.new_full((1,), -1)) != 0
        none = ways.new_full((int(first.sum()),), -torch.inf)
        logits = none.scatter_reduce(0, first.cumsum(0) - 1, ways, "amax")
        policy = MaskedCategorical.of_logits(len(counts), rows[first], actions[first], logits)
        with torch.no_grad():
            none = ways.new_full((len(counts),), -torch.inf)
            most = none.scatter_reduce(0, rows, ways, "amax")
            likely = (ways == most[rows]).nonzero()[:, 0]
            likely = likely[rows[likely].diff(prepend=rows.new_full((1,), -1)) != 0]
        worth = self.scale * self.critic(features.index_select(0, likely).float())[:, 0]
        return policy, torch.where(certain[likely], known[likely], worth)

    def to_bytes(self, game: Game, note: str) -> bytes:
        """The actor as a net of the core, in units of the reward."""
        price = self.log_price.exp().item()
        return net_bytes(game, self.actor, self.sizes, note, scale=1 / price)
