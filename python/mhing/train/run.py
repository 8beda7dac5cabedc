"""A run from its begin to its end: it learns, logs, saves, evaluates, and can be stopped.

A signal to stop (Ctrl-C, or SIGTERM) is heeded after the iteration in play; a second one at once.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from types import FrameType
from typing import Any, cast

from mhing import arena
from mhing._support.extras import install
from mhing._support.files import sole_writer
from mhing.arena.paired import PAIRED, RAW
from mhing.arena.result import Mean
from mhing.game import Game
from mhing.players import Given, Policy
from mhing.train.config import plain
from mhing.train.folder import RunFolder
from mhing.train.learner import FEATURES, FRESH, SECONDS, Learner, Settings, method, usual_teacher
from mhing.train.loggers import Logger, Loggers, make

try:
    import torch
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error.name} is missing: {install('train')}") from error

SAVE_EVERY = 60.0
"""Seconds between two checkpoints."""

EVALUATIONS = 10
"""The evaluations in a run, each with a tenth of the deals of the last one."""

Progress = Callable[[float, str], None]


class Run:
    """A run in its folder."""

    def __init__(self, folder: RunFolder, state: dict[str, Any] | None = None) -> None:
        self.folder, self.settings = folder, folder.settings
        self.learner = self.settings.make_learner()
        self.counts = {"iteration": 0, "seconds": 0.0, "steps": 0, "rounds": 0}
        self.evaluated = 0
        self.stopped = False
        self.estimator = RAW
        """The estimator of the evaluation at the end, see :func:`mhing.arena.play`."""
        self._logged = 0  # bytes of the log, all that follow will be played again
        self._id = token_hex(4)
        self._loggers: list[Logger] = []
        if state is not None:
            self.learner.restore(state["learner"])
            self.counts, self.evaluated = state["counts"], state["evaluated"]
            self._logged, self._id = state["log"], state["id"]

    @property
    def done(self) -> float:
        """The part of the run that is over, 0 to 1."""
        if self.settings.steps:
            return min(1.0, self.counts["steps"] / self.settings.steps)
        return min(1.0, self.counts["seconds"] / (60 * self.settings.minutes))

    def begin(self) -> None:
        """Get ready to learn; raise what `Learner.begin` does."""
        settings = self.settings
        by_core = settings.inputs(settings.make_game()) == FEATURES and settings.device == "cpu"
        torch.set_num_threads(1 if by_core else min(settings.threads, os.cpu_count() or 1))
        self._loggers = [make(one) for one in settings.log]
        self.learner.begin()

    def learn(self, progress: Progress, loggers: Sequence[Logger] = ()) -> None:
        """Learn to the end of the run, or until it is stopped; then save.

        Args:
            progress: is called with the part of the run that is over, and a note.
            loggers: take the numbers of each iteration as well, beside those of the settings.

        Raises:
            BlockingIOError: another run is learning in the folder.
            OSError: a file cannot be written; what was saved before is kept.
        """
        path = self.folder.path
        saved = time.monotonic()
        live = Loggers(
            [*self._loggers, *loggers],
            f"{path.resolve().name}-{self._id}",
            plain(self.settings),
            int(self.counts["steps"]),
        )
        with sole_writer(path), self._heed_signals(), live:
            self.folder.rewind(self._logged)
            while self.done < 1 and not self.stopped:
                line = self._iterate()
                if self.done >= (self.evaluated + 1) / (EVALUATIONS + 1) and self.done < 1:
                    self.evaluated += 1
                    deals = max(2, self.settings.deals // EVALUATIONS)
                    line["evaluation"] = evaluate(self.settings, self.learner, deals)
                self.folder.write(line)
                live.write(line)
                progress(self.done, _note(line))
                if time.monotonic() - saved > SAVE_EVERY:
                    self.save()
                    saved = time.monotonic()
            self.save()

    def save(self) -> None:
        """Put a checkpoint into the folder."""
        self._logged = self.folder.save(
            {
                "learner": self.learner.state(),
                "counts": self.counts,
                "evaluated": self.evaluated,
                "id": self._id,
            }
        )

    def finish(self) -> dict[str, Any]:
        """Export what has been learned, evaluate it, and write down what was found.

        Returns:
            What `evaluate` found, and the names of the `files` that were written.

        Raises:
            OSError: a file cannot be written.
        """
        files = self.learner.export(self.folder.path)
        final = evaluate(self.settings, self.learner, self.settings.deals, self.estimator)
        self.folder.write_evaluation(final)
        return final | {"files": [path.name for path in files]}

    def _iterate(self) -> dict[str, Any]:
        self.learner.set_progress(self.done)
        begun = time.monotonic()
        numbers = self.learner.step()
        self.counts["seconds"] += time.monotonic() - begun
        self.counts["iteration"] += 1
        for name in ("steps", "rounds"):
            self.counts[name] += int(numbers.pop(name))
        spent = {SECONDS + part: taken for part, taken in self.learner.clock.take().items()}
        return self.counts | numbers | spent

    @contextmanager
    def _heed_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: FrameType | None) -> None:
            if self.stopped:
                raise KeyboardInterrupt
            self.stopped = True

        before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def start(path: str | Path, settings: Settings) -> Run:
    """Begin a run.

    Raises:
        ValueError: the settings cannot be used, nobody can play, or there is a run in the folder.
        OSError: the folder cannot be made or written to.
        ModuleNotFoundError: an extra is missing.
    """
    if settings.teacher is None and method(settings.method).NEEDED:
        teacher = usual_teacher(settings.method, settings.make_game())
        settings = replace(settings, teacher=teacher)
    run = Run(RunFolder(Path(path), settings))
    run.begin()
    run.folder.create()
    run.save()
    return run


def resume(
    path: str | Path,
    workers: int | None = None,
    ray: str | None = None,
    *,
    minutes: float | None = None,
    steps: int | None = None,
) -> Run:
    """Resume the run in a folder from its last checkpoint.

    Args:
        path: the folder.
        workers: how many actors play from now on; None: as before.
        ray: where they play, see :class:`Settings`; None: there as well.
        minutes: how long the whole run lasts from now on; None, and no `steps`: as before.
            Schedules that depend on progress continue from the elapsed share of the new length.
        steps: or how many decisions it learns from.

    Raises:
        ValueError: there is no run, its checkpoint cannot be used, or nobody can play.
        BlockingIOError: it is to last longer, and is learning at this time.
        OSError: nothing can be written there.
        ModuleNotFoundError: an extra is missing.
    """
    folder = RunFolder.open(path)
    before, folder.settings = folder.settings, folder.settings.lasting(minutes, steps)
    longer = folder.settings != before
    if longer:
        with sole_writer(folder.path):
            folder.write_settings()
    folder.settings = folder.settings.moved(workers, ray)
    run = _reopen(folder)
    if longer:
        run.evaluated = int(run.done * (EVALUATIONS + 1))
    run.begin()
    return run


def learned(path: str | Path, game: Game) -> int | Policy:
    """Return the player that the run in a folder has learned by its last checkpoint.

    Returns:
        The number of a bot of the game, where the core plays it, or a policy to be called.

    Raises:
        ValueError: there is no run, its checkpoint cannot be used, or seats of the game see
            something else than the learner did.
        ModuleNotFoundError: an extra is missing.
    """
    run = reopened(path)
    own, player = run.settings.make_game(), run.learner.player()
    same_table = (own.id, own.num_seats) == (game.id, game.num_seats)
    if same_table and isinstance(player, str):
        try:
            return game.bot_index(player)  # now: its file goes with the learner
        except ValueError as error:
            reason = str(error).removeprefix(f"{player}: ")
            raise ValueError(f"{str(path)!r}: {reason}") from error
    fields = zip(own.observation_fields, game.observation_fields, strict=False)  # hints come last
    if not same_table or any(one != other for one, other in fields):
        raise ValueError(f"{str(path)!r} has learned to play {own}, not {game}")
    return cast("Policy", player)


def reopened(path: str | Path) -> Run:
    """Return the run in a folder as it was at its last checkpoint.

    Raises:
        ValueError: there is no run, or its checkpoint cannot be used.
        ModuleNotFoundError: an extra is missing.
    """
    return _reopen(RunFolder.open(path))


def _reopen(folder: RunFolder) -> Run:
    state = folder.load()
    try:
        return Run(folder, state)
    except (KeyError, RuntimeError) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(f"{str(folder.path)!r}: its checkpoint does not fit: {reason}") from error


def evaluate(
    settings: Settings, learner: Learner, deals: int, estimator: str = RAW
) -> dict[str, Any]:
    """Return what a learner earns in one seat among those who have the others in evaluations.

    By duplicate deals in all seats, which no run learns from; `more` is what it earns more than
    they earn in its place, by the estimator, and `raw` the same by rewards. They are the fields
    that the settings name and, if the learner is in a league, its past versions: one field after
    the other, each with as many of the deals. The numbers are means over the fields, and
    ``payoffs`` has the rewards in each.
    """
    game, player = settings.make_game(), learner.player()
    fields: dict[str, Given] = {name: name for name in settings.fields(game)}
    if not settings.against:
        fields |= learner.rivals()
    count = max(2, deals // len(fields))
    results = [
        _among(
            settings,
            game,
            {"learner": player, name: field},
            count,
            FRESH + place * count,
            estimator,
        )
        for place, (name, field) in enumerate(fields.items())
    ]
    found: dict[str, Any] = {
        "deals": count * len(fields),
        "against": ", ".join(fields),
        "unit": results[0].unit,
        "estimator": results[0].estimator,
    }
    for name, means in (
        ("reward", [result.players[0].reward for result in results]),
        ("more", [result.pairs[0].difference for result in results]),
        ("raw", [result.pairs[0].raw for result in results]),
        ("baseline", [result.players[1].reward for result in results]),
    ):
        mean = Mean(
            sum(one.value for one in means) / len(means),
            math.hypot(*(one.interval for one in means)) / len(means),
        )
        found |= {name: mean.value, f"{name}_interval": mean.known}
    found["payoffs"] = [
        {
            "player": one.name, "field": field, "reward": one.reward.value,
            "interval": one.reward.known, "rounds": count * game.num_seats,
        }
        for field, result in zip(fields, results, strict=True)
        for one in result.players
    ]  # fmt: skip
    return found


def _among(
    settings: Settings,
    game: Game,
    players: dict[str, Given],
    deals: int,
    first_seed: int,
    estimator: str,
) -> arena.Result:
    """The result of a learner and of the one that has all other seats."""
    field = [*players.values()][1]
    result = arena.play(
        players, game, field=field, deals=deals, first_seed=first_seed, estimator=estimator,
        baseline=field if estimator == PAIRED else None, num_threads=settings.threads,
    )  # fmt: skip
    if result.players[0].forfeits:
        raise RuntimeError(f"the learner failed in play: {result.players[0].reason}")
    return result


def _note(line: dict[str, Any]) -> str:
    return f"{line['steps'] / 1e6:.1f} M steps, {line['return']:.2f} a round"
