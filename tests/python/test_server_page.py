"""csrc/server/PROTOCOL.md and the server agree: its tables are those that the server works by."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from server_process import Client, Server

import mhing
from mhing import _lib

PAGE = (Path(__file__).parents[2] / "csrc/server/PROTOCOL.md").read_text(encoding="utf-8")
ROWS = 3


def table(header: str) -> list[list[str]]:
    """The rows of the one table that begins with this header."""
    (found,) = re.findall(re.escape(header) + r".*\n\|[-:| ]+\|\n((?:\|.*\n)+)", PAGE)
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in found.splitlines()]


def binary(header: str) -> list[tuple[str, str]]:
    """What is bin in such a table: names, and types of one number."""
    rows = [(row[0].strip("`"), row[1].partition(" ")[0]) for row in table(header)]
    return [(name, kind) for name, kind in rows if kind]


def short(dtype: np.dtype[np.generic]) -> str:
    """The type as the page has it: u8, i64, f32."""
    return f"{dtype.kind}{8 * dtype.itemsize}"


def arrays(*when: str) -> list[_lib.Buffer]:
    buffers = _lib.buffers(mhing.Game("mhing")._handle.sizes, ROWS, 1)
    return [buffer for buffer in buffers if buffer.when in when]


def sent(*when: str) -> list[tuple[str, str]]:
    return [(a.name, "u8" if a.is_seat else short(a.dtype)) for a in arrays(*when)]


def test_first_session(tmp_path: Path) -> None:
    """The page's first session runs as it stands; names are what came in their place before."""
    session = re.search(r"```text\n(-> \[\"hello.*?)```", PAGE, re.DOTALL)
    assert session
    words: dict[str, Any] = {}
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        for line in session[1].splitlines():
            if line.startswith("-> "):
                client.send(*eval(line[3:], {}, words))
                continue
            pattern, reply = line[3:].strip("[]").split(", "), client.receive()
            assert reply is not None
            assert reply[:2] == ["ok", int(pattern[1])]
            words.update(zip(pattern[2:], reply[2:], strict=True))
    assert len(words["actions"]) == 4


NEWS = ("changed", "illegal", "round", "end", "packed")


def test_requests_are_those_of_the_server(tmp_path: Path) -> None:
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello()
        _, _, code, text = client("dance")
    assert code == "request"
    names = text.removeprefix("no request is called 'dance'; there are ").split(", ")
    assert sorted(row[0].strip("`") for row in table("| request | arguments |")) == sorted(names)


def test_rows_are_those_of_the_table() -> None:
    assert binary("| result | bin |") == sent("always")
    assert binary("| column | bin |") == [("rows", "i32"), *sent(*NEWS)]


def test_rows_are_sent_so(tmp_path: Path) -> None:
    """Names, order and sizes, as a client without the table would read them."""
    with Server(tmp_path) as server, Client(server.endpoint) as client:
        client.hello()
        client("make", {"rows": ROWS, "final": True})
        _, _, *results, news = client("reset", 1, 5)
    shapes = {array.name: array.shape for array in arrays("always", *NEWS)}
    kinds = dict(binary("| result | bin |") + binary("| column | bin |"))
    for (name, _), data in zip(binary("| result | bin |"), results, strict=True):
        assert len(data) == np.prod(shapes[name]) * int(kinds[name][1:]) // 8
    assert list(news) == [name for name, _ in binary("| column | bin |")]
    for name, data in news.items():
        count = ROWS if name == "rows" else np.prod(shapes[name])
        assert len(data) == count * int(kinds[name][1:]) // 8, name
