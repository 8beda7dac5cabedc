"""``mhing serve``: games for programs in any language, over a socket."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from mhing import environment_id
from mhing.cli.common import BadInput, add_parser
from mhing.game import DEFAULT_GAME

SERVER = "mhing-server"
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
    """Declares the command."""
    parser = add_parser(
        commands, "serve", run, "serve games over a socket, for any language", EXAMPLES
    )
    parser.add_argument("--json", action="store_true", help="print JSON, an object a line")
    parser.set_defaults(rest=())


def run(args: argparse.Namespace) -> None:
    """Runs the command, with `args.rest` for the server."""
    command = [find_server(), *args.rest]
    with_keys = any(word.partition("=")[0] == "--curve-secret" for word in args.rest)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:

        def stop(*_: object) -> None:
            server.terminate()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        signal.signal(signal.SIGHUP, lambda *_: server.send_signal(signal.SIGHUP))
        try:
            assert server.stdout is not None
            for line in server.stdout:
                _show(line.rstrip("\n"), args.json, with_keys)
        finally:
            stop()
    if server.returncode:
        sys.exit(server.returncode)


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
    """Prints a line of the server; an endpoint comes with a call that uses it."""
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
