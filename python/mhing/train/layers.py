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


class CoreLayers(nn.Module):
    """The same, with their weights in one row as the core's nets have them."""

    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.sizes = [*sizes]
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
            values: Tensor = _Values.apply(self.weights, self.sizes, features, places, kept)  # type: ignore[no-untyped-call]
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
        ctx: Any, weights: Tensor, sizes: list[int], features: Tensor, places: Tensor, kept: bool
    ) -> Tensor:
        """Return the values; `kept`: gradients will be wanted."""
        values = torch.empty(len(places))
        inner = torch.empty(len(places) if kept else 0, sum(sizes[1:-1]))
        rows = LayerRows(features.numpy(), places.numpy(), values.numpy(), inner.numpy())
        layer_values(sizes, weights.numpy(), rows, torch.get_num_threads())
        ctx.save_for_backward(weights)
        ctx.sizes, ctx.rows = sizes, rows
        return values

    @staticmethod
    def backward(ctx: Any, slopes: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradient of the weights alone."""
        (weights,) = ctx.saved_tensors
        given = weights.numpy(), ctx.rows, slopes.contiguous().numpy(), torch.get_num_threads()
        return torch.from_numpy(layer_gradients(ctx.sizes, *given)), None, None, None, None
