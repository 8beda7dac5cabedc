"""Requests of an operator's programs to a server: /metrics and /healthz."""

from __future__ import annotations

import re
import socket
import urllib.error
import urllib.request


def free_port() -> int:
    """One that nothing listens at now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def get(port: int, path: str) -> tuple[int, str]:
    """The status of a page, and the page."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def metrics(port: int) -> dict[str, float]:
    """The values, by name and labels as they are written."""
    status, text = get(port, "/metrics")
    assert status == 200
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = dict(re.fullmatch(r"(\S+) (\S+)", line).groups() for line in lines)  # type: ignore[union-attr]
    assert len(found) == len(lines), "a line occurs twice"
    return {name: float(value) for name, value in found.items()}
