"""The server gives away no secrets, and the files of csrc/server/deploy give it no rights."""

from __future__ import annotations

import json
import re
import resource
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path

import msgpack
import pytest
import zmq
from operator_calls import free_port
from server_process import Client, Server, executable

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "csrc" / "server" / "deploy"
UNIT = DEPLOY / "mhing-server.service"


@pytest.mark.slow
def test_nothing_that_others_see_has_a_secret(tmp_path: Path) -> None:
    """Keys, tokens and seeds are neither in the arguments nor in what is printed."""
    pair = subprocess.check_output([executable(), "--keygen"], text=True)
    server_public, server_secret = (line.split()[1] for line in pair.splitlines())
    public, secret = zmq.curve_keypair()
    other, _ = zmq.curve_keypair()
    key_file, allow = tmp_path / "secret", tmp_path / "allow"
    key_file.touch(0o600)
    key_file.write_text(pair)
    allow.write_bytes(public + b"\n" + other + b"\n")
    seed = 0x5EEDFACE12345678
    server = Server(
        tmp_path,
        *("--curve-secret", str(key_file), "--allow", str(allow), "--figures", "1"),
        *("--state", str(tmp_path / "state"), "--records", str(tmp_path / "records")),
        endpoint="tcp://127.0.0.1:*",
    )
    process = Path(f"/proc/{server.process.pid}")
    keys = {
        "curve_serverkey": server_public.encode(),
        "curve_publickey": public,
        "curve_secretkey": secret,
    }
    with server, Client(server.endpoint, **keys) as client:
        client.hello()
        terms = {"table": "t", "bots": ["greedy"] * 3, "seed": seed, "games": 3}
        assert client("sit", terms)[0] == "ok"
        client.send("step", 2, 1, 0)  # errors, which might be printed
        client.socket.send(msgpack.packb(["hello", 0, {"token": bytes(16)}]))
        words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        assert re.search(r"NoNewPrivs:\s1", (process / "status").read_text())
        most = resource.prlimit(server.process.pid, resource.RLIMIT_CORE)
        assert most == (1, 1), "a core file would have the key and all cards"
        assert server.process.stdout
        words += server.process.stdout.readline().encode()  # figures
        server.process.send_signal(signal.SIGHUP)
        server.process.send_signal(signal.SIGTERM)
        out, err = server.process.communicate(timeout=30)
        words += out.encode() + err.encode()
        assert b"sessions 1" in words
        assert client.token
        token = client.token
    secrets = {
        "the server's key": [server_secret.encode()],
        "the client's key": [public, secret, other],
        "a token": [token, token.hex().encode(), token.hex().upper().encode()],
        "a seed": [b"%d" % seed, b"%x" % seed, b"%X" % seed],
    }
    for what, texts in secrets.items():
        assert not [text for text in texts if text in words], what


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="systemd-analyze is missing: .ci/setup operators"
)
def test_the_unit(tmp_path: Path) -> None:
    """systemd understands every line of it, and rates what it leaves open."""
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/local/bin/mhing-server", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert rated.returncode == 0, rated.stdout[-300:]


def test_commands_of_the_files(tmp_path: Path) -> None:
    """The server takes the options that the unit and the container file give it."""
    unit = re.search(r"^ExecStart=\S+ ((?:.*\\\n)*.*)", UNIT.read_text(), re.MULTILINE)
    container = (DEPLOY / "Containerfile").read_text()
    entry = re.search(r"^ENTRYPOINT \[(.*(?:\\\n.*)*)\]", container, re.MULTILINE)
    assert unit
    assert entry
    assert re.search(r"^USER [1-9]\d*$", container, re.MULTILINE)
    assert not re.search(r"^(ENV|ARG|COPY .*secret)", container, re.MULTILINE)
    options = {*re.findall(r"--[a-z-]+", unit[1]), *re.findall(r"--[a-z-]+", entry[1])}
    known = subprocess.check_output([executable(), "--help"], text=True)
    assert options == {
        "--bind", "--state", "--records", "--curve-secret", "--allow", "--metrics",
        "--admin",
    }  # fmt: skip
    assert all(f"  {option} " in known for option in options)


def test_the_health_check(tmp_path: Path) -> None:
    """It finds a server, none, and something else that listens."""
    container = (DEPLOY / "Containerfile").read_text()
    (command,) = re.findall(r"^HEALTHCHECK .* CMD (\[.*\\\n.*\])$", container, re.MULTILINE)

    def check(port: int) -> bool:
        words = [
            word.replace("/7646", f"/{port}") for word in json.loads(command.replace("\\\n", ""))
        ]
        return subprocess.run(words, capture_output=True, timeout=10, check=False).returncode == 0

    port = free_port()
    options = ("--metrics", str(port), "--state", str(tmp_path / "s"), "--sync", "always")
    with Server(tmp_path, *options) as server:
        assert check(port)
        with Client(server.endpoint) as client:
            assert client.hello()[0] == "ok"
            (tmp_path / "s").rename(tmp_path / "elsewhere")
            assert client("make", {})[2] == "storage"
            assert not check(port)
        server.process.kill()
        server.process.communicate()
    assert not check(port)
    with socket.create_server(("127.0.0.1", 0)) as other:

        def greet() -> None:
            with other.accept()[0] as line:
                line.sendall(b"SSH-2.0-x\r\n")

        answer = threading.Thread(target=greet)
        answer.start()
        assert not check(other.getsockname()[1])
        answer.join()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is missing: pip install cmake ninja")
def test_an_image_is_built_from_few_files(tmp_path: Path) -> None:
    """The files that .dockerignore admits are enough for CMake, and none is a user's folder."""
    _, first, *others = (ROOT / ".dockerignore").read_text().splitlines()
    assert first == "*"
    for line in others:
        path = ROOT / line.removeprefix("!")
        (shutil.copytree if path.is_dir() else shutil.copy)(path, tmp_path / path.name)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "CMakeLists.txt", "LICENSE", "README.md", "csrc", "envs", "pyproject.toml", "python",
    ]  # fmt: skip
    done = subprocess.run(
        ["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build"), "-DMHING_SERVER=ON"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
