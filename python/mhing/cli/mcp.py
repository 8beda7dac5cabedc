"""``mhing mcp``: games for language models, by the Model Context Protocol."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mhing._support.extras import install
from mhing.cli.common import (
    BadInput,
    ListOption,
    add_parser,
    players_given,
    several,
    who_plays,
)
from mhing.cli.listening import (
    LOOPBACK,
    PORT,
    add_address_arguments,
    address,
    check_host,
    in_address,
    listen,
)

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

PATH = "/mcp"

EXAMPLES = f"""\
examples:
  mhing mcp                            for a client that starts this command, as most do
  mhing mcp --port 7645                by HTTP, at http://127.0.0.1:7645{PATH}
  mhing mcp --opponents search:50 --no-hints
                                       other bots, and nobody to ask

{who_plays()}
A client can name built-in bots alone.
"""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_parser(
        commands, "mcp", run, "let language models play by calls of tools (MCP)", EXAMPLES
    )
    parser.add_argument(
        "--opponents",
        metavar="PLAYER[,PLAYER...]",
        action=ListOption,
        help="who has the other seats where a client names nobody (the game's default bot)",
    )
    parser.add_argument(
        "--no-hints", action="store_true", help="leave out the tool that says what a bot would play"
    )
    parser.add_argument(
        "--port",
        metavar="N",
        type=PORT,
        help="serve by HTTP at this port, 0 for any free one (standard input and output)",
    )
    add_address_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.port is None and (args.host not in LOOPBACK or args.allowed_host):
        raise BadInput("--host and --allowed-host: they are for HTTP; name a --port as well")
    try:
        from mhing.players.seating import unlisted  # noqa: PLC0415  slow to import
        from mhing.text.mcp import server  # noqa: PLC0415  an extra, and slow to import
    except ModuleNotFoundError as error:
        raise BadInput(f"this needs {error.name}: {install('mcp')}") from error
    opponents = None if args.opponents is None else unlisted(several(args.opponents))
    with players_given():
        made = server(opponents, hints=not args.no_hints)
    with suppress(KeyboardInterrupt):
        if args.port is None:
            made.run()
        else:
            _serve(made, args)


def _serve(made: MCPServer[Any], args: argparse.Namespace) -> None:
    """Serve by HTTP."""
    import uvicorn  # noqa: PLC0415  comes with the extra
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415

    check_host(args)
    listener = listen(args)
    names = [*map(in_address, (*LOOPBACK, *args.allowed_host))]
    security = TransportSecuritySettings(
        allowed_hosts=[f"{name}{port}" for name in names for port in ("", ":*")],
        allowed_origins=[f"http://{name}:*" for name in names],
    )
    app = made.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True,
        transport_security=security,
    )  # fmt: skip
    print(f"{address(args, listener)}{PATH}", flush=True)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])
