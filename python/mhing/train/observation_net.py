"""A network for any game, made from the game's description: nothing in it knows a game.

It takes observations and masks as environments return them, uint8 (rows, observation_size) and
bool (rows, num_actions), and puts out logits and values. What a number of an observation is to the
network follows from the shape and the meaning of its field, see `Encoder`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mhing.game import Field, Game
from mhing.train.categorical import MaskedCategorical

_COUNTED = re.compile(r"\bby [a-z]+\b")  # in the meaning of a field with a place for each card
FEW = 6  # cards of a type that flags distinguish
SMALL = 16  # a number of a seat, and
LABELS = 66  # any other number up to this has a flag for each value
FAR = 4.0  # the logarithm at which the best action of a kind counts as far off


class ObservationInputs(NamedTuple):
    """Observations and masks of some rows."""

    observations: Tensor  # uint8 (rows, observation_size)
    masks: Tensor  # bool (rows, num_actions)

    def take(self, rows: Tensor) -> ObservationInputs:
        """The inputs of these rows."""
        return ObservationInputs(*(tensor.index_select(0, rows) for tensor in self))

    def to(self, device: str) -> ObservationInputs:
        """The same in a device's memory."""
        return ObservationInputs(*(tensor.to(device) for tensor in self))

    @staticmethod
    def join(parts: Sequence[ObservationInputs]) -> ObservationInputs:
        """Return the inputs of several parts in one."""
        return ObservationInputs(*map(torch.cat, zip(*parts, strict=True)))


class Legal(NamedTuple):
    """The legal actions of all rows, row after row, and what the hints say of them."""

    rows: Tensor  # (legal,)
    actions: Tensor  # (legal,)
    hints: list[Tensor]  # (legal,) each feature
    best: list[Tensor]  # (rows,) of each hint the least and the most, where the first is least


class Encoder(nn.Module):
    """Observations as numbers of 0 to 1.

    - counts by card: flags for one, two and three where they are the seat's own, else a number;
    - a single small number, such as a phase, "card+1" or "seat+1": a flag for each value;
    - a larger one: the number;
    - an array in which each place has a value, such as the last events: how many places have it;
    - a field with a number for each action, as the hints have it: see `legal`. The inputs say for
      each kind of action whether one is legal, and how near the best one comes; and how good the
      best ones are, by each hint.
    """

    flag: Tensor  # column of each flag
    value: Tensor  # uint8: it stands for
    more: Tensor  # bool: it stands for more than that as well
    number: Tensor  # column of each number
    highest: Tensor
    place: Tensor  # column of each place of an array
    counter: Tensor  # input of its value 0
    weight: Tensor
    kind: Tensor  # of each action

    def __init__(self, game: Game) -> None:
        super().__init__()
        flags: list[tuple[int, int, bool]] = []
        numbers: list[tuple[int, int]] = []
        places: list[tuple[int, int, float]] = []
        self.counters = 0
        self.hints: list[int] = []  # first columns
        for field in game.observation_fields:
            columns = _columns(field)
            single, counted = columns.shape[1] == 1, _COUNTED.search(field.meaning)
            if field.shape == (game.num_actions,):
                self.hints.append(field.offset)
            elif single and field.high < (SMALL if field.per_seat else LABELS):
                values = range(field.high + 1)
                flags += [(column, value, False) for column in columns.flat for value in values]
            elif not single and not counted:
                for row in columns if field.high < LABELS else ():
                    places += [(column, self.counters, 1 / len(row)) for column in row]
                    self.counters += field.high + 1
            elif field.high <= FEW and not field.public:
                few = range(1, min(field.high, 3) + 1)
                flags += [(column, value, True) for column in columns.flat for value in few]
            else:
                numbers += [(column, field.high) for column in columns.flat]
        self.kinds = len(game.actions)
        kinds = [kind for kind, row in enumerate(game.actions) for _ in range(row.count)]
        self._keep(("flag", torch.int64), ("value", torch.uint8), ("more", torch.bool), rows=flags)
        self._keep(("number", torch.int64), ("highest", torch.float32), rows=numbers)
        self._keep(
            ("place", torch.int64), ("counter", torch.int64), ("weight", torch.float32), rows=places
        )
        self._keep(("kind", torch.int64), rows=[(kind,) for kind in kinds])
        self.features = 2 * len(self.hints)
        self.width = len(flags) + len(numbers) + self.counters + self.kinds * (1 + self.features)
        self.width += self.features

    def _keep(self, *columns: tuple[str, torch.dtype], rows: Sequence[tuple[float, ...]]) -> None:
        for place, (name, dtype) in enumerate(columns):
            values = torch.tensor([row[place] for row in rows], dtype=dtype)
            self.register_buffer(name, values, persistent=False)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Legal]:
        """The inputs (rows, width), and the legal actions."""
        values = observations[:, self.flag]
        flags = (values == self.value) | ((values > self.value) & self.more)
        numbers = observations[:, self.number].float() / self.highest
        values = observations[:, self.place].long() + self.counter
        counts = numbers.new_zeros(values.shape[0], self.counters)
        counts = counts.scatter_add(1, values, self.weight.expand(values.shape))
        legal = self.legal(observations, masks)
        # For each kind of action 1 if there is a legal one, and how near the best one is.
        place = legal.rows * self.kinds + self.kind[legal.actions]
        none = numbers.new_zeros(masks.shape[0] * self.kinds)
        ones = torch.ones_like(legal.rows, dtype=numbers.dtype)
        best = [
            none.scatter_reduce(0, place, near, "amax").reshape(masks.shape[0], self.kinds)
            for near in (ones, *(FAR - hint.clamp(max=FAR) for hint in legal.hints))
        ]
        absolute = [hint[:, None] / FAR for hint in legal.best]
        return torch.cat([flags.float(), numbers, counts, *best, *absolute], 1), legal

    def legal(self, observations: Tensor, masks: Tensor) -> Legal:
        """The legal actions, and how far each is above the least and below the most by each hint.

        Hints after the first are compared among the actions that the first one finds best (least),
        and among the others: useful cards say nothing about hands of different distances.
        """
        rows, actions = masks.nonzero(as_tuple=True)
        features: list[Tensor] = []
        best: list[Tensor] = []
        group, groups = rows, 2 * masks.shape[0]
        for column in self.hints:
            values = observations[rows, column + actions].float()
            least = values.new_full((groups,), 255.0).scatter_reduce(0, group, values, "amin")
            most = values.new_zeros(groups).scatter_reduce(0, group, values, "amax")
            features += [values - least[group], most[group] - values]
            best += [least[: masks.shape[0]], most[: masks.shape[0]]]
            if group is rows:
                group = rows + masks.shape[0] * (features[0] > 0)
        return Legal(rows, actions, [*map(torch.log1p, features)], [*map(torch.log1p, best)])


class ObservationNet(nn.Module):
    """Actor and critic, apart from each other but for the first layer.

    An action's logit is an output of the actor, plus the features of the hints times prices that
    the actor sets for each kind of action as it sees fit in each position.
    """

    scale: Tensor  # of values: the deviation of returns

    def __init__(self, game: Game, hidden: int) -> None:
        super().__init__()
        self.encoder = Encoder(game)
        prices = len(game.actions) * self.encoder.features
        self.first = nn.Sequential(nn.Linear(self.encoder.width, hidden), nn.ReLU())
        self.actor = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        self.head = nn.Linear(hidden, game.num_actions + prices)
        self.critic = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.register_buffer("scale", torch.ones(()))
        nn.init.uniform_(self.head.weight, -0.006, 0.006)  # at first all actions are alike
        nn.init.zeros_(self.head.bias)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[MaskedCategorical, Tensor]:
        """Return the policy, and values (rows,)."""
        inputs, legal = self.encoder(observations, masks)
        shared = self.first(inputs)
        logits = self._of_legal(shared, legal)
        policy = MaskedCategorical.of_logits(len(masks), legal.rows, legal.actions, logits)
        return policy, self.scale * self.critic(shared)[:, 0]

    def logits(self, observations: Tensor, masks: Tensor) -> Tensor:
        """The logits of the actor alone, (rows, actions), -inf for what is not legal."""
        inputs, legal = self.encoder(observations, masks)
        logits = self._of_legal(self.first(inputs), legal)
        none = logits.new_full(masks.shape, -torch.inf)
        return none.index_put((legal.rows, legal.actions), logits)

    def _of_legal(self, shared: Tensor, legal: Legal) -> Tensor:
        """(legal,) the logit of each."""
        rows, actions, hints, _ = legal
        out = self.head(self.actor(shared))
        logits: Tensor = out[rows, actions]
        # Columns of the prices of the first feature; those of the others follow.
        prices = len(self.encoder.kind) + self.encoder.kind[actions]
        for feature, hint in enumerate(hints):
            logits = logits + out[rows, prices + feature * self.encoder.kinds] * hint
        return logits


def _columns(field: Field) -> NDArray[np.int64]:
    """Return the columns of a field's numbers: a row for each seat, or a single row."""
    offsets = np.full(field.shape, field.offset, np.int64)
    for axis, (size, stride) in enumerate(zip(field.shape, field.strides, strict=True)):
        shape = [1] * len(field.shape)
        shape[axis] = size
        offsets += (stride * np.arange(size)).reshape(shape)
    return offsets.reshape(field.shape[0] if field.per_seat else 1, -1)
