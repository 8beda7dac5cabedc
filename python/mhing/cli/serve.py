"""``mhing serve``: games for programs in any language, over a socket."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import sysconfig
from pathlib import Path
from typing import IO, Any, NoReturn

from mhing import environment_id
from mhing.cli.common import BadInput, add_parser
from mhing.cli.streams import OutputError
from mhing.game import DEFAULT_GAME

SERVER = "mhing-server"
STDOUT = 1
READY = "ready "  # begins the line by which the server says that it listens, and where

EXAMPLES = """\
examples:
  mhing serve                                       for this user, on a socket file
  mhing serve --bind tcp://127.0.0.1:7644           for this machine
  mhing serve --records games --state sessions      keep records; survive being killed
  mhing serve --resume sessions                     continue where such a server stopped
  mhing serve --json                                the endpoint as JSON, for programs

All other options are those of the server: mhing-server --help. Ctrl-C or SIGTERM stops it.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(
        commands, "serve", run, "serve games over a socket, for any language", EXAMPLES
    )
    parser.add_argument("--json", action="store_true", help="print JSON, an object a line")
    parser.set_defaults(rest=())


def run(args: argparse.Namespace) -> None:
    """Replace this process by the server with the arguments `args.rest`; a child shows its output.

    So nothing stands between the server and its starter: signals reach the server, its exit code is
    that of the command, and this process cannot end and leave a server behind.
    """
    command = [find_server(), *args.rest]
    with_keys = any(word.partition("=")[0] == "--curve-secret" for word in args.rest)
    reading, writing = os.pipe()
    sys.stdout.flush()
    if os.fork() == 0:
        os.close(writing)
        with open(reading) as lines:
            _show_all(lines, args.json, with_keys)
    os.close(reading)
    os.dup2(writing, STDOUT)
    os.execv(command[0], command)


def _show_all(lines: IO[str], as_json: bool, with_keys: bool) -> NoReturn:
    """Show lines until the server has ended, and end this process."""
    server = os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's, which says more
    try:
        for line in lines:
            _show(line.rstrip("\n"), as_json, with_keys)
    except OutputError:  # nobody reads this any more, so nobody wants the server
        if os.getppid() == server:
            os.kill(server, signal.SIGTERM)
    finally:
        os._exit(0)


def find_server() -> str:
    """The server's path: beside the commands of this Python, or on the search path."""
    beside = Path(sysconfig.get_path("scripts"), SERVER)
    found = str(beside) if beside.is_file() else shutil.which(SERVER)
    if found is None:
        raise BadInput(
            f"{SERVER} was not built: it needs libzmq and msgpack-c (Debian: apt-get install "
            "libzmq3-dev libmsgpack-dev); then install mhing again"
        )
    return found


def _show(line: str, as_json: bool, with_keys: bool) -> None:
    """Print a line of the server; an endpoint comes with a call that uses it."""
    endpoint = line.removeprefix(READY)
    if as_json:
        line = json.dumps({"figures": line} if endpoint == line else {"endpoint": endpoint})
    elif endpoint != line:
        env = environment_id(DEFAULT_GAME)
        call = f'gym.make("mhing:{env}", endpoint="{endpoint}")'
        if with_keys:
            call = f'mhing.connect("{endpoint}", server_key=..., secret_key=...).make("{env}")'
        line = f"serving at {endpoint}\n    {call}"
    print(line, flush=True)
