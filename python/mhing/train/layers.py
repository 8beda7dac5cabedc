"""Layers that the core evaluates, and whose gradients it finds, as a module of PyTorch.

Five features in six are 0, and the core does nothing for them, while PyTorch multiplies whole
matrices. Rows are named by their places among all, so that their features are not copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from mhing._lib.nets import LayerRows, layer_gradients, layer_values


def make_layers(sizes: Sequence[int]) -> nn.Sequential:
    """Layers of PyTorch, from so many inputs to the number of the last one."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class FeatureRoom:
    """Memory in which rows of features lie in one, until others do.

    Fresh memory, which the system gives page by page, takes six times as long to fill.
    """

    def __init__(self) -> None:
        self._memory = torch.empty(0, 0, dtype=torch.float16)

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        """Return all rows, (n, features) float16."""
        count, width = sum(map(len, parts)), parts[0].shape[1]
        if len(self._memory) < count:
            self._memory = torch.empty(count + count // 8, width, dtype=torch.float16)
        return torch.cat([*parts], out=self._memory[:count])


class CoreLayers(nn.Module):
    """The same, with their weights in one row as the core's nets have them.

    Args:
        sizes: the number of inputs, then that of outputs of each layer.
        threads: of the core, which share the rows. PyTorch should have one then: after an operation
            its threads look for more work, and hold up those of the core.
    """

    def __init__(self, sizes: Sequence[int], threads: int = 1) -> None:
        super().__init__()
        self.sizes, self.threads = [*sizes], threads
        linear = [layer for layer in make_layers(sizes) if isinstance(layer, nn.Linear)]
        parts = [part for layer in linear for part in (layer.weight.T, layer.bias)]
        self.weights = nn.Parameter(torch.cat([part.detach().ravel() for part in parts]))

    def layers(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Views of the weights of each layer, (inputs, outputs), and of its biases."""
        rest: Tensor = self.weights
        for inputs, outputs in pairwise(self.sizes):
            weights, biases, rest = rest.tensor_split((inputs * outputs, (inputs + 1) * outputs))
            yield weights.view(inputs, outputs), biases

    @torch.no_grad()
    def skip(self, inputs: Sequence[int]) -> None:
        """Set the weights of some inputs to 0, where they stay: rows have 0 there."""
        weights, _ = next(self.layers())
        weights[[*inputs]] = 0

    def forward(self, features: Tensor, places: Tensor) -> Tensor:
        """The value of each row, (rows,).

        Args:
            features: (n, features) float16.
            places: (rows,) which of them each row is.
        """
        if features.device.type == "cpu":
            kept = torch.is_grad_enabled() and self.weights.requires_grad
            shape = self.sizes, self.threads
            values: Tensor = _Values.apply(self.weights, shape, features, places, kept)  # type: ignore[no-untyped-call]
            return values
        return self.by_torch(features, places)

    def by_torch(self, features: Tensor, places: Tensor) -> Tensor:
        """The same where the core has no memory."""
        out = features.index_select(0, places).float()
        for number, (weights, biases) in enumerate(self.layers()):
            out = torch.addmm(biases, out.relu() if number else out, weights)
        return out[:, 0]


class _Values(torch.autograd.Function):
    """Values by the core."""

    @staticmethod
    def forward(
        ctx: Any,
        weights: Tensor,
        shape: tuple[list[int], int],
        features: Tensor,
        places: Tensor,
        kept: bool,
    ) -> Tensor:
        """Return the values; `kept`: gradients will be wanted."""
        (sizes, threads), values = shape, torch.empty(len(places))
        inner = torch.empty(len(places) if kept else 0, sum(sizes[1:-1]))
        rows = LayerRows(features.numpy(), places.numpy(), values.numpy(), inner.numpy())
        layer_values(sizes, weights.numpy(), rows, threads)
        ctx.save_for_backward(weights)
        ctx.shape, ctx.rows = shape, rows
        return values

    @staticmethod
    def backward(ctx: Any, slopes: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradient of the weights alone."""
        (weights,) = ctx.saved_tensors
        sizes, threads = ctx.shape
        given = weights.numpy(), ctx.rows, slopes.contiguous().numpy(), threads
        return torch.from_numpy(layer_gradients(sizes, *given)), None, None, None, None
