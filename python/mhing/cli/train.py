"""``mhing train``: an agent learns any game, in a run that can be stopped and resumed."""

from __future__ import annotations

import argparse
import re
import shlex
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mhing._lib.arguments import INT
from mhing._support.extras import install
from mhing._support.ids import changed
from mhing.cli.common import (
    BadInput,
    ListOption,
    Progress,
    add_game_arguments,
    add_parser,
    folder_path,
    modules_here,
    new_file,
    number,
    options_given,
    players_given,
    print_json,
    several,
    table,
    warnings_in_a_line,
    whole,
)
from mhing.cli.streams import say
from mhing.game import DEFAULT_GAME
from mhing.train.config import NONE, load, over, packaged, settings_of
from mhing.train.config import key_of as config_key
from mhing.train.learner import Settings, method

if TYPE_CHECKING:
    from mhing.train.run import Run

EXAMPLES = """\
examples:
  mhing train --minutes 30 --out runs/first --curve curve.svg
  mhing train mhing --method fitted --steps 2000000
  mhing train general_mhing --reward win --sees observation
  mhing train mexican_rummy --players 3 --opponents greedy,expert
  mhing train general_mhing --opponents self --steps 2000000
  mhing train general_mhing --opponents league --minutes 120
  mhing train --config mhing-fitted --steps 500000
  mhing train --config runs/first/settings.toml --seed 2
  mhing train --ray auto
  mhing train --resume runs/first
  mhing train --resume runs/first --minutes 60        all in all
  mhing arena run:runs/first expert greedy

The folder of a run has settings.toml, log.jsonl with a line for each iteration, checkpoint.pt, a
new one every minute, and at the end evaluation.json and policy.net, policy.onnx or values.net.
Ctrl-C saves and ends; a kill loses a minute.
A run with --steps, one thread and the same seed can be repeated.

Each method is a module of mhing.train that is made to be read.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(commands, "train", run, "train an agent in PyTorch", EXAMPLES)
    add_game_arguments(parser)
    add_settings(parser)
    parser.add_argument(
        "--profile", action="store_true", help="print where the seconds of learning went"
    )
    parser.add_argument(
        "--list-configs", action="store_true", help="list the package's settings for --config"
    )
    parser.set_defaults(command="train", positional=None)


def add_settings(parser: argparse.ArgumentParser, fixed: Collection[str] = ()) -> None:
    """Declare the settings of a run, but for its game; `fixed`: nor these."""
    parser.add_argument(
        "--config",
        metavar="CONFIG",
        help="a file in TOML, or a name of mhing train --list-configs; options come before it",
    )
    for one in fields(Settings):
        if one.name not in ("game", "options", *fixed):
            _add_setting(parser, one)

    def output(name: str, metavar: str, text: str, kind: Any = str) -> None:
        parser.add_argument(f"--{name}", metavar=metavar, type=kind, help=text)

    output("out", "FOLDER", "where the run is written (runs/GAME-METHOD-DATE-TIME)", folder_path)
    output("resume", "FOLDER", "continue the run of this folder; --minutes or --steps: for longer")
    output("curve", "FILE", "draw the learning curve: .svg, .png or .pdf", new_file)
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_setting(parser: argparse.ArgumentParser, one: Field[Any]) -> None:
    """Declare an option by the field of the settings that it sets."""
    about, text = one.metadata, one.metadata["help"]
    kind: dict[str, Any] = {}
    match re.split(r"\W", str(one.type))[0]:
        case "int":
            kind = {"type": whole(about["low"], about["high"])}
        case "float":
            kind = {"type": number(about["low"], about["high"])}
        case "tuple":
            kind = {"action": ListOption}
        case "dict":
            kind = {"action": "append", "default": []}
            text += ", such as learning_rate=0.001; may be repeated"
    if one.default is not MISSING and one.default:
        text += f" ({str(one.default).removesuffix('.0')})"
    parser.add_argument(f"--{config_key(one)}", metavar=about["metavar"], help=text, **kind)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.list_configs:
        rows = [(one.name, one.about, one.measured) for one in packaged()]
        print(table(("name", "what learns", "what it earned"), rows))
        return
    need_extras("train")
    from mhing.train import run as training  # noqa: PLC0415  extras, slow to import

    current, final = learn(args, training.start, training.resume)
    spent = _profile(current) if args.profile else {}
    if args.json:
        print_json(final | spent)
        return
    print_learned(current, final["deals"], final["against"], final["unit"])
    alone = len(final["payoffs"]) == 2  # the learner and the one that has the other seats
    theirs = final["against"] if alone else "in its place"
    for name, mean in (("learner", "reward"), (theirs, "baseline"), ("more", "more")):
        print(f"  {name:<12} {final[mean]:8.3f} ± {final[f'{mean}_interval']:.3f}")
    if not alone:
        print_payoffs(final["payoffs"])
    if final["more"] == final["more_interval"] == 0:
        print(f"\n{_why_the_same(current.settings, theirs)}")
    if spent:
        print_profile(**spent)
    print_place(current, final)


def _why_the_same(settings: Settings, theirs: str) -> str:
    """Say why a learner earns in every deal what another player earns in its place."""
    same = f"Every deal ends as it does with {theirs}: by all these deals they play alike."
    if settings.teacher is None:
        return same
    advice = (
        "a longer run, or another --teacher, may leave it"
        if method(settings.method).NEEDED
        else "--teacher none begins from nothing, and may find other play"
    )
    return f"{same}\nThe learner began as a copy of its teacher {settings.teacher}; {advice}."


def need_extras(command: str, extra: str = "train") -> None:
    """Refuse a command that learns where it cannot."""
    missing = [name for name in ("torch", "onnx", "matplotlib") if find_spec(name) is None]
    if missing:
        raise BadInput(f"{command}: {missing[0]} is missing: {install(extra)}")


def learn(
    args: argparse.Namespace,
    start: Callable[[Path, Settings], Run],
    resume: Callable[..., Run],
) -> tuple[Run, dict[str, Any]]:
    """A run from its begin to its end, or from where it was left, by a command's arguments.

    Returns:
        The run, and what its `finish` returned.
    """
    from mhing.train import curve  # noqa: PLC0415  extras, slow to import

    if args.curve and Path(args.curve).suffix not in curve.FORMATS:
        formats = ", ".join(curve.FORMATS)
        raise BadInput(f"--curve {args.curve}: end its name in one of {formats}")
    with players_given(), _file_errors(args.resume or args.out or "runs"):
        if args.resume is None:
            current = start(*_settings(args))
        else:
            _refuse_settings(args)
            current = resume(
                args.resume,
                args.workers,
                "" if args.ray == NONE else args.ray,
                minutes=args.minutes,
                steps=args.steps,
            )
    folder = current.folder.path
    with modules_here(), _file_errors(str(folder)):
        label = f"learning {current.settings.game}"
        with Progress(label, current.done) as progress, warnings_in_a_line():
            current.learn(progress.update)
        if current.stopped:
            say(f"saved; mhing {args.command} --resume {folder} continues it")
            raise KeyboardInterrupt
        try:
            with Progress("evaluating"):
                final = current.finish()
        except KeyboardInterrupt:
            say(f"saved; mhing {args.command} --resume {folder} evaluates it")
            raise
        if args.curve:
            curve.draw(args.curve, current.folder, final)
    return current, final


def print_learned(run: Run, deals: int, against: str, unit: str) -> None:
    """Say how a learner was trained and is measured."""
    counts, asked = run.counts, run.settings.steps
    more = f", in whole iterations: more than the {asked:,} asked for"
    print(
        f"{counts['steps']:,} decisions learned from in {counts['seconds'] / 60:.1f} minutes"
        + more * (0 < asked < counts["steps"])
    )
    print(
        f"then {deals:,} held-out deals, in each seat among {against}, {unit} a game, "
        "95 % intervals:\n"
    )


def print_payoffs(payoffs: list[dict[str, Any]]) -> None:
    """Say what the learner earns in each field, and what the field's own player earns there."""
    print(f"\n  {'field':<12} {'learner':>16} {'in its place':>16}")
    for own, theirs in zip(payoffs[::2], payoffs[1::2], strict=True):
        cells = [f"{one['reward']:.3f} ± {one['interval']:.3f}" for one in (own, theirs)]
        print(f"  {own['field']:<12} {cells[0]:>16} {cells[1]:>16}")


def _profile(run: Run) -> dict[str, Any]:
    """Return the time of a run by parts, as plain data."""
    from mhing.train import profile  # noqa: PLC0415  see above

    return {
        "profile": profile.shares(run.folder.lines()),
        "hints": profile.share_of_hints(run.settings),
    }


def print_profile(profile: dict[str, float], hints: float | None) -> None:
    """Say where the seconds of a run went, and which part of the environment's were for hints."""
    print("\na second of learning:")
    for part, share in profile.items():
        print(f"  {part:<12} {share:8.3f}")
        if part == "environment" and hints is not None:
            print(f"    of it hints {hints * share:6.3f}  (measured apart, by random moves)")


def print_place(run: Run, final: dict[str, Any]) -> None:
    """Say where a learner is, and how it is seated where it can play."""
    folder, game = run.folder.path, run.settings.make_game()
    words = ["mhing", "arena", f"run:{folder}", run.settings.fields(game)[0]]
    words += ["--game", game.id] if game.id != DEFAULT_GAME else []
    words += [word for one in changed(game) for word in ("--option", one)]
    print(f"\nin {folder}: {', '.join(final['files'])}; seat it as run:{folder}")
    print(f"  {shlex.join(words)}")


def _settings(args: argparse.Namespace) -> tuple[Path, Settings]:
    """The folder and the settings of a new run."""
    given = {
        config_key(one): value
        for one in fields(Settings)
        if (value := getattr(args, config_key(one))) not in (None, [])
    }
    given |= {"option": options_given(args), "tune": _tuning(args.tune)}
    for name in ("opponents", "skip", "log"):
        if name in given:
            given[name] = several(given[name])
    base = load(args.config) if args.config else {"game": DEFAULT_GAME}
    settings = settings_of(over(base, given))
    out = f"runs/{settings.game}-{settings.method}-{time.strftime('%Y%m%d-%H%M%S')}"
    return Path(args.out or out), settings


def _tuning(given: list[str]) -> dict[str, float]:
    tuning = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals:
            raise BadInput(f"--tune {one}: write NAME=VALUE, for example rows=256")
        try:
            tuning[name] = number(0, INT)(text)
        except argparse.ArgumentTypeError as error:
            raise BadInput(f"--tune {one}: {error}") from error
    return tuning


def _refuse_settings(args: argparse.Namespace) -> None:
    """Refuse settings of a resumed run, except those of its workers and its length."""
    about = (
        "run", "command", "positional", "resume", "curve", "json", "workers", "ray", "minutes",
        "steps", "profile", "estimator", "list_configs",
    )  # fmt: skip
    given = [
        name for name, value in vars(args).items() if name not in about and value not in (None, [])
    ]
    if given:
        shown = given[0].upper() if given[0] == args.positional else f"--{given[0]}"
        raise BadInput(f"{shown}: a run that is resumed keeps its settings; leave it out")


@contextmanager
def _file_errors(path: str) -> Iterator[None]:
    """Around what writes to a folder: its OSError becomes BadInput."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"{error.filename or path}: {error.strerror}") from error
