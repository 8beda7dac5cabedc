"""``mhing sweep``: runs with settings that Optuna chooses, kept in a file from which it continues.

A trial is a run in a separate folder. One that was cut short, by Ctrl-C or a kill, is continued
from its checkpoint when the sweep is. What counts is how much more the learner earns at the end of
a trial than the field's player in its place, in deals that are the same in all trials.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mhing._support.extras import install
from mhing._support.files import sole_writer
from mhing.train import run as training
from mhing.train.config import over, schema, settings_of
from mhing.train.folder import SETTINGS
from mhing.train.learner import Settings
from mhing.train.run import Progress
from mhing.train.schemas import check

if TYPE_CHECKING:
    import optuna

Space = Mapping[str, Mapping[str, Any]]
"""The range of each setting that is tried, by its key: ``"tune.learning_rate"`` in a table."""


@dataclass(frozen=True)
class Trial:
    """A trial that has ended."""

    number: int
    chosen: Mapping[str, Any]
    """The settings that were tried."""
    folder: str
    """The folder of the run."""
    more: float | None = None
    """The learner's reward above the others'; None: the settings were refused."""
    interval: float | None = None
    """Half of the 95 % interval of that."""
    refused: str = ""
    """The reason."""


class Sweep:
    """A study in its file.

    Args:
        given: settings with a table ``sweep``, as :func:`mhing.train.config.load` returns them.
        storage: the file; its trials have the folder ``FILE.runs``.

    Raises:
        ValueError: there is nothing to be tried, a range or the settings cannot be used, or the
            file is another thing, or of a sweep with other settings.
        ModuleNotFoundError: an extra is missing.
        OSError: nothing can be written there.
    """

    def __init__(self, given: Mapping[str, Any], storage: str | Path) -> None:
        self._optuna = _optuna()
        self.space = space_of(given)
        self.given = {key: value for key, value in given.items() if key != "sweep"}
        self.storage, self.folder = Path(storage), Path(f"{storage}.runs")
        self._seed = given.get("seed", Settings.seed)
        first = {name: _values(one)[0] for name, one in self.space.items()}
        self.settings(first).make_learner()
        self._study = self._open(json.loads(json.dumps(given)))

    def settings(self, chosen: Mapping[str, Any]) -> Settings:
        """Return the settings of a trial; ValueError where they cannot be."""
        more: dict[str, Any] = {}
        for name, value in chosen.items():
            table, dot, key = name.rpartition(".")
            (more.setdefault(table, {}) if dot else more)[key] = value
        return settings_of(over(self.given, more))

    def run(self, trials: int, progress: Progress) -> bool:
        """Try until so many trials have ended in all.

        Args:
            trials: their number, those of earlier calls included.
            progress: is called with the part of them that is over, and a note.

        Returns:
            False if it was stopped before: the trial in play continues at the next call.

        Raises:
            BlockingIOError: the same sweep runs in another process.
            OSError: a file cannot be written; trials that have ended are kept.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with sole_writer(self.folder):
            while (ended := len(self.trials())) < trials:
                seed = self._seed + len(self._study.trials)  # no draw twice
                self._study.sampler = self._optuna.samplers.TPESampler(seed=seed)

                def report(done: float, note: str, ended: int = ended) -> None:
                    progress((ended + done) / trials, f"trial {ended + 1}: {note}")

                if not self._try(self._next(), report):
                    return False
        return True

    def trials(self) -> list[Trial]:
        """The trials that have ended, the best one first."""
        ended = []
        for one in self._study.get_trials(deepcopy=False):
            attributes = one.user_attrs
            if {"more", "refused"} & attributes.keys():
                ended.append(Trial(one.number, one.params, _folder(one.number), **attributes))
        return sorted(ended, key=lambda one: (one.more is None, -(one.more or 0), one.number))

    def _open(self, given: dict[str, Any]) -> optuna.Study:
        self._optuna.logging.set_verbosity(self._optuna.logging.WARNING)
        try:
            study: optuna.Study = self._optuna.create_study(
                storage=f"sqlite:///{self.storage}", study_name="mhing", direction="maximize",
                load_if_exists=True,
            )  # fmt: skip
        except Exception as error:  # of SQLAlchemy, which has many
            reason = str(error).splitlines()[0]
            raise ValueError(f"{self.storage}: no study can be kept there: {reason}") from error
        if study.user_attrs.setdefault("settings", given) != given:
            raise ValueError(f"{self.storage}: its trials have other settings; name another file")
        study.set_user_attr("settings", given)
        return study

    def _next(self) -> optuna.Trial:
        """The trial that was in play when the process ended, or a new one."""
        running = self._study.get_trials(states=[self._optuna.trial.TrialState.RUNNING])
        if not running:
            return self._study.ask()
        # Optuna has no public way back to a trial.
        trial: optuna.Trial = self._optuna.trial.Trial(self._study, running[0]._trial_id)
        return trial

    def _try(self, trial: optuna.Trial, report: Progress) -> bool:
        chosen = {name: _suggest(trial, name, one) for name, one in self.space.items()}
        folder = self.folder / _folder(trial.number)
        try:
            if (folder / SETTINGS).exists():
                run = training.resume(folder)
            else:
                run = training.start(folder, self.settings(chosen))
        except ValueError as error:
            trial.set_user_attr("refused", str(error))
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
            return True
        run.learn(report)
        if run.stopped:
            return False
        final = run.finish()
        trial.set_user_attr("interval", final["more_interval"])
        trial.set_user_attr("more", final["more"])
        self._study.tell(trial, final["more"])
        return True


def _folder(number: int) -> str:
    """The name of a trial's folder."""
    return f"trial-{number}"


def _optuna() -> Any:
    try:
        import optuna  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"sweep: optuna is missing: {install('sweep')}") from error
    return optuna


def space_of(given: Mapping[str, Any]) -> Space:
    """Return the ranges in the table ``sweep`` of settings.

    Raises:
        ValueError: there are none, or one cannot be used.
    """
    wanted, found = schema()["properties"], {}
    for name, one, kind in _ranges(given.get("sweep", {}), wanted):
        if "choices" in one and len(one) > 1:
            raise ValueError(f"sweep.{name}: give choices, or low and high")
        values = _values(one)
        if len(values) < 2 or ("choices" not in one and not values[0] < values[-1]):
            raise ValueError(f"sweep.{name}: give several choices, or low and a higher high")
        try:
            for value in values:
                check(value, kind, name)
        except (TypeError, ValueError) as error:
            raise ValueError(f"sweep: {error}") from error
        if one.get("log") and values[0] <= 0:
            raise ValueError(f"sweep.{name}: low: {values[0]} is not more than 0, as log needs")
        found[name] = {**one, "whole": kind["type"] == "integer"}
    if not found:
        raise ValueError("sweep: there is nothing to be tried; give a table sweep, see the help")
    return found


def _ranges(
    table: Mapping[str, Any], wanted: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """The name of each setting that is tried, its range and its own schema."""
    for key, one in table.items():
        if wanted[key]["type"] != "object":
            yield key, one, wanted[key]
            continue
        known, more = wanted[key].get("properties", {}), wanted[key]["additionalProperties"]
        for name, inner in one.items():
            yield f"{key}.{name}", inner, known.get(name, more)


def _values(one: Mapping[str, Any]) -> list[Any]:
    """The choices, or the ends."""
    return list(one.get("choices", [one[end] for end in ("low", "high") if end in one]))


def _suggest(trial: optuna.Trial, name: str, one: Mapping[str, Any]) -> Any:
    if "choices" in one:
        return trial.suggest_categorical(name, one["choices"])
    suggest = trial.suggest_int if one["whole"] else trial.suggest_float
    return suggest(name, one["low"], one["high"], log=one.get("log", False))
