"""Weights of the models for other libraries: safetensors and ONNX."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np

from mhing._support.extras import install
from mhing._support.files import write_new
from mhing.models.catalogue import LICENCE, Model

FORMATS = (".safetensors", ".onnx")


def export(model: Model, path: str | Path) -> None:
    """Write a model to a new file, whose ending says in which format.

    ``.safetensors`` holds the tensors ``0.weight`` float32 (outputs, inputs), ``0.bias``
    (outputs,), ``2.weight`` and so on: those of a ``torch.nn.Sequential`` of linear layers with
    ``ReLU`` between them. ``.onnx`` is a graph from ``features`` float32 (rows, features) to
    ``value`` float32 (rows, 1). The features are those of :meth:`mhing.State.afterstates`; the move
    of the highest value is the model's, and the first among equals.

    Raises:
        ValueError: the path has another ending.
        FileExistsError: the file exists.
        ModuleNotFoundError: safetensors (extra ``mhing[safetensors]``) or PyTorch (extra
            ``mhing[train]``) is missing.
        OSError: the file cannot be written.
    """
    place = Path(path)
    if place.suffix not in FORMATS:
        raise ValueError(f"{str(path)!r}: a model is written as {' or '.join(FORMATS)}")
    write_new(place, weights(model, place.suffix))


def weights(model: Model, form: str) -> bytes:
    """Return the content of such a file; `form` is its ending, one of `FORMATS`."""
    return _safetensors(model) if form == FORMATS[0] else _onnx(model)


def _safetensors(model: Model) -> bytes:
    try:
        library = import_module("safetensors.numpy")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"safetensors is missing: {install('safetensors')}") from error
    tensors = {}
    for number, (weights, biases) in enumerate(model.layers()):
        tensors[f"{2 * number}.weight"] = np.ascontiguousarray(weights.T)
        tensors[f"{2 * number}.bias"] = biases
    about = {"model": model.id, "licence": LICENCE, "made_by": model.command}
    made: bytes = library.save(tensors, {"format": "pt", **about})
    return made


def _onnx(model: Model) -> bytes:
    from mhing.train.export import onnx_bytes  # noqa: PLC0415  extras, slow to import
    from mhing.train.layers import make_layers  # noqa: PLC0415

    torch = import_module("torch")

    layers = model.layers()
    net = make_layers([len(layers[0][0]), *(len(biases) for _, biases in layers)])
    state = {}
    for number, (weights, biases) in enumerate(layers):
        state[f"{2 * number}.weight"] = torch.from_numpy(weights.T.copy())
        state[f"{2 * number}.bias"] = torch.from_numpy(biases.copy())
    net.load_state_dict(state)
    return onnx_bytes(net.eval(), {"features": torch.zeros(2, len(layers[0][0]))}, "value")
