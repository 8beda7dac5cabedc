"""An agent's answers to the positions of the suite, in words: a score of 200 calls.

>>> from mhing.arena import words
>>> report = words.run("expert", tasks=["general_points"], quick=True)
>>> len(report.answers), report.score.value > 0
(4, True)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from math import inf, sqrt
from statistics import fmean, stdev
from typing import Any

import mhing
from mhing._lib.arguments import positive
from mhing.arena.asking import checked_retries
from mhing.arena.benchmark import Entry, entries_of
from mhing.arena.deals import HOPELESS
from mhing.arena.figures import LEVEL, student
from mhing.arena.latency import Latency, Times
from mhing.arena.paired import RAW
from mhing.arena.positions import LEVELS, VERSION, Position, positions, scale
from mhing.arena.result import Interrupted, Mean, costs
from mhing.arena.suite import QUICK, TASKS, chosen
from mhing.machine import machine
from mhing.players import Command, Given, Guest, Player
from mhing.players.asking import CannotPlay, Spent, answered, reason
from mhing.players.seating import called, split_name
from mhing.state import State
from mhing.text.answers import Refusal
from mhing.text.texts import Texts
from mhing.words import plural

_LONGEST = 200
"""Characters of a reason in a report."""


@dataclass(frozen=True)
class Answer:
    """An agent's answer to a position."""

    position: Position
    player: str
    """The player: one of those that the agent is made of."""
    move: str | None
    """The text of its move; None: it gave none that is legal, which counts as the worst one."""
    regret: float
    """The loss by the move, in the unit of the task's rewards."""
    refused: int
    """Replies that were no legal move."""
    reason: str | None
    """The reason for the last refusal, or the exception that it has raised."""
    seconds: float | None
    """The time of all replies to the question; None of a built-in bot."""
    replied: bool
    """False: it has raised an exception each time."""

    @property
    def score(self) -> float:
        """1 for the best move; on average 0 for moves that are drawn."""
        return 1 - self.regret / scale(self.position.task, self.position.level)


@dataclass(frozen=True)
class WordsReport:
    """The answers of an agent."""

    agent: str
    about: str
    form: str
    """The form of the texts: :attr:`mhing.text.Texts.name` without its part about rules."""
    quick: bool
    answers: Sequence[Answer]
    asked: int
    """Positions that were to be answered."""
    tokens: Mapping[str, int] | None
    """Counted up meanwhile by the agent in its attribute `usage`; None: it has none."""
    stopped: str | None
    """The reason why positions were left out: ten questions in a row without a reply, settings that
    are wrong, or budgets that were spent, with their tasks; or None."""
    latency: Latency | None
    machine: str
    date: str
    """The day of the run, in UTC."""

    @property
    def citable(self) -> bool:
        """True for answers to all positions of all tasks."""
        return len(self.answers) == len(positions())

    @property
    def score(self) -> Mean:
        """Over the positions that were answered; the interval is by position."""
        return _mean([one.score for one in self.answers])

    def by_task(self) -> dict[str, Mean]:
        """The same for each task."""
        tasks = dict.fromkeys(one.position.task for one in self.answers)
        return {
            name: _mean([one.score for one in self.answers if one.position.task == name])
            for name in tasks
        }

    def by_level(self) -> dict[int, Mean]:
        """The same for each level of difficulty, from 1 on."""
        found = {
            level: [one.score for one in self.answers if one.position.level == level]
            for level in range(1, LEVELS + 1)
        }
        return {level: _mean(scores) for level, scores in found.items() if scores}

    @property
    def refused(self) -> int:
        """Replies that were no legal move."""
        return sum(one.refused for one in self.answers)

    @property
    def lost(self) -> int:
        """Positions without a legal move in the end."""
        return sum(one.move is None for one in self.answers)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "mhing benchmark words": VERSION,
            "mhing": mhing.__version__,
            "agent": self.agent,
            "about": self.about,
            "form": self.form,
            "quick": self.quick,
            "citable": self.citable,
            "level": LEVEL,
            "score": _plain(self.score),
            "by_task": {name: _plain(score) for name, score in self.by_task().items()},
            "by_level": {str(level): _plain(score) for level, score in self.by_level().items()},
            "refused": self.refused,
            "lost": self.lost,
            "tokens": None if self.tokens is None else {**self.tokens},
            "stopped": self.stopped,
            "latency": self.latency and asdict(self.latency),
            "answers": [
                {
                    "task": one.position.task,
                    "level": one.position.level,
                    "seed": str(one.position.seed),
                    "player": one.player,
                    "move": one.move,
                    "regret": one.regret,
                    "score": round(one.score, 4),
                    "refused": one.refused,
                    "reason": one.reason,
                }
                for one in self.answers
            ],
            "machine": self.machine,
            "date": self.date,
        }

    def notes(self) -> list[str]:
        """Return remarks on the result, in lines."""
        notes = ["the best move is 1, random moves 0; 95 % intervals by position"]
        if len(self.answers) < self.asked:
            notes.append(f"ended early: {len(self.answers)} of {plural(self.asked, 'position')}")
        if self.quick:
            notes.append(f"one position in {QUICK} was asked: these figures are not for citing")
        if self.refused:
            reasons = [one.reason for one in self.answers if one.reason]
            lost = f"{plural(self.lost, 'position')} lost"
            notes.append(f"no legal move in {plural(self.refused, 'answer')}, {lost}: {reasons[0]}")
        if self.tokens:
            notes.append(f"costs: {costs(self.tokens)}")
        if self.latency and self.latency.median is not None:
            notes.append(
                f"seconds an answer: median {self.latency.median:.3g}, "
                f"longest {self.latency.longest:.3g}"
            )
        return [*notes, f"{self.machine}; {self.date}"]


def run(
    agent: Given,
    *,
    tasks: Sequence[str] | None = None,
    quick: bool = False,
    legal: str = "all",
    about: str = "",
    retries: int = 0,
    jobs: int = 1,
    progress: Callable[[int, int, str, Callable[[], WordsReport]], None] | None = None,
) -> WordsReport:
    """Ask an agent about the positions.

    A callable is asked as ``agent(text, mask, info)``, whatever its attribute `sees` says: `text`
    is what the seat sees, ``info["system"]`` says the rules and the form of answers, and after a
    reply that is no move ``info["refused"]`` says why. It returns a text or the id of an action. An
    attribute `usage`, a mapping of numbers such as ``{"prompt_tokens": 0}`` that it counts up, is
    reported. Built-in bots are asked as in the arena.

    Args:
        agent: as :func:`mhing.arena.benchmark.run` takes it, but no program and no guest.
        tasks: the positions of these tasks, or of games for all of theirs; None: all.
        quick: one of `QUICK` positions; such figures are not for citing.
        legal: which legal moves the texts list, as :class:`mhing.text.Texts` has it.
        about: what the agent is, for the report.
        retries: times that it is asked again after a reply that is no legal move.
        jobs: positions about which it is asked at once.
        progress: is called with the number of answers, that of positions, the name of the task,
            and a function that returns the report so far.

    Raises:
        ValueError: an argument has a value that it cannot have.
        CannotPlay: the agent says at the first position that it is set up wrongly; a ValueError.
        TypeError: an argument is of the wrong type.
        ModuleNotFoundError: an extra is missing.
        mhing.arena.Interrupted: Ctrl-C; it has the report of the answers, if there are any.
    """
    checked_retries(retries)
    wanted = {task.name for task in (TASKS if tasks is None else chosen(tasks))}
    asked = [one for one in positions() if one.task in wanted][:: QUICK if quick else 1]
    if not asked:
        known = ", ".join(dict.fromkeys(one.task for one in positions()))
        raise ValueError(f"tasks: none of these has positions; {known} have")
    names = {one.task for one in asked}
    askers = {
        entry.task.name: _Asker(entry, legal, retries)
        for entry in entries_of(agent, [task for task in TASKS if task.name in names], False, RAW)
    }
    usage = {id(one.usage): one.usage for one in askers.values() if one.usage is not None}
    before = {key: {**counts} for key, counts in usage.items()}
    name, player = split_name(agent)
    answers, times, spent = list[Answer](), Times(), dict[str, str]()
    stopped: str | None = None

    def report() -> WordsReport:
        tokens: dict[str, int] | None = {} if usage else None
        for key, counts in usage.items():
            assert tokens is not None
            for what, count in counts.items():
                tokens[what] = tokens.get(what, 0) + count - before[key].get(what, 0)
        form = next(iter(askers.values())).texts.name.replace(" rules=guide", "")
        own, date = name or called(player), datetime.now(timezone.utc).strftime("%Y-%m-%d")
        return WordsReport(
            own,
            about,
            form,
            quick,
            [*answers],
            len(asked),
            tokens,
            stopped,
            times.latency(),
            machine(),
            date,
        )

    interrupt, silent = None, 0
    with ThreadPoolExecutor(positive(jobs, "jobs")) as threads:
        replies = threads.map(lambda one: askers[one.task].ask(one), asked)
        try:
            for position, one in zip(asked, replies, strict=True):
                if isinstance(one, Spent):
                    spent[position.task] = f"{position.task}: {one}"
                    stopped = "; ".join(spent.values())
                    continue
                answers.append(one)
                if one.seconds is not None:
                    times.add(one.seconds)
                if progress:
                    progress(len(answers), len(asked), one.position.task, report)
                silent = 0 if one.replied else silent + 1
                if silent == HOPELESS:
                    stopped = (
                        f"{one.player} has not replied {HOPELESS} times in a row: {one.reason}"
                    )
                    threads.shutdown(wait=False, cancel_futures=True)
                    break
        except CannotPlay as error:
            if not answers:
                raise
            stopped = str(error)
        except KeyboardInterrupt as error:
            interrupt = error
            threads.shutdown(wait=False, cancel_futures=True)
    if interrupt:
        raise Interrupted(report()) if answers else interrupt
    if not answers:
        raise CannotPlay(stopped)
    return report()


class _Asker:
    """Asks the player of a task."""

    def __init__(self, entry: Entry, legal: str, retries: int) -> None:
        self._player: Player = entry.player
        if isinstance(self._player.plays, Command | Guest):
            raise ValueError(
                f"agent: {entry.name} plays outside this process; a callable or a bot can be asked "
                "about positions"
            )
        self._name, self._retries = entry.name, retries
        self.texts = Texts(self._player.game, legal)
        self._system = self.texts.system()
        usage = getattr(self._player.plays, "usage", None)
        self.usage: Mapping[str, int] | None = usage if isinstance(usage, Mapping) else None

    def ask(self, position: Position) -> Answer | Spent:
        """Return the answer to a position, unless the budget for it is spent."""
        state, failures = position.state(self.texts.game), list[Refusal | Exception]()
        begun = time.monotonic()
        try:
            action = self._action(state, position.seed, failures)
        except Spent as error:
            return error
        seconds = None if isinstance(self._player.plays, int) else time.monotonic() - begun
        move, regret = None, max(position.regrets)
        if action is not None:
            move = self.texts.game.action_text(action)
            regret = position.regrets[state.legal_actions().tolist().index(action)]
        said = [reason(one) if isinstance(one, Exception) else str(one) for one in failures[-1:]]
        last = said[0][:_LONGEST] if said else None
        replied = action is not None or any(isinstance(one, Refusal) for one in failures)
        return Answer(position, self._name, move, regret, len(failures), last, seconds, replied)

    def _action(self, state: State, seed: int, failures: list[Refusal | Exception]) -> int | None:
        """Return its legal move, None if it gives none; add replies that are none, and what it has
        raised.
        """
        if isinstance(self._player.plays, int):
            return self._player.choose(state, seed)
        text, mask = self.texts.observation(state), state.action_mask()
        info: dict[str, Any] = {"seat": state.seat, "system": self._system}
        for _ in range(1 + self._retries):
            try:
                own = info | {"action_mask": mask.copy()}
                reply = answered(self._player.policy(text, mask.copy(), own))
            except CannotPlay:
                raise
            except Exception as error:  # whatever its code raises
                failures.append(error)
                continue
            read = self.texts.read(reply, mask, self.texts.status(state))
            if not isinstance(read, Refusal):
                return read.action
            failures.append(read)
            info["refused"] = self.texts.help(read)
        return None


def _mean(scores: Sequence[float]) -> Mean:
    if len(scores) < 2:
        return Mean(fmean(scores), inf)
    half = student(len(scores) - 1) * stdev(scores) / sqrt(len(scores))
    return Mean(fmean(scores), half)


def _plain(mean: Mean) -> dict[str, float | None]:
    return {"value": mean.value, "interval": mean.known}
