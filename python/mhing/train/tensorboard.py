"""The numbers of a run for TensorBoard, where that is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any


class Tensorboard:
    """Writes the lines of a log as scalars, in the folder ``tensorboard``; else does nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "tensorboard"
        self._writer: Any = None

    def __enter__(self) -> Tensorboard:
        if find_spec("tensorboard"):
            from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415  see above

            self._writer = SummaryWriter(str(self._folder))
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer:
            self._writer.close()

    def write(self, line: dict[str, Any]) -> None:
        """Add a line, over its steps."""
        if not self._writer:
            return
        evaluation = line.get("evaluation", {})
        numbers = line | {f"evaluation/{name}": value for name, value in evaluation.items()}
        for name, value in numbers.items():
            if isinstance(value, int | float):
                self._writer.add_scalar(name, value, line["steps"])
