"""Loggers of a run beside its own ``log.jsonl``: TensorBoard, W&B, MLflow, or any object.

A logger is any object with the methods of :class:`Logger`. The libraries are extras, which are
imported when their logger is made.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from mhing._support.extras import install
from mhing._support.spelling import did_you_mean


class Logger(Protocol):
    """An object that takes the numbers of a run."""

    def begin(self, name: str, settings: Mapping[str, Any], steps: int) -> None:
        """Begin a run, or continue one.

        Args:
            name: of the run, which no other has; it begins with the name of the folder.
            settings: of the run, with the keys of ``config.schema.json``.
            steps: decisions of the checkpoint that it continues; numbers written after them are
                no more, for that part of the run is played again. 0: it begins.
        """

    def write(self, steps: int, numbers: Mapping[str, float]) -> None:
        """Take the numbers of an iteration that ended after so many decisions.

        Those of an evaluation have names that begin with ``evaluation/``.
        """

    def end(self) -> None:
        """End the run, or stop it for a while."""


class TensorBoard:
    """A folder of TensorBoard, in which each run has a folder."""

    def __init__(self, where: str) -> None:
        self._where, self._make = where, _imported("torch.utils.tensorboard", "tensorboard")

    def begin(self, name: str, settings: Mapping[str, Any], steps: int) -> None:
        """See :meth:`Logger.begin`."""
        folder = str(Path(self._where) / name)
        self._writer = self._make.SummaryWriter(folder, purge_step=steps + 1 if steps else None)
        rows = [f"    {key} = {value}" for key, value in settings.items()]  # a block of code there
        self._writer.add_text("settings", "\n".join(rows), steps)

    def write(self, steps: int, numbers: Mapping[str, float]) -> None:
        """See :meth:`Logger.write`."""
        for name, value in numbers.items():
            self._writer.add_scalar(name, value, steps)

    def end(self) -> None:
        """See :meth:`Logger.end`."""
        self._writer.close()


class Wandb:
    """A project of Weights & Biases, in files of the folder ``wandb`` that ``wandb sync`` sends."""

    def __init__(self, where: str) -> None:
        self._where, self._wandb = where, _imported("wandb", "wandb")

    def begin(self, name: str, settings: Mapping[str, Any], steps: int) -> None:
        """See :meth:`Logger.begin`."""
        self._run = self._wandb.init(
            project=self._where, name=name, id=name, resume="allow", mode="offline",
            config=dict(settings), settings=self._wandb.Settings(silent=True),
        )  # fmt: skip

    def write(self, steps: int, numbers: Mapping[str, float]) -> None:
        """See :meth:`Logger.write`."""
        self._run.log(dict(numbers), step=steps)

    def end(self) -> None:
        """See :meth:`Logger.end`."""
        self._run.finish()


class Mlflow:
    """A folder with the database of MLflow, in the experiment ``mhing``.

    It is a file of SQLite: MLflow's plain files are refused by its newer versions.
    """

    def __init__(self, where: str) -> None:
        self._where, self._mlflow = where, _imported("mlflow", "mlflow")

    def begin(self, name: str, settings: Mapping[str, Any], steps: int) -> None:
        """See :meth:`Logger.begin`."""
        folder = Path(self._where).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        self._client = self._mlflow.MlflowClient(f"sqlite:///{folder}/mlflow.db")
        found = self._client.get_experiment_by_name("mhing")
        place = (folder / "artifacts").as_uri()
        experiment = (
            found.experiment_id if found else self._client.create_experiment("mhing", place)
        )
        same = self._client.search_runs([experiment], f"attributes.run_name = '{name}'")
        run = same[0] if same else self._client.create_run(experiment, run_name=name)
        self._id = run.info.run_id
        if same:
            self._client.update_run(self._id, "RUNNING")
            return
        for key, value in settings.items():
            self._client.log_param(self._id, key, value)

    def write(self, steps: int, numbers: Mapping[str, float]) -> None:
        """See :meth:`Logger.write`."""
        now = int(1000 * time.time())
        metric = self._mlflow.entities.Metric
        rows = [metric(name, float(value), now, steps) for name, value in numbers.items()]
        self._client.log_batch(self._id, rows)

    def end(self) -> None:
        """See :meth:`Logger.end`."""
        self._client.set_terminated(self._id)


KINDS: dict[str, tuple[str, Callable[[str], Logger]]] = {
    "tensorboard": ("DIR", TensorBoard),
    "wandb": ("PROJECT", Wandb),
    "mlflow": ("DIR", Mlflow),
}
"""The loggers by name: the form of what follows the name, and the class."""


def _imported(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"log: {extra} is missing: {install(extra)}") from error


def make(text: str) -> Logger:
    """Return the logger of a text such as ``"tensorboard:DIR"``.

    Raises:
        ValueError: there is no such logger, or it does not say where.
        ModuleNotFoundError: its extra is missing.
    """
    kind, _, where = text.partition(":")
    if kind not in KINDS or not where:
        forms = ", ".join(f"{name}:{form}" for name, (form, _) in KINDS.items())
        advice = "" if kind in KINDS else did_you_mean(kind, KINDS)
        raise ValueError(f"log: {text!r} is none of {forms}{advice}")
    return KINDS[kind][1](where)


def numbers_of(line: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a line of a run's log.

    >>> numbers_of({"steps": 8, "loss": 0.5, "evaluation": {"against": "greedy", "more": 2.0}})
    {'loss': 0.5, 'evaluation/more': 2.0}
    """
    inner = {f"evaluation/{name}": one for name, one in line.get("evaluation", {}).items()}
    numbers = {**line, **inner}
    return {
        name: value
        for name, value in numbers.items()
        if isinstance(value, int | float) and name != "steps"
    }


class Loggers:
    """Several loggers as one: one that fails is left with a warning, and the run continues."""

    def __init__(
        self, loggers: Iterable[Logger], name: str, settings: Mapping[str, Any], steps: int
    ) -> None:
        self._begun = [*loggers]
        self._given = (name, settings, steps)

    def __enter__(self) -> Loggers:
        self._call("begin", *self._given)
        return self

    def __exit__(self, *_: object) -> None:
        self._call("end")

    def write(self, line: Mapping[str, Any]) -> None:
        """Add a line of the log, over its steps."""
        self._call("write", line["steps"], numbers_of(line))

    def _call(self, method: str, *given: Any) -> None:
        for logger in [*self._begun]:
            try:
                getattr(logger, method)(*given)
            except Exception as error:  # libraries have any, and what was learned is worth more
                self._begun.remove(logger)
                reason = f"{type(error).__name__}: {error}".splitlines()[0]
                name = type(logger).__name__
                warnings.warn(f"{name} is left, for it failed: {reason}", stacklevel=2)
