"""An agent in the suite: what it earns in each task, and its score.

>>> from mhing.arena import benchmark
>>> report = benchmark.run("expert", tasks=["general_points"], quick=True)
>>> report.outcomes[0].score.value > 0
True
"""

from __future__ import annotations

import csv
import io
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from random import Random
from statistics import NormalDist, mean, stdev
from typing import Any

import mhing
from mhing._support.files import make_private
from mhing.arena.figures import LEVEL
from mhing.arena.paired import PAIRED, RAW
from mhing.arena.result import Interrupted, Mean, Result
from mhing.arena.suite import CLOCK, QUICK, TASKS, VERSION, ZERO, Task, chosen
from mhing.arena.tournament import play
from mhing.machine import machine
from mhing.players import Command, Given, Guest, Player
from mhing.players.asking import Spent
from mhing.players.player import START
from mhing.players.seating import called, line_up, split_name
from mhing.words import plural

_log = logging.getLogger(__name__)

_REDRAWN = 2000  # times, for the interval of a score
_NORMAL = NormalDist()

VIEWS = ("observation", "hints", "features", "words", "world")
"""Views of an agent: the observation alone, with the game's hints, quantities that the engine
computes, as built-in bots take them, sentences, or a state whose hidden cards are dealt anew."""

OR = " or "
"""Between several players of which an agent is made."""


@dataclass(frozen=True)
class Outcome:
    """The result of an agent in a task."""

    task: Task
    player: str
    """The player: one of those that the agent is made of."""
    deals: int
    games: int
    reward: Mean
    """A game, in the unit of the task's rewards."""
    zero: Mean
    """The reward of `ZERO` with the same deals."""
    difference: Mean
    """The first less the second in the same deals, by the estimator."""
    raw: Mean
    """The same by rewards alone."""
    estimator: str
    """The estimator of the difference."""
    forfeits: int
    """Games that it lost by an exception, an illegal answer, or its clock."""
    reason: str | None
    """The reason for the first forfeit."""
    forfeits_of_field: int
    """Seats that were lost in this way by the field, which can be copies of the agent."""
    seconds: float
    """The wall-clock time of this run."""
    resumed: bool
    """True if a log held deals of an earlier run."""
    seed: int | None
    """The drawn seed, for :func:`mhing.arena.play`; None: the deals are the task's public ones."""
    stopped: str | None
    """The reason why the task ended before its last deal; None: it did not."""

    @property
    def score(self) -> Mean:
        """The difference in steps of the task: 0 for greedy, some 1 for expert."""
        step = self.task.step.value
        return Mean(self.difference.value / step, self.difference.interval / step)


@dataclass(frozen=True)
class Report:
    """An agent's row of the benchmark; see :func:`run`."""

    agent: str
    about: str
    views: Collection[str]
    """The agent's views, of `VIEWS`."""
    quick: bool
    ranked: bool
    """True if the deals were drawn, so that nobody knew them before; the seeds name them."""
    outcomes: Sequence[Outcome]
    machine: str
    date: str
    """The day of the run, in UTC."""

    @property
    def citable(self) -> bool:
        """True if all deals of all tasks were played."""
        return not self.quick and self.stopped is None and len(self.outcomes) == len(TASKS)

    @property
    def stopped(self) -> str | None:
        """The first task that ended before its last deal, and the reason; None: none did."""
        found = (f"{one.task.name}: {one.stopped}" for one in self.outcomes if one.stopped)
        return next(found, None)

    @property
    def score(self) -> Mean:
        """Over the tasks that were played."""
        return aggregate([outcome.score for outcome in self.outcomes])

    def by_game(self) -> dict[str, Mean]:
        """The same for each game's tasks."""
        games = dict.fromkeys(outcome.task.game for outcome in self.outcomes)
        return {
            game: aggregate([one.score for one in self.outcomes if one.task.game == game])
            for game in games
        }

    def self_play(self) -> Mean | None:
        """The same for the tasks among copies of the agent; None: none was played."""
        scores = [one.score for one in self.outcomes if one.task.is_self_play]
        return aggregate(scores) if scores else None

    def players(self) -> dict[str, list[str]]:
        """The tasks of each player of which the agent is made."""
        names = dict.fromkeys(outcome.player for outcome in self.outcomes)
        return {
            name: [one.task.name for one in self.outcomes if one.player == name] for name in names
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "mhing benchmark": VERSION,
            "mhing": mhing.__version__,
            "agent": self.agent,
            "about": self.about,
            "views": [*self.views],
            "clock": CLOCK,
            "quick": self.quick,
            "ranked": self.ranked,
            "citable": self.citable,
            "level": LEVEL,
            "score": asdict(self.score),
            "by_game": {game: asdict(score) for game, score in self.by_game().items()},
            "self_play": (among := self.self_play()) and asdict(among),
            "tasks": [_plain(outcome) | {"date": self.date} for outcome in self.outcomes],
            "seconds": round(sum(outcome.seconds for outcome in self.outcomes), 1),
            "machine": self.machine,
            "date": self.date,
        }

    def notes(self) -> list[str]:
        """Return remarks on the result, in lines."""
        notes = ["greedy is 0, expert some 1; 95 % intervals by deal"]
        if paired := [one.task.name for one in self.outcomes if one.estimator == PAIRED]:
            which = "" if len(paired) == len(self.outcomes) else f" in {', '.join(paired)}"
            notes.append(f"differences{which} by pairs of play-outs with {ZERO}, not by rewards")
        if not self.ranked:
            notes.append("public deals, for reproduction: results that rank agents take --ranked")
        if self.quick:
            notes.append(f"one deal in {QUICK} was played: these figures are not for citing")
        if len(self.outcomes) < len(TASKS):
            notes.append(
                f"{len(self.outcomes)} of {len(TASKS)} tasks: this is no score of the suite"
            )
        if len(self.players()) > 1:
            notes += [f"{name} played {', '.join(tasks)}" for name, tasks in self.players().items()]
        for one in self.outcomes:
            if one.stopped:
                deals = plural(one.deals, "deal")
                notes.append(f"{one.task.name}: ended early, after {deals}: {one.stopped}")
            if one.forfeits:
                count = f"{one.forfeits:,} of {plural(one.games, 'game')}"
                notes.append(f"{one.task.name}: {count} forfeited: {one.reason}")
            if one.forfeits_of_field:
                seats = plural(one.forfeits_of_field, "seat")
                notes.append(f"{one.task.name}: the field forfeited {seats}")
        if any(one.resumed for one in self.outcomes):
            notes.append("continued from logs: the seconds are those since then")
        return [*notes, f"{self.machine}; {self.date}"]

    def csv(self) -> str:
        """A line for each task."""
        out = io.StringIO()
        rows = [{"suite": VERSION, "agent": self.agent} | _plain(one) for one in self.outcomes]
        writer = csv.DictWriter(out, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()


def run(
    agent: Given,
    *,
    tasks: Sequence[str] | None = None,
    quick: bool = False,
    ranked: bool = False,
    hints: bool = False,
    about: str = "",
    estimator: str = RAW,
    start: float = START,
    retries: int = 0,
    jobs: int = 1,
    environment: Collection[str] = (),
    logs: str | Path | None = None,
    num_threads: int = 1,
    progress: Callable[[int, int, str, Callable[[], Result]], None] | None = None,
) -> Report:
    """Play an agent's tournaments in the suite.

    Args:
        agent: as :func:`mhing.arena.play` takes players. In a text, ``{task}``, ``{game}`` and
            ``{players}`` stand for those of the task, since a network fits one game and one number
            of players: ``"onnx:nets/{task}.onnx"``. Of several with ``or`` between them, as in
            ``"net or expert"``, the first plays that can, task by task; the report says who did.
        tasks: names of tasks, or of games for all of theirs; None: all.
        quick: plays one of `QUICK` deals; such figures are not for citing.
        ranked: draws a seed for each task, which the report has, so that nobody can know the deals
            before; others are public, for reproduction.
        hints: the observation has the game's hints.
        about: what the agent is and how it was trained, for the report.
        estimator: ``"raw"`` or ``"paired"``, as for :func:`mhing.arena.play`: of the same scores,
            with narrower intervals for agents that are slow. Tasks in which the agent is the field
            have the raw one, unless it is a built-in bot.
        start: as for :func:`mhing.arena.play`.
        retries: as there.
        jobs: as there.
        environment: as there.
        logs: a folder with the log of each task; made if it does not exist. After a kill the run
            continues where they end. A full run continues with the deals of a quick one.
        num_threads: for the games between built-in bots; results do not depend on it.
        progress: is called with the number of games that are done, that of all, the name of the
            task, and a function that returns its result so far.

    Raises:
        ValueError: an argument has a value that it cannot have, or a log is another tournament's;
            agents that cannot play a task, or are one of several that can play none, are found
            before anything is played.
        TypeError: an argument is of the wrong type.
        ModuleNotFoundError: an extra is missing.
        OSError: a log cannot be read or written.
        mhing.arena.Interrupted: Ctrl-C; it has the report of what was played, if a task has two
            deals or more.
    """
    if isinstance(tasks, str):
        raise TypeError(f"tasks: {tasks!r} is a text; give a sequence of names")
    entered = [*TASKS] if tasks is None else chosen(tasks)
    if not entered:
        raise ValueError("tasks: none are given")
    entries = entries_of(agent, entered, hints, estimator)
    if logs is not None:
        make_private(Path(logs))
    games_done, games_all = 0, sum(_games(task, _deals(task, quick)) for task in entered)
    outcomes: list[Outcome] = []
    name, player = split_name(agent)

    def report() -> Report:
        shown = {view for entry in entries for view in entry.views}
        views = [view for view in VIEWS if view in shown]
        date = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        own = name or called(player)
        return Report(own, about, views, quick, ranked, outcomes, machine(), date)

    for entry in entries:
        task = entry.task

        def show(
            deals: int, so_far: Callable[[], Result], task: Task = task, before: int = games_done
        ) -> None:
            if progress:
                progress(before + _games(task, deals), games_all, task.name, so_far)

        try:
            outcome, interrupt = _enter(
                entry,
                quick,
                ranked,
                None if logs is None else Path(logs) / f"{task.name}.jsonl",
                start=start,
                retries=retries,
                jobs=jobs,
                environment=environment,
                num_threads=num_threads,
                progress=show,
            )
        except Spent as error:
            left_out, interrupt = f"{task.name}: {error}", None
            _log.warning("%s; no deal is over", left_out)
        else:
            left_out = f"{task.name}: {outcome.stopped}"
            if outcome.deals > 1:
                outcomes.append(outcome)
        if interrupt:
            raise Interrupted(report()) if outcomes else interrupt
        games_done += _games(task, _deals(task, quick))
    if not outcomes:
        raise ValueError(f"agent: {left_out}")
    return report()


def row(report: Mapping[str, Any]) -> list[str]:
    """The row of a report, given as plain data, in the table of results."""
    return [
        report["agent"],
        report["about"],
        ", ".join(report["views"]),
        "drawn" if report["ranked"] else "public",
        _mean(report["score"]),
        *(_mean(report["by_game"][game]) for game in dict.fromkeys(task.game for task in TASKS)),
        _mean(report["self_play"]),
        f"{report['seconds']:,.0f}",
        report["machine"],
        report["date"],
    ]


def _mean(plain: Mapping[str, float] | None) -> str:
    return "not played" if plain is None else str(Mean(plain["value"], plain["interval"]))


def _enter(
    entry: Entry,
    quick: bool,
    ranked: bool,
    log: Path | None,
    **settings: Any,
) -> tuple[Outcome, Interrupted | None]:
    """Play one task; Ctrl-C is returned with what was played."""
    resumed, begun = log is not None and log.exists(), time.perf_counter()
    task, interrupt = entry.task, None
    try:
        result = play(
            [entry.player, ZERO],
            entry.player.game,
            field=task.company(entry.player),
            deals=_deals(task, quick),
            first_seed=None if ranked else task.seed,
            estimator=entry.estimator,
            baseline=ZERO if entry.estimator == PAIRED else None,
            log=log,
            clock=CLOCK,
            **settings,
        )
    except Interrupted as error:
        result, interrupt = error.result, error
    own, zero = result.players
    outcome = Outcome(
        task,
        entry.name,
        result.deals,
        own.games,
        own.reward,
        zero.reward,
        result.pairs[0].difference,
        result.pairs[0].raw,
        result.estimator,
        own.forfeits,
        own.reason,
        result.forfeits_of_field,
        time.perf_counter() - begun,
        resumed,
        result.seed,
        result.stopped,
    )
    return outcome, interrupt


def _deals(task: Task, quick: bool) -> int:
    return task.deals // QUICK if quick else task.deals


def _games(task: Task, deals: int) -> int:
    """The number of games: the agent's and those of `ZERO`, each in all seats."""
    return 2 * task.seats * deals


@dataclass(frozen=True)
class Entry:
    """The agent's player of a task."""

    task: Task
    name: str
    """The player's name in the report."""
    player: Player
    estimator: str

    @property
    def views(self) -> Sequence[str]:
        """Its views, of `VIEWS`."""
        if isinstance(self.player.plays, int):
            return ("features",)
        if isinstance(self.player.plays, Command | Guest):
            return ("observation", "words")
        return (self.player.view.shows,)


def entries_of(agent: Given, tasks: Sequence[Task], hints: bool, estimator: str) -> list[Entry]:
    """Return who plays each task.

    Raises:
        ValueError: nobody can play a task, or one of several players can play none.
    """
    name, player = split_name(agent)
    parts: dict[str, Given] = {name or called(player): agent}
    if isinstance(agent, str) and isinstance(player, str):
        parts = {part: agent.removesuffix(player) + part for part in player.split(OR)}
    chosen: list[Entry] = []
    refused: dict[str, ValueError] = {}
    for task in tasks:
        game = task.make_game(hints)
        for part, given in parts.items():
            try:
                (one,) = line_up([_of_task(given, task)], game, f"agent in {task.name}")
            except ValueError as error:
                refused.setdefault(part, error)
                if part == [*parts][-1]:
                    raise
            else:
                can_be_field = isinstance(one.plays, int) or not task.is_self_play
                chosen.append(Entry(task, part, one, estimator if can_be_field else RAW))
                break
    for part, reason in refused.items():
        if part not in {entry.name for entry in chosen}:
            raise reason
    return chosen


def _of_task(agent: Given, task: Task) -> Given:
    """Return the agent with the words in braces replaced by the task's."""
    if isinstance(agent, str):
        words = {"task": task.name, "game": task.game, "players": str(task.seats)}
        for name, word in words.items():
            agent = agent.replace(f"{{{name}}}", word)
    return agent


def aggregate(scores: Sequence[Mean]) -> Mean:
    """The interquartile mean of scores, with its interval.

    A quarter of the tasks at each end is left out, so that no single task decides. The interval is
    that of a bootstrap of deals within each task: with hundreds of them, a task's mean redrawn is
    one from the normal distribution about it, which is what is drawn here, from a fixed seed.
    """
    width = _NORMAL.inv_cdf((1 + LEVEL) / 2)
    rng = Random(0)
    redrawn = [
        _interquartile([one.value + one.interval / width * _normal(rng) for one in scores])
        for _ in range(_REDRAWN)
    ]
    return Mean(_interquartile([score.value for score in scores]), width * stdev(redrawn))


def _interquartile(values: Sequence[float]) -> float:
    cut = len(values) // 4
    return mean(sorted(values)[cut : len(values) - cut])


def _normal(rng: Random) -> float:
    return _NORMAL.inv_cdf(rng.random() or 0.5)


def _plain(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data."""
    means = {
        "reward": outcome.reward,
        ZERO: outcome.zero,
        "difference": outcome.difference,
        "raw_difference": outcome.raw,
        "score": outcome.score,
    }
    flat: dict[str, float | None] = {}
    for name, one in means.items():
        flat |= {name: one.value, f"{name}_interval": one.known}
    return {
        "task": outcome.task.name,
        "player": outcome.player,
        "deals": outcome.deals,
        "games": outcome.games,
        "seed": outcome.seed,
        **flat,
        "estimator": outcome.estimator,
        "forfeits": outcome.forfeits,
        "first_forfeit": outcome.reason,
        "forfeits_of_field": outcome.forfeits_of_field,
        "seconds": round(outcome.seconds, 1),
        "resumed": outcome.resumed,
        "stopped": outcome.stopped,
    }
