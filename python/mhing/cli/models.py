"""``mhing models``: the nets of the package, their cards, and their weights for other libraries."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from mhing.cli.common import (
    BadInput,
    add_parser,
    file_errors,
    new_file,
    players_given,
    print_json,
    table,
    user_input,
)
from mhing.models import FORMATS, LICENCE, Model, card, export, named, shipped_models
from mhing.words import plural

EXAMPLES = """\
examples:
  mhing models
  mhing models show mhing/credits
  mhing models verify
  mhing models export mhing/credits --out credits.safetensors
  mhing models export mhing/credits --out credits.onnx

  list    each model: its size, licence, first score and hash
  show    the card of a model: data, command, scores with intervals, limits
  verify  compare hashes, load the nets, and compare their decisions with recorded ones
  export  write the weights to a new file, in the format that its ending names

In a game, the bot net:NAME is the model of that name, and the bot net is the
alphabetically first one that was trained for the game's options.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(
        commands, "models", run, "list, verify and export the nets of the package", EXAMPLES
    )
    parser.add_argument(
        "task",
        metavar="TASK",
        nargs="?",
        choices=[*TASKS],
        default="list",
        help="list, show, verify or export (list)",
    )
    parser.add_argument(
        "names", metavar="MODEL", nargs="*", help="such as mhing/credits (list, verify: all)"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=new_file, help=f"export: a file {' or '.join(FORMATS)}"
    )
    parser.add_argument("--json", action="store_true", help="list, show: print JSON")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    with user_input():
        models = [*map(named, args.names)] or [*shipped_models()]
    if args.out and args.task != "export":
        raise BadInput(f"--out: {args.task} writes no file; export does")
    if args.json and args.task not in ("list", "show"):
        raise BadInput(f"--json: {args.task} prints none; list and show do")
    if args.task in ("show", "export") and len(args.names) != 1:
        raise BadInput(f"{args.task}: name one model, such as mhing/credits")
    TASKS[args.task](args, models)


def _list(args: argparse.Namespace, models: list[Model]) -> None:
    if args.json:
        print_json([_plain(model) for model in models])
        return
    rows = [
        (model.id, model.size, LICENCE, str(model.scores[0]), model.sha256[:12]) for model in models
    ]
    print(table(("model", "bytes", "licence", "earned a round", "sha256"), rows))


def _plain(model: Model) -> dict[str, Any]:
    return {"id": model.id, "licence": LICENCE, **asdict(model)}


def _show(args: argparse.Namespace, models: list[Model]) -> None:
    if args.json:
        print_json(_plain(models[0]))
    else:
        print(card(models[0]), end="")


def _verify(args: argparse.Namespace, models: list[Model]) -> None:
    with user_input():
        for model in models:
            model.verify()
    print(f"{plural(len(models), 'model')}: hashes and decisions are as recorded")


def _export(args: argparse.Namespace, models: list[Model]) -> None:
    if args.out is None:
        raise BadInput(f"export: name a file {' or '.join(FORMATS)} by --out")
    with players_given(), file_errors(args.out):
        export(models[0], args.out)
    print(f"{models[0].id}: {args.out}")


TASKS: dict[str, Callable[[argparse.Namespace, list[Model]], None]] = {
    "list": _list,
    "show": _show,
    "verify": _verify,
    "export": _export,
}
