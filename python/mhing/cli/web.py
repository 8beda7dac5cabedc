"""``mhing web``: play, watch and review in a browser."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import webbrowser
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from mhing._support.extras import install
from mhing.cli.common import (
    RECORDS,
    BadInput,
    add_key_arguments,
    add_parser,
    file_errors,
    folder_path,
    readable_file,
    secret_key,
    user_input,
)
from mhing.cli.listening import LOOPBACK, PORT, add_address_arguments, address, check_host, listen
from mhing.cli.streams import one_line, say

if TYPE_CHECKING:
    from mhing.web import at_server

EXAMPLES = """\
examples:
  mhing web                            opens the browser; games are chosen there
  mhing web mine.jsonl                 games of a record to be looked at as well
  mhing web --no-open --port 8080      prints the address only; pages open now outlive a restart
  mhing web --host 0.0.0.0 --allowed-host table.local
                                       for others in the same network, by this name
  mhing web --server tcp://127.0.0.1:7644
                                       tables of a running mhing serve: look on, or sit down

The address has a token: all who have it may play, and look at all cards of these records. Ctrl-C
ends the command.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(commands, "web", run, "play, watch and review in a browser", EXAMPLES)
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=readable_file,
        help=f"records to be looked at by all who have the address, {RECORDS}",
    )
    add_address_arguments(parser)
    parser.add_argument(
        "--port", metavar="N", type=PORT, default=0, help="port (0: any that is free)"
    )
    parser.add_argument(
        "--saves",
        metavar="FOLDER",
        type=folder_path,
        help="where games are kept (mhing/games in your folder for data, such as ~/.local/share)",
    )
    parser.add_argument(
        "--server", metavar="ENDPOINT", help="a server whose tables are listed, as mhing serve says"
    )
    add_key_arguments(parser)
    parser.add_argument("--no-open", action="store_true", help="do not open the browser")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    try:
        import uvicorn  # noqa: PLC0415  an extra, and slow to import

        from mhing.web import (  # noqa: PLC0415
            app,
            at_server,
            guard,
            play,
            review,
            saves,
            welcomed,
        )  # fmt: skip
    except ModuleNotFoundError as error:
        raise BadInput(f"this needs {error.name}: {install('play')}") from error
    check_host(args)
    with user_input():
        remote = at_server.ServerTables(args.server, args.server_key, secret_key(args.key))
    kept = saves.Saves(args.saves)
    may_load = args.host in LOOPBACK
    with user_input():
        shelf = review.Shelf(args.files, may_load=may_load)
    if args.server:
        _say_if_nobody_answers(remote)
    listener = listen(args)
    with file_errors(f"--saves {kept.folder}"):
        kept.make()
    port = listener.getsockname()[1]
    kinds: dict[str, app.Begin] = {
        "play": partial(play.begin, may_load=may_load),
        "watch": lambda settings, _: remote.watch(settings),
        "sit": lambda settings, _: remote.sit(settings),
    }  # fmt: skip
    is_own = may_load and args.port  # no other machine is there, and the next start may be here
    browsers = welcomed.Welcomed(kept.folder / f".browsers-{port}" if is_own else None)
    guarded = guard.Guard(
        app.application(kinds, kept, shelf, remote.tables),
        {*LOOPBACK, *args.allowed_host},
        home="/server" if args.server else "/",
        welcomed=browsers,
    )
    config = uvicorn.Config(
        guarded, ws="websockets-sansio", ws_max_size=app.LONGEST, lifespan="off",
        log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
    link = f"{address(args, listener)}/?token={guarded.token}"
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does
    try:
        with suppress(KeyboardInterrupt):  # which the server raises anew when it has ended
            print(link)
            print(f"Ctrl-C ends it; games are kept in {kept.folder}", flush=True)
            if not args.no_open and _has_display():
                with suppress(webbrowser.Error):
                    webbrowser.open(link)
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        browsers.close()
        remote.close()


def _say_if_nobody_answers(remote: at_server.ServerTables) -> None:
    """Say it if a server does not answer: the pages ask it again, so it may be started later."""
    try:
        remote.tables({})
    except ValueError as error:
        say(one_line(f"mhing: --server: {error} (the pages ask it again)"))


def _has_display() -> bool:
    """Return whether there is a graphical browser to open."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
