"""Layers that the core evaluates, against PyTorch's."""

from __future__ import annotations

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402
from torch import nn  # noqa: E402

from mhing._lib.nets import LayerRows, layer_gradients, layer_values  # noqa: E402
from mhing.train.layers import CoreLayers  # noqa: E402

SHAPES = [
    [154, 64, 32, 1],
    [98, 64, 32, 1],
    [3, 1],
    [70, 5, 1],
    [130, 33, 16, 9, 1],
    [512, 100, 1],
    [1, 1, 1],
]


def some_features(count: int, width: int) -> torch.Tensor:
    """Most are 0, and rows differ little from those before them, as afterstates do."""
    features = torch.randn(count, width) * (torch.rand(count, width) < 0.2)
    for row in range(1, count):
        if row % 7:
            kept = torch.rand(width) < 0.8
            features[row, kept] = features[row - 1, kept]
    return features.half()


def as_torch_has_them(layers: CoreLayers) -> nn.Sequential:
    """The same layers, in double precision."""
    made: list[nn.Module] = []
    for (inputs, outputs), (weights, biases) in zip(
        pairwise(layers.sizes), layers.layers(), strict=True
    ):
        linear = nn.Linear(inputs, outputs)
        linear.load_state_dict({"weight": weights.T, "bias": biases})
        made += [linear, nn.ReLU()]
    return nn.Sequential(*made[:-1]).double()


@pytest.mark.parametrize("sizes", SHAPES, ids=lambda sizes: "-".join(map(str, sizes)))
def test_values_and_gradients_are_those_of_torch(sizes: list[int]) -> None:
    torch.manual_seed(len(sizes))
    layers, features = CoreLayers(sizes), some_features(700, sizes[0])
    places = torch.cat([torch.randint(700, (900,)), torch.arange(650), torch.tensor([5, 5, 5])])
    slopes = torch.where(torch.rand(len(places)) < 0.3, 0.0, torch.randn(len(places)))
    values = layers(features, places)
    (values * slopes).sum().backward()

    plain = as_torch_has_them(layers)
    expected = plain(features[places].double())[:, 0]
    (expected * slopes.double()).sum().backward()
    torch.testing.assert_close(values.double(), expected, rtol=1e-5, atol=1e-5)
    parts = [part for layer in plain if isinstance(layer, nn.Linear) for part in layer.parameters()]
    gradient = torch.cat([part.grad.t().ravel() for part in parts])
    size = gradient.abs().max().item()
    torch.testing.assert_close(layers.weights.grad.double(), gradient, rtol=0, atol=1e-5 * size)
    with torch.no_grad():
        torch.testing.assert_close(layers(features, places), values, rtol=0, atol=0)


def test_nothing_depends_on_the_number_of_threads() -> None:
    torch.manual_seed(4)
    layers, features = CoreLayers([154, 64, 32, 1]), some_features(2000, 154).numpy()
    places = np.tile(np.arange(2000), 10)
    weights, slopes = layers.weights.detach().numpy(), torch.randn(len(places)).numpy()

    def learn(threads: int) -> tuple[bytes, bytes]:
        values, inner = np.empty(len(places), np.float32), np.empty((len(places), 96), np.float32)
        rows = LayerRows(features, places, values, inner)
        layer_values(layers.sizes, weights, rows, threads)
        gradients = layer_gradients(layers.sizes, weights, rows, slopes, threads)
        return rows.values.tobytes(), gradients.tobytes()

    found = [learn(threads) for threads in (1, 2, 3, 4)]
    with ThreadPoolExecutor(4) as several:  # who ask for the same threads of the core
        found += several.map(learn, [3] * 60)
    if sys.platform == "linux":
        if (child := os.fork()) == 0:  # where those do not exist
            os._exit(learn(3) != found[0])
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len({*found}) == 1


def test_no_rows_have_no_gradient() -> None:
    layers, none = CoreLayers([4, 2, 1]), torch.arange(0)
    layers(torch.ones(3, 4).half(), none).sum().backward()
    assert layers.weights.grad.count_nonzero() == 0


def test_layers_elsewhere_are_the_same() -> None:
    """By PyTorch alone, which is what other devices use."""
    layers, features = CoreLayers([9, 4, 2, 1]), some_features(30, 9)
    places = torch.tensor([3, 0, 29])
    found, expected = layers.by_torch(features, places), layers(features, places)
    torch.testing.assert_close(found, expected)
    (gradient,), (wanted,) = (
        torch.autograd.grad(v.sum(), layers.weights) for v in (found, expected)
    )
    torch.testing.assert_close(gradient, wanted)


def test_what_is_no_row_of_features_is_refused() -> None:
    layers, features = CoreLayers([9, 4, 1]), some_features(30, 9)
    for place in (-1, 30):
        with pytest.raises(ValueError, match=re.escape("places: there is no such row of features")):
            layers(features, torch.tensor([3, place]))
    wide = CoreLayers([9, 513, 1])
    with pytest.raises(ValueError, match=r"^layers: .* too wide"):
        wide(features, torch.tensor([3]))
