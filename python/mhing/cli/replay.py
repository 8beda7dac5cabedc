"""``mhing replay``: verify a recorded game and show it."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mhing import render
from mhing.analysis import Analysis
from mhing.cli.common import (
    JUDGES,
    BadInput,
    Progress,
    add_parser,
    add_record_argument,
    file_errors,
    folder_path,
    new_file,
    number,
    players_given,
    print_json,
    user_input,
    whole,
)
from mhing.judge import Judge
from mhing.records import Record, RecordedMove, verified
from mhing.render.png import to_png
from mhing.render.scene import FORMATS, LOOKS, Format, Scene
from mhing.web import film, gif, index, replay
from mhing.web.session import has_list
from mhing.words import called, plural, taken_back

EXAMPLES = """\
examples:
  mhing replay records/mytable-1.jsonl            every action, and the result
  mhing replay records/mytable-1.jsonl --step     the table after every action
  mhing replay records/mytable-1.jsonl --json     for programs
  mhing replay records/mytable-1.jsonl --html game.html --bot expert
                                                  a page for browsers, with what a bot says
  mhing replay records/mytable-1.jsonl --html mine.html --view 2
                                                  only what seat 2 could see
  mhing replay records/mytable-1.jsonl --html phone.html --shape portrait
                                                  the same page for a telephone
  mhing replay records/mytable-1.jsonl --gif game.gif --speed 4
                                                  a moving picture, four frames a second
  mhing replay records/mytable-1.jsonl --share end.png
                                                  a picture of how it ended, to be shown to anybody
  mhing replay records/mytable-1.jsonl --gif game.gif --look dark-safe
                                                  dark, suits in colours that nobody confuses
  mhing replay records/*.jsonl --html games/
                                                  a page for each game, and an index of them

A page is one file, which opens from the disk. With --view SEAT nothing is in page or moving picture
that this seat did not know: hand it only to people who may see that seat's cards.

A folder, whose name ends with / or has no ending, gets a page for each game of the files, and
index.html with the players, the results and links.

An impossible record is refused, with the number of the wrong line.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(commands, "replay", run, "verify a recorded game and show it", EXAMPLES)
    add_record_argument(parser, several=True)
    parser.add_argument("--step", action="store_true", help="draw the table after every action")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--html",
        metavar="PLACE",
        type=_place,
        help="write a page, FILE.html, or a folder of pages: FOLDER/, or a name without an ending",
    )
    parser.add_argument(
        "--gif",
        metavar="FILE",
        type=new_file,
        help="write a moving picture, FILE.gif; needs the extra play",
    )
    parser.add_argument(
        "--share",
        metavar="FILE",
        type=new_file,
        help="write a picture of how it ended: FILE.svg or FILE.png",
    )
    parser.add_argument(
        "--view",
        metavar="VIEW",
        help="who sees it: open, a seat's number, or of a page all, to choose there (all; of a "
        "moving picture open)",
    )
    parser.add_argument(
        "--shape",
        choices=FORMATS,
        help="of page or moving picture: wide, or portrait for a telephone; a page has one of "
        "them, since both would be too large (wide)",
    )
    parser.add_argument("--bot", metavar="BOT", help=f"on the page: {JUDGES}")
    parser.add_argument(
        "--speed",
        metavar="N",
        type=number(0.1, gif.FASTEST),
        help=f"frames a second of the moving picture ({gif.SPEED})",
    )
    parser.add_argument(
        "--width",
        metavar="N",
        type=whole(64, 4096),
        help=f"of the moving picture, in pixels ({gif.WIDTH})",
    )
    parser.add_argument(
        "--look",
        choices=LOOKS,
        help="of moving picture or picture: a palette, or with -safe suits in colours that nobody "
        "confuses; readers choose that of a page themselves (felt)",
    )


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    _check(args)
    if args.html is not None and _is_folder(args.html):
        _write_folder(args)
        return
    (path,) = args.files
    with file_errors(path), user_input():
        record = Record(path, args.number)
        moves = [move for move, _ in record.replay()]
    if args.html is not None:
        _write(args.html, _page(args, record).encode())
    if args.gif is not None:
        _write_gif(args, record)
    if args.share is not None:
        _write_share(args, record)
    if args.json:
        decided = Counter(move.by for move in moves)
        sheet = record.sheet()
        extra = {
            "actions": len(moves), "by": decided, "taken_back": record.taken_back,
            "end": record.end,
        }  # fmt: skip
        shown = record.header | extra | {"sheet": sheet and sheet.to_dict()}
        if not args.show_seed:
            del shown["seed"]
        print_json(shown)
    elif not _written(args):
        _show(record, args.step, args.show_seed)


_FOR = {
    "view": ("html", "gif"),
    "shape": ("html", "gif"),
    "bot": ("html",),
    "speed": ("gif",),
    "width": ("gif",),
    "look": ("gif", "share"),
}
"""The options that make sense with some of the files that can be written."""


_PICTURES: dict[str, Callable[[Scene, str], bytes]] = {
    ".svg": lambda scene, look: scene.to_svg(look).encode(),
    ".png": lambda scene, look: to_png(scene.to_rgb(look=look)),
}
"""The forms of a picture, by the endings of files."""

_ENDINGS = {"html": (".html", ".htm"), "gif": (".gif",), "share": tuple(_PICTURES)}
"""The endings of files by what is written."""


def _check(args: argparse.Namespace) -> None:
    """Raise BadInput where options do not go together."""
    written = _written(args)
    for option, files in _FOR.items():
        if getattr(args, option) is not None and not {*files} & {*written}:
            raise BadInput(f"--{option}: only with {' or '.join(f'--{file}' for file in files)}")
    if args.show_seed and written and not (args.json or "share" in written):
        raise BadInput("--show-seed: pages and moving pictures never have the seed; leave it out")
    if args.view == "all" and "html" not in written:
        raise BadInput("--view: all is for --html; a moving picture is open, or for one seat")
    if args.html is not None and _is_folder(args.html):
        for option in ("number", "json", "gif", "share"):
            if getattr(args, option) not in (None, False):
                raise BadInput(f"--{option}: not with a folder of pages; --html names a file then")
    elif len(args.files) > 1:
        raise BadInput(f"{args.files[1]}: several files only with --html FOLDER/")
    taken = {Path(path).resolve(): "the record itself" for path in args.files}
    for file, path in written.items():
        if args.step:
            raise BadInput(f"--step: not with --{file}")
        if other := taken.get(path.resolve()):
            raise BadInput(f"--{file}: {path} is {other}; write to another file")
        taken[path.resolve()] = f"the file of --{file}"
        if path.suffix.lower() not in _ENDINGS[file] and not (
            file == "html" and _is_folder(args.html)
        ):
            raise BadInput(f"--{file}: {path}: end its name in {' or '.join(_ENDINGS[file])}")


def _written(args: argparse.Namespace) -> dict[str, Path]:
    """The files that are wanted, by their options."""
    given = {name: getattr(args, name) for name in ("html", "gif", "share")}
    return {name: Path(path) for name, path in given.items() if path is not None}


def _place(path: str) -> str:
    """The type of an argument that names a file to write, or a folder."""
    return folder_path(path) if _is_folder(path) else new_file(path)


def _is_folder(path: str) -> bool:
    place = Path(path)
    return (
        path.endswith(("/", os.sep)) or place.is_dir() or not ("." in place.name or place.is_file())
    )


def _write_folder(args: argparse.Namespace) -> None:
    """Write a page for each game of the files, and the index."""
    folder = Path(args.html)
    if folder.is_dir() and any(folder.iterdir()):
        raise BadInput(f"--html: {args.html} has something in it; name a new folder")
    games: list[Record] = []
    for path in args.files:
        with file_errors(path), user_input():
            games += verified(path)
    for record in games:
        _viewers(args.view or "all", record)
    names = [f"game-{number}.html" for number in range(len(games))]
    with file_errors(args.html), Progress("writing") as progress:
        for done, (record, name) in enumerate(zip(games, names, strict=True), 1):
            made = _page(args, record)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(made, encoding="utf-8")
            progress.update(done / len(games), plural(done, "game"))
        (folder / "index.html").write_text(index.of_games(games, names), encoding="utf-8")
    print(f"{folder / 'index.html'}: {plural(len(games), 'game')}", file=sys.stderr)


def _page(args: argparse.Namespace, record: Record) -> str:
    seats = _viewers(args.view or "all", record)
    with players_given():
        judge = Judge(record.game, args.bot, "--bot") if args.bot else None
        analysis = Analysis(record, judge) if judge else None
        shape: Format = args.shape or "wide"
        made = film.films(record, seats, shape, log=not has_list(shape))
        return replay.page(record, made, analysis)


def _write_gif(args: argparse.Namespace, record: Record) -> None:
    view = "open" if args.view in (None, "all") else args.view
    (shown,) = film.films(record, _viewers(view, record), args.shape or "wide")
    given = {"speed": args.speed, "width": args.width, "look": args.look}
    settings = {name: value for name, value in given.items() if value is not None}
    try:
        with user_input():
            made = gif.gif(shown, **settings)
    except ModuleNotFoundError as error:
        raise BadInput(f"--gif: {error}") from error
    _write(args.gif, made)


def _write_share(args: argparse.Namespace, record: Record) -> None:
    last = deque([record.game.new_state(record.seed)], 1)
    last.extend(state for _, state in record.replay())
    with user_input():
        seed = record.seed if args.show_seed else None
        scene = render.share(last[0], record.players, seed=seed)
    _write(args.share, _PICTURES[Path(args.share).suffix.lower()](scene, args.look or "felt"))


def _write(path: str, content: bytes) -> None:
    with file_errors(path):
        Path(path).write_bytes(content)
    print(f"{path}: {len(content) / 1000:.0f} KB", file=sys.stderr)


def _viewers(view: str, record: Record) -> list[int | None]:
    num_seats = record.game.num_seats
    if view in map(str, range(num_seats)):
        return [int(view)]
    if view not in ("all", "open"):
        raise BadInput(f"--view: {view!r} is not open, all, or a seat from 0 to {num_seats - 1}")
    if record.end is None:
        raise BadInput(f"{record.path}: its game is under way; --view N has what one seat has seen")
    return [None, *range(num_seats)] if view == "all" else [None]


def _show(record: Record, step: bool, shows_seed: bool) -> None:
    header = record.header
    players = ", ".join(f"{name} (seat {seat})" for seat, name in enumerate(record.players))
    time = f", {header['time']}" if "time" in header else ""
    seed = f", seed {record.seed}" if shows_seed else ""
    print(f"{record.game.title}{seed}{time}")
    print(f"Players: {players}\n")
    place = 0
    for move, state in record.positions():
        if move is not None:
            place += 1
            print(f"{place:4d}  {_sentence(record, move)}")
        elif place:
            print("      The next round is dealt.")
        if step and place:
            _pause_after(state.words())
    if not step:
        print("\n" + state.words())
    if record.game.has_rounds and state.rounds_over:
        print(f"\n{state.sheet().text(called(record.players))}")
    if record.end is None:
        print("\nThe record goes no further: the game was not over.")
    elif "returns" in record.end:
        print(f"\nVerified: it ends as recorded, with {record.end['returns']} by seat.")
    else:
        print("\nThe game was abandoned here.")
    for sentence in taken_back(record.taken_back, called(record.players)):
        print(sentence)


def _sentence(record: Record, move: RecordedMove) -> str:
    decided = "" if move.by in ("player", "bot") else f"  ({move.by})"
    return f"{record.players[move.seat]} (seat {move.seat}): {move.text}{decided}"


def _pause_after(picture: str) -> None:
    print(picture)
    if sys.stdin.isatty() and sys.stdout.isatty():
        with contextlib.suppress(EOFError):
            input("Enter continues ")
    print()
