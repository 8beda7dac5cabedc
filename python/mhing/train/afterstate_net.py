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

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from mhing._lib.nets import best_afterstates
from mhing.game import Game
from mhing.train.categorical import MaskedCategorical
from mhing.train.layers import CoreLayers, FeatureRoom
from mhing.train.netfile import net_bytes


class AfterstateInputs(NamedTuple):
    """The afterstates of some rows, row after row."""

    counts: Tensor  # (rows,) how many of the following each has
    actions: Tensor  # (n,)
    values: Tensor  # (n,) what the action brings where that is certain, else NaN
    places: Tensor  # (n,) where the features of each are
    features: Tensor  # (places, features) float16, to save memory

    def take(self, rows: Tensor) -> AfterstateInputs:
        """The inputs of these rows; features stay where they are."""
        counts = self.counts[rows]
        before = (self.counts.cumsum(0) - self.counts)[rows] - (counts.cumsum(0) - counts)
        some = torch.arange(int(counts.sum())) + before.repeat_interleave(counts)
        columns = [one.index_select(0, some) for one in self[1:4]]
        return AfterstateInputs(*(counts, *columns, self.features))

    def to(self, device: str) -> AfterstateInputs:
        """The same in a device's memory, with the features that are wanted there."""
        if device == "cpu":
            return self
        places, features = torch.arange(len(self.places)), self.features[self.places]
        moved = (tensor.to(device) for tensor in (*self[:3], places, features))
        return AfterstateInputs(*moved)

    @staticmethod
    def join(
        parts: Sequence[AfterstateInputs], room: FeatureRoom | None = None
    ) -> AfterstateInputs:
        """Return the inputs of several parts in one, with their features in a room."""
        counts, actions, values, places, features = zip(*parts, strict=True)
        before = 0
        moved = []
        for some, rows in zip(places, features, strict=True):
            moved.append(some + before)
            before += len(rows)
        columns = [torch.cat([*column]) for column in (counts, actions, values, moved)]
        return AfterstateInputs(*(*columns, (room or FeatureRoom()).join(features)))


class AfterstateNet(nn.Module):
    """Actor and critic.

    Args:
        game: what is played; ValueError where it has no features.
        hidden: numbers of the two layers between features and value.
        skip: names of features that have no weight; where they are 0, they never get one.
        threads: of the core, see `CoreLayers`.
    """

    scale: Tensor  # of values: the deviation of returns

    def __init__(
        self, game: Game, hidden: tuple[int, int], skip: Sequence[str] = (), threads: int = 1
    ) -> None:
        super().__init__()
        if not game.features:
            raise ValueError(f"sees: {game.id} has no features; it can be learned by observation")
        sizes = [sum(feature.count for feature in game.features), *hidden, 1]
        self.actor, self.critic = CoreLayers(sizes, threads), CoreLayers(sizes, threads)
        for layers in (self.actor, self.critic):
            layers.skip(game.feature_places(skip))
        self.log_price = nn.Parameter(torch.zeros(()))  # logits for a unit of the reward
        self.register_buffer("scale", torch.ones(()))

    def forward(
        self, counts: Tensor, actions: Tensor, values: Tensor, places: Tensor, features: Tensor
    ) -> tuple[MaskedCategorical, Tensor]:
        """Return the policy, and values (rows,)."""
        certain, known = ~values.isnan(), values.nan_to_num()
        ways = self.actor(features, places)
        ways = torch.where(certain, self.log_price.exp() * known, ways)
        given = (one.detach().cpu().numpy() for one in (counts, actions, ways))
        found = best_afterstates(*given)
        rows, best, likely = (torch.from_numpy(one).to(ways.device) for one in found)
        policy = MaskedCategorical.of_logits(
            len(counts), rows, actions.index_select(0, best), ways.index_select(0, best)
        )
        certain, known, places = (one.index_select(0, likely) for one in (certain, known, places))
        worth = self.scale * self.critic(features, places)
        return policy, torch.where(certain, known, worth)

    def to_bytes(self, game: Game, note: str) -> bytes:
        """The actor as a net of the core, in units of the reward."""
        price = self.log_price.exp().item()
        return net_bytes(game, self.actor, note, scale=1 / price)
