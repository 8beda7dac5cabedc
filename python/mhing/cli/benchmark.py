"""``mhing benchmark``: an agent's row in the suite that others report on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mhing._lib.arguments import INT
from mhing.cli.common import (
    BadInput,
    ListOption,
    add_estimator_argument,
    add_parser,
    add_terms_arguments,
    file_errors,
    folder_path,
    new_file,
    players_given,
    print_json,
    table,
    terms_given,
    warnings_in_a_line,
    whole,
)
from mhing.cli.pace import add_quiet_argument, pace
from mhing.cli.streams import say
from mhing.text.texts import LEGAL
from mhing.words import plural

if TYPE_CHECKING:
    from mhing.arena import words
    from mhing.arena.benchmark import Report

EXAMPLES = """\
examples:
  mhing benchmark expert --quick
  mhing benchmark "net or expert" --json
  mhing benchmark "mine=onnx:nets/{task}.onnx" --log mine --json
  mhing benchmark mymodule:policy --tasks mhing_credits,mhing_six --hints
  mhing benchmark "exec:./bot" --tasks general_mhing --threads 2 --csv bot.csv
  mhing benchmark mymodule:model --view words --retries 1 --jobs 8 --json

AGENT is a player as mhing arena takes them. {task}, {game} and {players} in it stand for those of
each task, because a network fits one game and one number of players. NAME= before it gives it a
name. A score takes all tasks: of "A or B" the first plays that can, and the report says who did.

In each task it sits alone among the field, in every seat of every deal, and is compared with greedy
in its place. The field is a bot, or in the tasks *_self copies of the agent. A score is that
difference in steps from greedy (0) to expert (some 1). The whole score is the interquartile mean of
the tasks. benchmarks/SUITE.md has the tasks and the rules.

--view words asks a language model about 200 fixed positions of five tasks instead, once each; the
score is 1 for the best moves and 0 for random moves. The model is a callable (text, mask,
info) that returns a text; info["system"] says the rules.

With --log, a run continues after a kill, and a full run continues with the deals of a quick one.
Ctrl-C ends it, prints the tasks as far as they were played, and exits with code 130. A task ends
when the agent forfeits 10 games in a row; the code is 2 then.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(
        commands, "benchmark", run, "measure an agent in the suite that others report on", EXAMPLES
    )
    parser.add_argument("agent", metavar="AGENT", help="who is measured")
    parser.add_argument(
        "--tasks",
        metavar="TASK[,TASK...]",
        action=ListOption,
        help="these tasks, or all tasks of a game by its id",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the deals; figures that are not for citing"
    )
    parser.add_argument(
        "--ranked",
        action="store_true",
        help="on deals that are drawn now and nobody knew; their seeds are printed afterwards",
    )
    parser.add_argument(
        "--hints", action="store_true", help="with the games' hints in the observation"
    )
    parser.add_argument(
        "--view", choices=("words",), help="ask about fixed positions, in words, without games"
    )
    parser.add_argument(
        "--legal",
        choices=LEGAL,
        help="with --view words: which legal moves are listed (all)",
    )
    parser.add_argument(
        "--about", metavar="TEXT", default="", help="what the agent is and how it was trained"
    )
    add_estimator_argument(parser)
    parser.add_argument(
        "--threads",
        metavar="N",
        type=whole(1, INT),
        default=1,
        help="threads for the games between built-in bots (1)",
    )
    add_terms_arguments(parser)
    parser.add_argument(
        "--log",
        metavar="DIR",
        type=folder_path,
        help="write deals as they are played; continue those of before",
    )
    parser.add_argument("--csv", metavar="FILE", type=new_file, help="write a line a task")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_quiet_argument(parser)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    from mhing.arena import Interrupted, words  # noqa: PLC0415  most commands do without
    from mhing.arena.benchmark import Report  # noqa: PLC0415

    interrupt = None
    try:
        report: Any = (_run if args.view is None else _ask)(args)
    except Interrupted as error:
        report, interrupt = error.result, error
        if not isinstance(report, Report | words.WordsReport):
            say("mhing: interrupted before a task had two deals")
            raise
    if args.csv is not None:
        with file_errors(args.csv):
            Path(args.csv).write_text(report.csv(), encoding="utf-8")
    if args.json:
        print_json(report.to_dict())
    else:
        (_show if args.view is None else _show_answers)(report)
    if interrupt:
        raise interrupt
    if report.stopped:
        raise BadInput(report.stopped)


def _run(args: argparse.Namespace) -> Report:
    from mhing.arena import benchmark  # noqa: PLC0415  most commands do without

    if args.legal is not None:
        raise BadInput("--legal: it is for --view words")
    with (
        players_given(),
        warnings_in_a_line(),
        file_errors(args.log),
        pace("playing", "games", args.quiet) as show,
    ):
        return benchmark.run(
            args.agent,
            tasks=None if args.tasks is None else args.tasks.split(","),
            quick=args.quick,
            ranked=args.ranked,
            hints=args.hints,
            about=args.about,
            estimator=args.estimator,
            logs=args.log,
            num_threads=args.threads,
            **terms_given(args),
            progress=show
            and (lambda done, of, task, so_far: show(done, of, task, lambda: so_far().brief())),
        )


def _ask(args: argparse.Namespace) -> words.WordsReport:
    from mhing.arena import words  # noqa: PLC0415  most commands do without

    for name in ("ranked", "hints", "log", "csv"):
        if getattr(args, name):
            raise BadInput(f"--{name}: it is not for --view words")
    if args.estimator != "raw":
        raise BadInput("--estimator: it is not for --view words")
    with players_given(), pace("asking", "positions", args.quiet) as show:
        return words.run(
            args.agent,
            tasks=None if args.tasks is None else args.tasks.split(","),
            quick=args.quick,
            legal=args.legal or LEGAL[0],
            about=args.about,
            retries=args.retries,
            jobs=args.jobs,
            progress=show
            and (lambda done, of, task, so_far: show(done, of, task, lambda: f"{so_far().score}")),
        )


def _show_answers(report: words.WordsReport) -> None:
    print(f"{report.agent} about {plural(len(report.answers), 'position')}; {report.form}\n")
    lines = [(name, report.by_task()[name]) for name in report.by_task()]
    lines += [(f"level {level}", score) for level, score in report.by_level().items()]
    print(table(["", "score"], [[name, str(score)] for name, score in lines]))
    print(f"\nscore {report.score}")
    print("", *report.notes(), sep="\n")


def _show(report: Report) -> None:
    from mhing.arena.benchmark import row  # noqa: PLC0415  as above
    from mhing.arena.suite import VERSION  # noqa: PLC0415

    sees = ", ".join(report.views)
    print(f"{report.agent} in suite {VERSION} of mhing benchmark; it sees: {sees}\n")
    print(
        table(
            ["task", "deals", "reward a game", "less greedy", "score", "seconds", "seed"],
            [
                [
                    one.task.name,
                    one.deals,
                    str(one.reward),
                    one.difference.signed,
                    str(one.score),
                    f"{one.seconds:.1f}",
                    "public" if one.seed is None else str(one.seed),
                ]
                for one in report.outcomes
            ],
        )
    )
    scores = {game: str(score) for game, score in report.by_game().items()}
    print("\nscore", *(f"  {game}: {score}" for game, score in scores.items()), sep="\n")
    if among := report.self_play():
        print(f"  among copies of itself: {among}")
    print(f"  together: {report.score}")
    print("", *report.notes(), sep="\n")
    if report.citable:
        print(f"\n| {' | '.join(row(report.to_dict()))} |")
