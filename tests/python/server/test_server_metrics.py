"""`mhing-server --metrics`: the figures for its operator, which no player notices."""

from __future__ import annotations

import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from operator_calls import free_port, get, metrics
from server_process import Client, Server, executable

FOLDER = Path(__file__).parents[3] / "csrc/server"
PAGE = (FOLDER / "OPERATING.md").read_text(encoding="utf-8")
SEED = 0x5EEDFACE12345678


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def server(tmp_path: Path, port: int) -> Iterator[Server]:
    state = ("--state", str(tmp_path / "state"), "--sync", "always")
    with Server(tmp_path, "--metrics", str(port), "--sessions", "3", *state) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.endpoint) as made:
        made.hello()
        yield made


# ---- The page ------------------------------------------------------------------------------------


def test_metrics_are_those_of_the_page(server: Server, port: int) -> None:
    """Name, kind and meaning, in the same order; and all have values from the start."""
    _, text = get(port, "/metrics")
    heard = re.findall(r"^# HELP (\S+) (.+)\n# TYPE \1 (\S+)\n\1", text, re.MULTILINE)
    assert len(heard) == text.count("# HELP") == text.count("# TYPE") > 20
    rows = re.findall(r"^\| `(mhing_\w+)` \| (\w+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert rows == [(name, kind, words) for name, words, kind in heard]


def test_labels_are_those_of_the_protocol(server: Server, port: int) -> None:
    protocol = (FOLDER / "PROTOCOL.md").read_text(encoding="utf-8")
    errors = protocol.partition("## Errors\n")[2].partition("## ")[0]
    cells = " ".join(re.findall(r"^\|([^|]+)\|", errors, re.MULTILINE))
    requests = protocol.partition("| request | arguments |")[2].partition("\n\n")[0]
    names = list(metrics(port))

    def label(name: str) -> list[str]:
        found = [re.match(rf'{name}{{\w+="([\w-]+)"}}', line) for line in names]
        return [match[1] for match in found if match]

    codes = list(dict.fromkeys(re.findall(r"`(\w+)`", cells)))
    assert label("mhing_errors_total") == [*codes, "other"]
    limits = PAGE.partition("| limit | set by |")[2].partition("\n\n")[0]
    assert label("mhing_limits_total") == re.findall(r"^\| `([\w-]+)`", limits, re.MULTILINE)
    kinds = re.findall(r"^\| `(\w+)`", requests, re.MULTILINE)
    assert label("mhing_request_seconds_count") == [*kinds, "other"]


# ---- What is counted -----------------------------------------------------------------------------


def test_counters_count(server: Server, client: Client, port: int) -> None:
    before = metrics(port)
    client.start_rows(rows=4)
    for _ in range(5):
        assert client("step", 1, client("sample", 1)[2])[0] == "ok"
    assert client("make", {"rows": 1 << 20})[2] == "argument"
    assert client("make", {"rows": 4096, "opponents": "random"})[0] == "ok"
    assert client("make", {"rows": 4096})[0] == "ok"
    assert client("make", {"rows": 4096})[0] == "ok"
    assert client("make", {"rows": 4096})[2] == "limit"
    client.ask("step", client.seq, 1, [0] * 4)  # not the same as before: the error `sequence`
    with Client(server.endpoint) as other:
        other.hello()
        assert other("invite", {"name": "x", "game": "y"})[2] == "table"
        assert other("bye")[0] == "ok"
    after = metrics(port)
    grown = {name: after[name] - value for name, value in before.items() if after[name] != value}
    expected = {
        "mhing_steps_total": 20,
        'mhing_request_seconds_count{kind="step"}': 6,
        'mhing_request_seconds_count{kind="sample"}': 5,
        'mhing_request_seconds_count{kind="make"}': 6,
        'mhing_request_seconds_count{kind="hello"}': 1,
        'mhing_request_seconds_count{kind="bye"}': 1,
        'mhing_errors_total{code="argument"}': 1,
        'mhing_errors_total{code="limit"}': 1,
        'mhing_limits_total{limit="rows-per-session"}': 1,
        'mhing_errors_total{code="sequence"}': 1,
        'mhing_errors_total{code="table"}': 1,
        "mhing_rows": 4 + 3 * 4096,
        "mhing_environments": 4,
    }
    assert {name: grown.get(name) for name in expected} == expected
    errors = {name for name in grown if "errors" in name or "limits_total" in name}
    assert errors <= expected.keys(), "no other error has been counted"
    for name in ("syncs_total", "journal_bytes", "reply_bytes", "uptime_seconds"):
        assert grown[f"mhing_{name}"] > 0, name
    assert after["mhing_sessions"] == 1
    assert after["mhing_sessions_limit"] == 3


def test_tables_and_spectators(server: Server, client: Client, port: int) -> None:
    with Client(server.endpoint) as other:
        other.hello()
        assert other("sit", {"table": "waits"})[0] == "ok"
        assert client("sit", {"table": "t", "bots": ["greedy"] * 3, "seed": SEED})[0] == "ok"
        found = metrics(port)
        assert (found["mhing_tables_waiting"], found["mhing_tables_playing"]) == (1, 1)
        assert other("stand")[0] == "ok"
        assert other("wait", {"name": "guest", "game": ""})[0] == "ok"
        found = metrics(port)
        assert (found["mhing_tables_waiting"], found["mhing_guests"]) == (0, 1)


def test_histograms_hold_together(server: Server, client: Client, port: int) -> None:
    """Buckets rise, the last one is the count, and a slow request is in a high one."""
    env = client("make", {"rows": 4096, "opponents": "greedy"})[2]
    assert client("reset", env, 1)[0] == "ok"
    for _ in range(50):
        assert client("ping")[0] == "ok"
    found = metrics(port)
    for kind in ("ping", "reset", "omniscient"):
        pattern = rf'mhing_request_seconds_bucket{{kind="{kind}",le="(.+)"}}'
        buckets = [
            (float(match[1]), value)
            for name, value in found.items()
            if (match := re.fullmatch(pattern, name))
        ]
        assert buckets == sorted(buckets)
        assert [value for _, value in buckets] == sorted(value for _, value in buckets)
        assert buckets[-1] == (
            float("inf"),
            found[f'mhing_request_seconds_count{{kind="{kind}"}}'],
        )
        in_all = found[f'mhing_request_seconds_sum{{kind="{kind}"}}']
        fitting = [bound for bound, value in buckets if value == buckets[-1][1]]
        assert in_all <= fitting[0] * buckets[-1][1] if buckets[-1][1] else in_all == 0
    assert found['mhing_request_seconds_sum{kind="reset"}'] > 0.0005


# ---- Health --------------------------------------------------------------------------------------


def test_health(server: Server, client: Client, port: int, tmp_path: Path) -> None:
    assert get(port, "/healthz") == (200, "ok\n")
    folder = tmp_path / "state"
    folder.rename(tmp_path / "elsewhere")
    assert client("make", {})[2] == "storage"
    status, words = get(port, "/healthz")
    assert (status, words) == (503, "cannot write: No such file or directory\n")
    assert metrics(port)["mhing_disk_refuses"] == 1
    assert metrics(port)['mhing_errors_total{code="storage"}'] > 0
    (tmp_path / "elsewhere").rename(folder)
    for _ in range(100):
        if get(port, "/healthz")[0] == 200:
            break
        time.sleep(0.05)
    assert get(port, "/healthz") == (200, "ok\n")
    assert metrics(port)["mhing_disk_refuses"] == 0
    server.process.terminate()
    _, words = server.process.communicate(timeout=30)
    assert server.process.returncode == 0
    assert "state: all is written again" in words
    with pytest.raises(OSError, match="refused"):
        get(port, "/healthz")


# ---- Who asks in a way that could disturb others -------------------------------------------------


def slowest(client: Client, count: int = 200) -> float:
    """The longest that one of so many pings took, in seconds."""
    worst = 0.0
    for _ in range(count):
        began = time.perf_counter()
        assert client("ping")[0] == "ok"
        worst = max(worst, time.perf_counter() - began)
    return worst


@pytest.mark.slow
def test_slow_and_silent_scrapers_delay_nobody(client: Client, port: int) -> None:
    """Those who send a byte now and then, never read, or say nothing."""
    with ExitStack() as stack:
        for kind in range(8):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            if kind % 3 == 1:
                line.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
            elif kind % 3 == 2:
                line.sendall(b"GET /met")
        assert slowest(client) < 0.5
        began = time.monotonic()
        assert get(port, "/healthz")[0] == 200  # waits until one of them is put out
        assert time.monotonic() - began < 6


def test_five_hundred_connections(server: Server, client: Client, port: int) -> None:
    """The server takes in few of them, and serves players and the next client that asks."""
    files = Path(f"/proc/{server.process.pid}/fd")
    before = len(list(files.iterdir()))
    with ExitStack() as stack:
        for _ in range(500):
            line = stack.enter_context(socket.socket())
            line.setblocking(False)
            line.connect_ex(("127.0.0.1", port))
        assert slowest(client) < 0.5
        assert len(list(files.iterdir())) <= before + 8 + 1
    assert get(port, "/healthz") == (200, "ok\n")
    assert len(list(files.iterdir())) <= before + 8 + 1


def test_scrapes_by_the_hundred(client: Client, port: int) -> None:
    done = threading.Event()

    def scrape() -> None:
        while not done.is_set():
            metrics(port)

    threads = [threading.Thread(target=scrape) for _ in range(2)]
    for thread in threads:
        thread.start()
    worst = slowest(client)
    done.set()
    for thread in threads:
        thread.join()
    assert worst < 0.5


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\0" * 100 + b"\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 404),
        (b"GET /metrics HTTP/1.1\r\n" + b"x: y\r\n" * 1000, 431),
        (b"PUT /metrics HTTP/1.1\r\n\r\n", 405),
        (b"\x16\x03\x01" + bytes(range(256)) * 10, 431),
    ],
)
def test_other_requests(server: Server, port: int, sent: bytes, status: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.settimeout(20)
        line.sendall(sent)
        reply = b"".join(iter(lambda: line.recv(4096), b""))
    assert reply.startswith(b"HTTP/1.1 %d " % status)


# ---- Where it may not listen ---------------------------------------------------------------------


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        command = [executable(), "--bind", f"ipc://{tmp_path}/s", "--metrics", str(taken)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    words = f"mhing-server: --metrics: port {taken} of 127.0.0.1: Address already in use\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", words)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("given", ["0", "65536", "x", "127.0.0.1:9100"])
def test_ports_that_are_none(given: str) -> None:
    done = subprocess.run(
        [executable(), "--metrics", given], capture_output=True, text=True, check=False
    )
    words = f"--metrics: '{given}' is not a whole number from 1 to 65535"
    assert (done.returncode, done.stderr) == (2, f"mhing-server: {words}\n")


def test_other_machines_do_not_reach_it(server: Server, port: int) -> None:
    """It listens at 127.0.0.1 alone: not at the machine's other addresses."""
    listening = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    (address,) = re.findall(rf" (\w+):{port:04X} \w+:0000 0A ", listening)
    assert address == "0100007F"
    with socket.socket() as line:
        line.settimeout(5)
        assert line.connect_ex(("127.0.0.2", port)) != 0
