"""The address at which a command listens, and the names by which others may call it."""

from __future__ import annotations

import argparse
import ipaddress
import re
import socket
from contextlib import suppress

from mhing.cli.common import BadInput, whole

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

PORT = whole(0, 65535)
"""The type of an argument that is a port."""

_BACKLOG = 64  # callers that may wait


def add_address_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --host and --allowed-host; a command declares --port."""
    parser.add_argument(
        "--host", metavar="ADDRESS", default="127.0.0.1", help="where to listen (127.0.0.1)"
    )
    parser.add_argument(
        "--allowed-host",
        metavar="NAME",
        type=_name,
        action="append",
        default=[],
        help="a name by which others may address it; may be repeated",
    )


def check_host(args: argparse.Namespace) -> None:
    """Refuse a --host that others can reach, but by no name."""
    if args.host not in LOOPBACK and not args.allowed_host:
        raise BadInput(f"--host {args.host}: also name it for others, by --allowed-host")


def listen(args: argparse.Namespace) -> socket.socket:
    """Return a socket to which others can speak already."""
    try:
        found = socket.getaddrinfo(args.host, args.port, type=socket.SOCK_STREAM)
        family, _, _, _, place = found[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(_BACKLOG)
    except OSError as error:
        raise BadInput(
            f"--host {args.host} --port {args.port}: {error.strerror or error}"
        ) from error
    return listener


def address(args: argparse.Namespace, listener: socket.socket) -> str:
    """Return the address of a socket, with the first name that is allowed."""
    name = next(iter(args.allowed_host), args.host)
    return f"http://{in_address(name)}:{listener.getsockname()[1]}"


def in_address(name: str) -> str:
    """A name as addresses have it: IPv6 in brackets."""
    return f"[{name}]" if ":" in name else name


def _name(text: str) -> str:
    """The type of an argument by which a machine is addressed."""
    if re.fullmatch(r"[\w-]+(\.[\w-]+)*", text, re.ASCII):
        return text
    with suppress(ValueError):
        return str(ipaddress.IPv6Address(text))
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a name such as table.local, without http:// and port"
    )
