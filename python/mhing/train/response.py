"""An estimate of how exploitable an agent is: one seat learns against frozen copies of it.

What the learner then earns more than the agent earns in its place is a lower bound on how
exploitable the agent is: on what a best response to it gains, as the mean over the seats. Another
player may earn still more against it. In a game for two in which one wins what the other loses, a
best response gains half of what others call NashConv.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mhing._lib.arguments import one_of
from mhing.arena.figures import LEVEL
from mhing.arena.paired import ESTIMATORS, PAIRED, RAW, check_plays_out
from mhing.arena.result import Mean
from mhing.options import Value
from mhing.players.seating import seat
from mhing.train import run as training
from mhing.train.folder import RunFolder
from mhing.train.learner import Settings
from mhing.train.run import Progress, Run

MEANING = "a lower bound: another player may earn still more against it"


@dataclass(frozen=True)
class Response:
    """The result of a learner against an agent."""

    agent: str
    game: str
    options: Mapping[str, Value]
    method: str
    steps: int
    """Decisions that it learned from."""
    seconds: float
    """The time of learning."""
    deals: int
    """Held out: nothing was learned from them."""
    unit: str
    """The unit of rewards."""
    learner: Mean
    """Its mean reward in a game, in each seat in turn, with the agent in all others."""
    own: Mean
    """The agent's mean reward in its place, with the same deals."""
    difference: Mean
    """The first less the second in the same deals, by the estimator."""
    estimator: str
    """The estimator of the difference, see :func:`mhing.arena.play`."""
    raw: Mean
    """The difference by rewards alone."""
    curve: Sequence[Mapping[str, Any]]
    """The difference while it learned, on fewer deals: ``seconds``, ``steps``, ``difference``."""

    @property
    def found(self) -> bool:
        """True if the learner earns significantly more than the agent."""
        return self.difference.value > self.difference.interval

    @property
    def bound(self) -> float:
        """An estimate of the bound; 0 where nothing was found."""
        return self.difference.value if self.found else 0.0

    @property
    def verdict(self) -> str:
        """The bound in words."""
        if self.found:
            least = f"at least {self.difference} {self.unit} a game"
            return f"exploitability of {self.agent}: {least}; {MEANING}"
        return (
            f"exploitability of {self.agent}: nothing was found, so the lower bound is 0; another "
            "player may earn more"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        plain = asdict(self)
        for name in ("learner", "own", "difference", "raw"):
            mean: Mean = getattr(self, name)
            plain |= {name: mean.value, f"{name}_interval": mean.known}
        return {
            "bound": self.bound,
            "found": self.found,
            "meaning": MEANING,
            "level": LEVEL,
            **plain,
        }


def start(path: str | Path, agent: str, settings: Settings, estimator: str = RAW) -> Run:
    """Begin a run against an agent.

    Args:
        path: the folder of the run.
        agent: as :func:`mhing.arena.play` takes players in texts, but for programs and for names
            before ``=``. One that another run learns (``run:FOLDER``) should be at its end, because
            it is read again for evaluations.
        settings: of the run; `agent` takes all other seats, also in evaluations.
        estimator: of the difference at the end: ``"raw"``, or ``"paired"`` if the agent is a
            built-in bot, see :func:`mhing.arena.play`.

    Raises:
        ValueError: an argument cannot be used, or there is a run in the folder.
        OSError: the folder cannot be made or written to.
        ModuleNotFoundError: an extra is missing.
    """
    settings = replace(settings, opponents=(agent,), against=agent)
    _check_estimator(settings, estimator)
    run = training.start(path, settings)
    run.estimator = estimator
    return run


def resume(
    path: str | Path,
    workers: int | None = None,
    ray: str | None = None,
    *,
    estimator: str = RAW,
    **longer: Any,
) -> Run:
    """Resume such a run; see :func:`start` and ``mhing.train.run.resume`` for the arguments.

    Raises:
        ValueError: there is none, or the estimator cannot be used.
    """
    settings = RunFolder.open(path).settings
    if settings.opponents != (settings.against,):
        raise ValueError(f"{str(path)!r} holds no run of mhing exploit, but one of mhing train")
    _check_estimator(settings, estimator)
    run = training.resume(path, workers, ray, **longer)
    run.estimator = estimator
    return run


def _check_estimator(settings: Settings, estimator: str) -> None:
    """Refuse what would fail at the end, before anything is learned."""
    one_of("estimator", estimator, [*ESTIMATORS])
    if estimator == PAIRED:
        assert settings.against
        check_plays_out(seat(settings.against, settings.make_game(), "agent"), "agent")


def response(run: Run, final: Mapping[str, Any]) -> Response:
    """Return the response of a run from the result of its `finish`."""
    settings, counts = run.settings, run.counts
    lines = [line for line in run.folder.lines() if "evaluation" in line]
    return Response(
        agent=final["against"],
        game=settings.game,
        options=settings.options,
        method=settings.method,
        steps=int(counts["steps"]),
        seconds=counts["seconds"],
        deals=final["deals"],
        unit=final["unit"],
        learner=_mean(final, "reward"),
        own=_mean(final, "baseline"),
        difference=_mean(final, "more"),
        estimator=final["estimator"],
        raw=_mean(final, "raw"),
        curve=[
            {
                "seconds": line["seconds"],
                "steps": line["steps"],
                "difference": line["evaluation"]["more"],
                "interval": line["evaluation"]["more_interval"],
            }
            for line in lines
        ],
    )


def _mean(found: Mapping[str, Any], name: str) -> Mean:
    width = found[f"{name}_interval"]
    return Mean(found[name], math.inf if width is None else width)


def exploit(
    agent: str,
    path: str | Path,
    *,
    estimator: str = RAW,
    progress: Progress = lambda *_: None,
    **settings: Any,
) -> Response:
    """Learn against an agent, to the end.

    Args:
        agent: as for :func:`start`.
        estimator: as there.
        path: the folder of the run, which is made.
        progress: is called with the part that is done, 0 to 1, and a note.
        settings: those of ``mhing.train.learner.Settings``.

    Raises:
        KeyboardInterrupt: it was stopped; :func:`resume` continues it.
        ValueError, OSError, ModuleNotFoundError: see :func:`start`.
    """
    run = start(path, agent, Settings(**settings), estimator)
    run.learn(progress)
    if run.stopped:
        raise KeyboardInterrupt
    return response(run, run.finish())
