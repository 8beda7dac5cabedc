"""Networks in ONNX files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mhing._support.extras import install
from mhing.game import Game
from mhing.players.rows import OBSERVATIONS, LogitPolicy

_NUMBER_TYPES: dict[str, type] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    **{f"tensor({kind})": np.dtype(kind).type for kind in ("int8", "int16", "int32", "int64")},
    **{f"tensor({kind})": np.dtype(kind).type for kind in ("uint8", "uint16", "uint32", "uint64")},
    "tensor(bool)": np.bool_,
}


class OnnxPolicy(LogitPolicy):
    """Plays the legal action with the highest logit of a network in an ONNX file.

    The network takes ``observation`` (1, observation_size), with hints or without, and
    ``action_mask`` (1, num_actions), in the number types that it declares. Its first output is the
    logits (1, num_actions). If it does not fix the first dimension at 1, it takes many rows at
    once.

    It runs on one thread: networks for card games are small, and threads that wait for each other
    cost more than they bring.

    Args:
        path: the file.
        game: the game that it plays.

    Raises:
        ModuleNotFoundError: onnxruntime is not installed (extra ``mhing[onnx]``).
        ValueError: the file cannot be read, or its inputs have other names, types or shapes.
    """

    def __init__(self, path: str, game: Game) -> None:
        self._session = session(path)
        self._name = repr(path)
        nodes = self._session.get_inputs()
        inputs = {node.name: node.type for node in nodes}
        if set(inputs) - {"observation", "action_mask"} or "observation" not in inputs:
            raise ValueError(
                f"{self._name} has the inputs {sorted(inputs)}; "
                "expected 'observation' and, if it uses it, 'action_mask'"
            )
        for name, kind in inputs.items():
            if kind not in _NUMBER_TYPES:
                raise ValueError(
                    f"{self._name} declares {name} as {kind}; expected one of "
                    f"{', '.join(_NUMBER_TYPES)}"
                )
        self.sees = OBSERVATIONS
        for node in nodes:
            size = None if node.name == "observation" else game.num_actions
            columns = _columns(node.shape, size, f"{self._name} takes {node.name}")
            if size is None and isinstance(columns, int):
                self.sees = columns
        self._types = {name: _NUMBER_TYPES[kind] for name, kind in inputs.items()}
        self._one_by_one = any(node.shape and isinstance(node.shape[0], int) for node in nodes)

    def logits(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[Any]:
        """Return the network's output, one row at a time where it takes no more.

        Raises:
            ValueError: the network cannot be run on this game.
        """
        step = 1 if self._one_by_one else len(masks)
        parts = range(0, len(masks), step)
        return np.concatenate(
            [self._run(observations[i : i + step], masks[i : i + step]) for i in parts]
        )

    def _run(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[Any]:
        arrays: dict[str, NDArray[Any]] = {"observation": observations, "action_mask": masks}
        feed: dict[str, NDArray[Any]] = {
            name: arrays[name].astype(kind) for name, kind in self._types.items()
        }
        try:
            return np.asarray(self._session.run(None, feed)[0])
        except Exception as error:  # as above
            reason = str(error).splitlines()[0]
            raise ValueError(f"{self._name} cannot be run: {reason}") from error


def session(path: str) -> Any:
    """Load a network in ONNX; it runs on one thread.

    Returns:
        An ``onnxruntime.InferenceSession``.

    Raises:
        ModuleNotFoundError: onnxruntime is not installed (extra ``mhing[onnx]``).
        ValueError: the file cannot be read.
    """
    try:
        import onnxruntime  # noqa: PLC0415  an extra, and slow to import
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"ONNX policies need onnxruntime: {install('onnx')}") from error
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    if not Path(path).is_file():
        raise ValueError(f"{path!r} cannot be loaded: there is no such file")
    try:
        return onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a separate class for every kind of failure
        reason = str(error).splitlines()[0].rpartition(" : ")[2]  # behind a number and a code
        raise ValueError(
            f"{path!r} cannot be loaded as a network in ONNX: {reason}; "
            "mhing.train.export.export_onnx writes such files"
        ) from error


def _columns(shape: Sequence[Any], size: int | None, what: str) -> Any:
    """Return the size of rows; a network leaves open what is no number. Refuse another `size`."""
    rows, columns = shape if len(shape) == 2 else (0, 0)
    wanted = columns if size is None else size
    if (isinstance(rows, int) and rows != 1) or (isinstance(columns, int) and columns != wanted):
        raise ValueError(f"{what} of the shape {shape}; expected (1, {wanted}), or any rows")
    return columns
