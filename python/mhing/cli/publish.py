"""``mhing publish``: a model or a recording, laid out for a hub and uploaded there."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from mhing._support.spelling import did_you_mean
from mhing.cli.common import BadInput, add_parser, file_errors, folder_path, players_given, table
from mhing.models import shipped_models
from mhing.words import plural

EXAMPLES = """\
examples:
  mhing publish mhing/credits --dry-run
  mhing publish games.parquet --dry-run --out hub/ --licence CC0-1.0
  mhing publish runs/first --dry-run --licence MIT
  mhing publish games/ --repository OWNER/NAME

WHAT is one of:
  a model that mhing models lists           card, configuration and weights
  the folder of a run of mhing train        card, settings, log and what plays, not the checkpoint
  a file .net or .onnx that plays           card and file
  a file .parquet, or a folder of these     card, Croissant metadata and files (of mhing record)
  a record, .jsonl                          card and file

Cards of your own models say what is recorded and no more. Settings may name files and hosts, and
records players: read them first.

With --dry-run the files are listed, and nothing is uploaded. Otherwise they go to the repository in
one commit, by huggingface_hub, which knows your token.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(
        commands, "publish", run, "lay out a model or a recording for a hub", EXAMPLES
    )
    parser.add_argument("what", metavar="WHAT", help="a model, a run, a file or a folder")
    parser.add_argument("--repository", metavar="OWNER/NAME", help="where it is uploaded to")
    parser.add_argument("--dry-run", action="store_true", help="upload nothing")
    parser.add_argument(
        "--out", metavar="FOLDER", type=_new_folder, help="keep the files in a new folder"
    )
    parser.add_argument("--licence", metavar="ID", help="an SPDX identifier (Parquet: MIT)")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if not args.dry_run and args.repository is None:
        raise BadInput("publish: name a --repository, or give --dry-run")
    if args.repository and not re.fullmatch(r"[\w.-]+/[\w.-]+", args.repository):
        raise BadInput(f"--repository {args.repository}: write OWNER/NAME")
    if args.licence and not re.fullmatch(r"[A-Za-z0-9.+-]+", args.licence):
        raise BadInput(f"--licence {args.licence}: name an SPDX identifier, such as CC0-1.0")
    with players_given(), file_errors(args.out or args.what):
        layout = _layout(args)
        if args.out:
            layout.write(args.out)
        if not args.dry_run:
            print(layout.upload(args.repository))
            return
    sizes = layout.sizes()
    print(table(("file", "bytes"), [*sizes.items()]))
    where = f" to {args.repository}" if args.repository else ""
    files = f"{plural(len(sizes), 'file')}, {sum(sizes.values()):,} bytes"
    print(f"a {layout.kind} of {files}; nothing was uploaded{where}")


def _layout(args: argparse.Namespace) -> Any:
    from mhing import publish  # noqa: PLC0415  most commands do without

    if Path(args.what).exists():
        return publish.of_path(args.what, args.licence or "")
    known = [one.id for one in shipped_models()]
    if args.what not in known:
        advice = (
            did_you_mean(args.what, known) or ", nor a model of that name; mhing models lists them"
        )
        raise BadInput(f"{args.what}: there is no such file or folder{advice}")
    if args.licence:
        raise BadInput("--licence: a model of the package has its licence; leave it out")
    return publish.of_model(args.what)


def _new_folder(path: str) -> str:
    """The type of --out."""
    if Path(path).exists():
        raise argparse.ArgumentTypeError(f"{path!r} already exists; name another folder")
    return folder_path(path)
