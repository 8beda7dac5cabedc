"""The interface between the trainer and a method of learning, and the settings of a run.

A method is a module named in `METHODS` with a dataclass ``Tuning``, whose fields all have default
values, and ``make(game, settings, tuning)``, which returns a :class:`Learner`. It raises ValueError
where the method cannot learn this game, before it has played anything. `SEES` says what it can see
of a position: `FEATURES` or `OBSERVATION`, first what it learns better from. `TEACHER` is the bot
that it learns from at first where none is named, or the default bot where a game has none of this
name; `NEEDED` says whether it must have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from mhing._lib.arguments import INT
from mhing.game import DEFAULT_GAME, Game
from mhing.options import Value
from mhing.players.seating import OUTSIDE, Given, seat
from mhing.train.clock import Clock
from mhing.train.schemas import check, schema_of

METHODS = {"fitted": "mhing.train.fitted", "ppo": "mhing.train.ppo"}
"""The module of each method, by its name."""

SELF, LEAGUE = "self", "league"
"""Opponents that learn along: the learner itself, and its past together with the bots."""

FRESH = 1 << 48
"""The first seed of the deals for evaluations, in which no learner may play."""


SEEDS = 1 << 16
"""The number of seeds that runs can have; a learner has all deals up to `FRESH` for each."""


FEATURES = "features"
"""A learner sees what moves leave, in games with features: see `State.afterstates`."""

OBSERVATION = "observation"
"""It sees what its seat may know, as environments show it."""

SECONDS = "seconds_"
"""The prefix of the clock's numbers in the log, followed by the part. Of actors in other
processes the log has the mean, since they play at the same time."""

RENAMED = {
    "trace": "gae_lambda",
    "entropy": "ent_coef",
    "doubt": "imitation_ent_coef",
    "teach": "teacher_share",
    "stray": "explore",
    "held": "held_out",
}
"""Former names of tunings, for an error that says the new one."""

WANTED: dict[str, Value] = {"hints": True}
"""Options with another default value for who sees observations, where a game has them."""


class Learner(Protocol):
    """A method that learns one game: it plays and learns a little with each step."""

    clock: Clock
    """The time of its steps by parts."""

    def begin(self) -> None:
        """Get ready for the first step: call the actors that play elsewhere.

        Raises:
            ValueError: there is nobody who can play.
            ModuleNotFoundError: an extra is missing.
        """

    def step(self) -> dict[str, Any]:
        """Play and learn once.

        Returns:
            Numbers for the log: ``steps`` (decisions learned from) and ``rounds`` (episodes ended),
            both of this iteration, ``return`` (mean reward of an episode), and the method's own; in
            a league also ``league``, what is known of its members by name, see
            :class:`mhing.players.Met`.
        """

    def state(self) -> dict[str, Any]:
        """Return all that is needed to resume: weights, optimizer, generators, counters, games.

        Tensors, numbers, texts, and lists, tuples and dicts of these: what ``torch.load`` reads
        with ``weights_only``.
        """

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned: exact to the bit with one thread on the same machine.

        Raises:
            KeyError, ValueError, RuntimeError: it is not the state of such a learner.
        """

    def player(self) -> Given:
        """Return its present player for :mod:`mhing.arena`: a bot's name or a policy."""

    def rivals(self) -> dict[str, Given]:
        """Return past versions that it meets, by name, for evaluations."""

    def export(self, folder: Path) -> list[Path]:
        """Write what others can play with, ONNX for one, and return the files.

        Raises:
            OSError: a file cannot be written.
            ModuleNotFoundError: an extra is missing.
        """

    def set_progress(self, done: float) -> None:
        """Take the part of the run that is over, 0 to 1, before each step: rates fall by it."""


def _declared(default: Any, metavar: str, text: str, low: float = 0, high: float = 0) -> Any:
    """A setting with its default and its meaning; a number is from `low` to `high`."""
    about = {"metavar": metavar, "help": text, "low": low, "high": high}
    return field(default=default, metadata=about)


def _named(key: str, text: str) -> dict[str, str]:
    """The metadata of values by name; the option and a file's table are called `key`."""
    return {"metavar": "NAME=VALUE", "help": text, "key": key}


@dataclass(frozen=True)
class Settings:
    """The settings of a run, fixed when it begins.

    This is their declaration: from it come the options of the command, and the keys of its files
    with their schema, see :mod:`mhing.train.config`.

    Raises:
        TypeError: a value has another type.
        ValueError: a number is out of range.
    """

    game: str = _declared(DEFAULT_GAME, "GAME", "the game")
    options: dict[str, Value] = field(
        default_factory=dict, metadata=_named("option", "options of the game, see mhing describe")
    )
    method: str = _declared("ppo", "METHOD", "how it learns")
    tuning: dict[str, float] = field(
        default_factory=dict,
        metadata=_named("tune", "a number of the method, where not as usual"),
    )
    minutes: float = _declared(30.0, "M", "how long it learns", 0, 525_600)
    """Without the evaluations."""
    steps: int = _declared(0, "N", "learn from N decisions instead, in whole iterations", 1, INT)
    """0: as many as the minutes allow."""
    opponents: tuple[str, ...] = _declared(
        (),
        "WHO",
        "a player, self, league, or one for each other seat: A,B (default bot); "
        "with fitted any number, of which each seat gets one at random",
    )
    teacher: str | None = _declared(
        None, "BOT", "the bot that it learns from at first; ppo also from none"
    )
    """Nobody if None; but where the method needs a teacher, the default of the command."""
    sees: str | None = _declared(
        None, "WHAT", "features of what moves leave, or the observation (what works best)"
    )
    skip: tuple[str, ...] = _declared(
        (),
        "NAME",
        "features that the network does without, so that it learns and plays faster: A,B of those "
        "in mhing describe GAME",
    )
    against: str | None = _declared(
        None, "WHO", "who evaluations are played against (the opponent)"
    )
    seed: int = _declared(1, "N", "seed of weights and deals", 0, SEEDS - 1)
    threads: int = _declared(1, "N", "threads, at most one for each free core", 1, INT)
    """The threads of torch and of the batch; more than the free cores slow it down."""
    workers: int = _declared(
        1, "N", "processes that play while the learner waits; 1: itself", 1, 256
    )
    """0, with Ray: as many as it has CPUs."""
    ray: str = _declared("", "WHERE", "actors on a Ray cluster: auto, local, HOST:PORT, or none")
    """Empty: on none."""
    device: str = _declared("cpu", "DEVICE", "where the network learns: cpu, cuda")
    deals: int = _declared(10_000, "N", "deals of the evaluation at the end", 2, 10_000_000)
    """A tenth of them are played during the run."""
    log: tuple[str, ...] = _declared(
        (), "KIND:WHERE", "numbers also to tensorboard:DIR, wandb:PROJECT or mlflow:DIR: A,B"
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            value, wanted = getattr(self, one.name), schema_of(one)
            if value is None and one.default is None:
                continue
            if one.name == "steps" or (one.name == "workers" and self.ray):
                wanted["minimum"] = 0  # see there
            check(value, wanted, one.name)
            kind = {"integer": int, "number": float, "array": tuple}.get(wanted["type"])
            if kind:  # numbers of NumPy are no plain ones, and lists no constants
                object.__setattr__(self, one.name, kind(value))
        if self.skip:
            self._check_skip(self.make_game())

    def _check_skip(self, game: Game) -> None:
        try:
            game.feature_places(self.skip)
        except ValueError as error:
            raise ValueError(f"skip: {error}") from error
        twice = [name for name in self.skip if self.skip.count(name) > 1]
        if twice:
            raise ValueError(f"skip: {twice[0]} is named twice; name it once")
        if len(self.skip) == len(game.features):
            raise ValueError(f"skip: these are all features of {game.id}; leave one to learn from")
        if self.sees == OBSERVATION:
            raise ValueError("skip: features are skipped, but observations are seen; leave it out")

    def moved(self, workers: int | None, ray: str | None) -> Settings:
        """The same run, played by others: on Ray or without it, and by as many; None: as before."""
        if ray is None:
            ray = self.ray
        if workers is None:
            workers = self.workers if bool(ray) == bool(self.ray) else int(not ray)
        return replace(self, workers=workers, ray=ray)

    def lasting(self, minutes: float | None, steps: int | None) -> Settings:
        """The same run with another end; None for both: as before. ValueError for two ends."""
        if minutes is None and steps is None:
            return self
        if minutes is not None and steps is not None:
            raise ValueError("steps: the length is given in minutes as well; give one of them")
        return replace(self, minutes=self.minutes if minutes is None else minutes, steps=steps or 0)

    def make_game(self) -> Game:
        """The game; ValueError or TypeError where there is none with these options."""
        return Game(self.game, **self.options)

    def fields(self, game: Game) -> list[str]:
        """Return who has all other seats in evaluations, in one after the other."""
        if self.against:
            return [self.against]
        among = {LEAGUE: bots(game), SELF: []}
        named = [name for one in self.opponents for name in among.get(one, [one])]
        return [*dict.fromkeys(named)] or [game.default_bot]

    def inputs(self, game: Game) -> str:
        """Return the kind of the learner's inputs."""
        return self.sees or usual_inputs(self.method, game)

    def make_learner(self) -> Learner:
        """The learner, not begun.

        Raises:
            ValueError: there is no such method or game, or it cannot learn that.
            ModuleNotFoundError: an extra is missing.
        """
        module, game = method(self.method), self.make_game()
        _check_device(self.device)
        if not self.steps and not self.minutes > 0:
            raise ValueError(f"minutes: {self.minutes:g} is not more than 0")
        if self.inputs(game) not in module.SEES:
            raise ValueError(
                f"sees: {self.method} sees {' or '.join(module.SEES)}, not {self.sees}"
            )
        tuning = module.Tuning(**tuned(module.Tuning, self.tuning))
        learner: Learner = module.make(game, self, tuning)
        for name in self.fields(game):
            seat(name, game, "against", outside=OUTSIDE)
        return learner


def bots(game: Game) -> list[str]:
    """Return the bots in a league: all that play with the game's options, except the first one,
    which plays at random, if there are others.
    """
    able = [bot.name for bot in game.bots if _plays(game, bot.name)]
    return able[1:] or able


def _plays(game: Game, bot: str) -> bool:
    try:
        game.bot_index(bot)
    except ValueError:
        return False
    return True


def _check_device(device: str) -> None:
    import torch  # noqa: PLC0415  slow, and an extra

    try:
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError) as error:  # the latter where torch has no CUDA
        reason = str(error).splitlines()[0]
        raise ValueError(f"device: {device!r} cannot be used: {reason}") from error


def method(name: str) -> Any:
    """The module of a method.

    Raises:
        ValueError: there is no such method.
        ModuleNotFoundError: an extra is missing.
    """
    if name not in METHODS:
        raise ValueError(f"method: {name!r} is none of {', '.join(METHODS)}")
    return import_module(METHODS[name])


def usual_inputs(name: str, game: Game) -> str:
    """Return the kind of inputs that a method uses by default in a game."""
    able = [one for one in method(name).SEES if game.features or one != FEATURES]
    return able[0] if able else FEATURES


def usual_teacher(name: str, game: Game) -> str:
    """The bot that a method learns from at first, where none is named."""
    wanted: str = method(name).TEACHER
    return wanted if wanted in {bot.name for bot in game.bots} else game.default_bot


def tuned(tuning: Any, given: Mapping[str, float]) -> dict[str, float]:
    """The given values in the types of the fields of a dataclass `tuning`.

    Raises:
        ValueError: there is no such field, or it has no such value.
    """
    kinds: dict[str, Any] = {one.name: type(one.default) for one in fields(tuning)}
    values: dict[str, float] = {}
    for name, value in given.items():
        if name not in kinds and RENAMED.get(name) in kinds:
            raise ValueError(f"tuning: {name!r} is called {RENAMED[name]}")
        if name not in kinds:
            raise ValueError(f"tuning: {name!r} is none of {', '.join(kinds)}")
        low, is_whole = (1, True) if kinds[name] is int else (0, False)
        if not low <= value <= INT or (is_whole and int(value) != value):  # NaN is in no range
            wanted = f"{'whole ' * is_whole}number from {low} to {INT}"
            raise ValueError(f"tuning: {name}: {value} is not a {wanted}")
        values[name] = kinds[name](value)
    return values
