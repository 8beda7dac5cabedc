"""Bots that wait at a server play in tournaments as they would here, and cost nobody a game."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from server_process import Client, Server, executable

import mhing
from mhing import arena
from mhing.arena.seeds import Seeds
from mhing.cli import main
from mhing.remote import Bot, Connection, Turn

LARGE = 5 << 32
"""A seed on which guests play without a warning."""

BOTS = Path(__file__).parents[3] / "csrc/server/bots"

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.once


def by_sum(observation: Any, mask: Any, info: Any) -> int:
    """The rule of csrc/server/bots/README.md."""
    legal = np.flatnonzero(mask)
    return int(legal[int(observation.sum()) % len(legal)])


def last_legal(observation: Any, mask: Any, info: Any) -> int:
    return int(mask.nonzero()[0][-1])


class Policy(Bot):
    """Plays as a callable does, until `trouble` at the turns of that number."""

    def __init__(
        self, policy: Callable[..., int], trouble: Callable[[], Any] | None = None
    ) -> None:
        super().__init__("champion")
        self._policy, self._trouble, self.turns = policy, trouble, 0
        self.heard: list[str] = []

    def act(self, turn: Turn) -> int | str:
        self.turns += 1
        if self.turns == 3 and self._trouble:
            answer: int | str = self._trouble()
            return answer
        return self._policy(turn.observation, turn.mask, {})

    def refused(self, code: str, text: str) -> None:
        self.heard.append(f"{code}: {text}")


class Leave(Exception):
    pass


class Line(Connection):
    """A connection whose bot can be made to leave."""

    leaves = False

    def listen(self, seconds: float) -> list[Any] | None:
        if self.leaves:
            raise Leave
        return super().listen(min(seconds, 0.1))


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server.endpoint


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections find out soon that nobody answers."""
    settings = {**(Connection.__init__.__kwdefaults__ or {}), "timeout": 0.3}
    monkeypatch.setattr(Connection.__init__, "__kwdefaults__", settings)


@contextmanager
def guests(endpoint: str, name: str, *bots: Bot, game: str | None = None) -> Iterator[str]:
    """The player that these bots are, each in a thread."""

    def wait(bot: Bot, line: Line) -> None:
        with line, suppress(Leave):
            bot.wait(line, name, game=game)

    lines = [Line(endpoint, client=bot.name) for bot in bots]
    threads = [threading.Thread(target=wait, args=pair) for pair in zip(bots, lines, strict=True)]
    for thread in threads:
        thread.start()
    try:
        yield f"{endpoint}/{name}"
    finally:
        for line in lines:
            line.leaves = True
        for thread in threads:
            thread.join()


# ---- The same games ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "others", "field", "seats"),
    [
        ("mhing", ["greedy"], None, 2),
        ("mhing", ["greedy"], "greedy", 5),
        ("general_mhing", ["random", "greedy"], None, 3),
        ("leduc", [], "random", 1),
    ],
)
def test_guests_play_as_the_same_players_here(
    endpoint: str, game: str, others: list[str], field: str | None, seats: int
) -> None:
    """All rewards, totals, intervals and differences, however many games are played at once."""
    here = {"champion": by_sum, **{name: name for name in others}}
    wanted = arena.play(here, game, field=field, deals=10, seed=LARGE)
    with guests(endpoint, "champion", *(Policy(by_sum) for _ in range(seats))) as champion:
        found = arena.play([champion, *others], game, field=field, deals=10, seed=LARGE, wait=20)
    assert found == wanted
    assert found.players[0].forfeits == 0


def test_guests_of_two_names_and_a_program(endpoint: str) -> None:
    program = "import sys, json\nfor line in sys.stdin:\n    turn = json.loads(line)\n"
    program += "    if turn['type'] == 'turn':\n        answer = turn['ids'][-1]\n"
    program += "        print(json.dumps({'turn': turn['turn'], 'action': answer}), flush=True)"
    wanted = arena.play({"a": by_sum, "b": last_legal, "c": last_legal}, deals=3, seed=LARGE)
    with (
        guests(endpoint, "a", *(Policy(by_sum) for _ in range(2))) as a,
        guests(endpoint, "b", *(Policy(last_legal) for _ in range(2))) as b,
    ):
        c = f'c=exec:{sys.executable} -c "{program}"'
        found = arena.play([a, b, c], deals=3, seed=LARGE, wait=20)
    assert found == wanted


@pytest.mark.parametrize("form", ["fields", "words"])
def test_a_guest_hears_what_a_servers_table_would_say(endpoint: str, form: str) -> None:
    """In names and in texts, as it has asked for."""

    def hear(client: Client, games: int) -> list[Any]:
        messages: list[Any] = []
        while games:
            message = client.receive()
            assert message is not None
            if message[0] == "turn":
                client.send("act", message[1], message[4][-1])
            messages.append(message)
            games -= message[0] == "end"
        return messages

    settings = {"observations": form, "actions": "texts", "client": "me"}
    with Client(endpoint) as guest, Client(endpoint) as player:
        for client in (guest, player):
            client.hello(**settings)
        assert guest("wait", {"name": f"listens-{form}"})[0] == "ok"
        heard: list[Any] = []
        thread = threading.Thread(target=lambda: heard.extend(hear(guest, 4)))
        thread.start()
        arena.play(
            [f"me={endpoint}/listens-{form}"], field="greedy", deals=1, seed=LARGE, wait=20,
            episode="game", rounds=2,
        )  # fmt: skip
        thread.join()
        assert heard.pop(0) == ["invited", 0]
        messages = [message for message in heard if message != ["invited", 0]]
        seed = Seeds(LARGE, None).deal(0)
        options = "episode=game rounds=2"
        player("sit", {"table": form, "options": options, "bots": ["greedy"] * 3, "seed": seed})
        wanted = hear(player, 1)
        begin = next(
            at for at, one in enumerate(messages) if one[0] == "start" and not one[2]["seat"]
        )
        own = messages[begin : begin + len(wanted)]
    layout = mhing.Game("mhing").describe()["layout"]
    assert own[0][2].pop("layout") == layout
    assert own[0][2].pop("players") == ["me", *["opponent"] * 3]
    assert wanted[0][2].pop("players") == ["me", *["greedy"] * 3]
    for one in (own[0][2], own[-1][2], wanted[0][2], wanted[-1][2]):
        for name in ("table", "number", "over", "totals", "seeds"):
            one.pop(name, None)
    before = own[1][1] - 1
    for one in (*own, *wanted):
        if one[0] == "turn":
            one[2] = 0  # of the clock
    for one in wanted:
        if one[0] == "round":
            del one[3:]  # a host passes on the numbers alone
    for one in own:
        if one[0] == "turn":
            one[1] -= before  # questions in games before
    assert own == wanted


def test_by_the_command(endpoint: str, tmp_path: Path, capsys: Capture) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import sys, json\nfor line in sys.stdin:\n    turn = json.loads(line)\n"
        "    if turn['type'] == 'turn':\n"
        "        print(json.dumps({'turn': turn['turn'], 'action': turn['ids'][-1]}), flush=True)\n"
    )
    connect = [sys.executable, "-m", "mhing", "connect", endpoint, "--guest", "by-command"]
    connect += [f"exec:{sys.executable} {bot}"]
    with subprocess.Popen(connect, stderr=subprocess.PIPE, text=True) as waits:
        assert waits.stderr
        assert "waits as by-command" in waits.stderr.readline()
        words = ["arena", f"{endpoint}/by-command", "--field", "greedy", "--deals", "2"]
        assert main([*words, "--seed", str(LARGE)]) == 0
        waits.send_signal(signal.SIGTERM)
    assert waits.returncode == 130
    wanted = arena.play({"by-command": last_legal}, field="greedy", deals=2, seed=LARGE)
    assert capsys.readouterr().out.splitlines()[3].split() == [
        str(word) for word in " ".join(map(str, wanted.standings()[0].values())).split()
    ]


def test_an_example_bot(endpoint: str, tmp_path: Path) -> None:
    """By the commands of its page."""
    page = (BOTS / "README.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"## In the arena\n.*?```sh\n(.*?)```", page, re.DOTALL)
    made, waits, _ = section.replace("tcp://127.0.0.1:7644", endpoint).splitlines()
    shutil.copy(BOTS / "bot.pl", tmp_path)
    subprocess.run(made, shell=True, cwd=tmp_path, check=True)
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    with subprocess.Popen(shlex.split(waits.strip("& ")), cwd=tmp_path, env=environment) as bot:
        found = arena.play([f"{endpoint}/champion"], field="greedy", deals=2, seed=LARGE, wait=20)
        bot.terminate()
    wanted = arena.play({"champion": by_sum}, field="greedy", deals=2, seed=LARGE)
    assert found == wanted


# ---- Trouble -----------------------------------------------------------------------------------


def dies() -> None:
    raise Leave


def dawdle() -> int:
    time.sleep(1.5)
    return 0


TROUBLE: dict[str, tuple[Callable[[], Any], float, str, list[str]]] = {
    "dies": (dies, 60, "it has left the table", []),
    "is illegal": (lambda: 9999, 60, "action 9999", ["illegal: "]),
    "talks": (lambda: "nonsense", 60, "no move was found in 'nonsense'", ["illegal: "]),
    "is slow": (
        dawdle,
        0.5,
        "no answer within 0.5 seconds; a longer clock allows more",
        ["late: "],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", TROUBLE)
def test_a_guest_forfeits_one_game(endpoint: str, how: str) -> None:
    """It plays the next one, a slow guest once it has answered; for a dead one another does."""
    trouble, clock, reason, heard = TROUBLE[how]
    bots = [Policy(last_legal, trouble)]
    if how == "dies":
        bots.append(Policy(last_legal))
    with guests(endpoint, "champion", *bots) as champion:
        result = arena.play([champion, "greedy"], field="greedy", deals=2, clock=clock, wait=20)
    champion_, greedy = result.players
    assert (champion_.forfeits, greedy.forfeits) == (1, 0)
    assert champion_.reason is not None
    assert reason in champion_.reason
    assert [text[: text.index(" ") + 1] for text in bots[0].heard[: len(heard)]] == heard


@pytest.mark.slow
@pytest.mark.parametrize("how", ["hangs", "dies"])
def test_a_guest_that_falls_silent_ends_nothing(endpoint: str, how: str) -> None:
    """It forfeits its further games, and the others play on; the arena waits for it only once."""
    over = threading.Event()
    trouble = dies if how == "dies" else lambda: int(over.wait(60))
    begun = time.monotonic()
    with guests(endpoint, "champion", Policy(last_legal, trouble)) as champion:
        try:
            result = arena.play(
                [champion, "greedy"], field="greedy", deals=3, clock=0.5, wait=1.5, seed=LARGE
            )
        finally:
            over.set()
    champion_, greedy = result.players
    assert champion_.forfeits == champion_.games >= 3
    assert greedy.forfeits == 0
    assert time.monotonic() - begun < 6


@pytest.mark.slow
def test_a_guest_that_does_not_come_ends_the_tournament_for_now(
    endpoint: str, tmp_path: Path, capsys: Capture, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has what was played; once a guest waits again, it continues to the same end."""
    log, whole = tmp_path / "log.jsonl", tmp_path / "whole.jsonl"
    words = ["arena", f"{endpoint}/champion", "--field", "greedy", "--wait", "1.3", "--deals", "20"]
    words += ["--seed", str(LARGE)]
    with guests(endpoint, "champion", Policy(last_legal)):
        assert main([*words, "--log", str(whole)]) == 0
    table = capsys.readouterr().out
    with guests(endpoint, "champion", Policy(last_legal)):
        assert main([*words, "--deals", "10", "--log", str(log)]) == 0
    capsys.readouterr()
    assert main([*words, "--log", str(log)]) == 2
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert "no guest called champion waits" in line
    assert line.endswith("none has come in 1.3 seconds")
    assert "waiting up to 1.3 seconds" in caplog.text
    with guests(endpoint, "champion", Policy(last_legal)):
        assert main([*words, "--log", str(log)]) == 0
    assert capsys.readouterr().out == table
    assert log.read_bytes() == whole.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("tcp://127.0.0.1:7644", "write the endpoint and the name"),
        ("tcp://127.0.0.1/champion", "write the endpoint and the name"),
        ("tcp://127.0.0.1:7644/no spaces", "write the endpoint and the name"),
        ("ipc:///nowhere/at/all/champion", "no answer in 3 times 0.3 seconds"),
        ("tcp://nowhere.invalid:x1/champion", "write the endpoint and the name"),
    ],
)
@pytest.mark.usefixtures("hasty")
def test_endpoints_that_are_none(player: str, words: str, capsys: Capture) -> None:
    assert main(["arena", player, "greedy"]) == 2
    assert words in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("name", ["no spaces", "", "a" * 33, "a/b"])
def test_guests_that_nobody_could_invite(endpoint: str, name: str, capsys: Capture) -> None:
    with pytest.raises(ValueError, match="hosts invite by 1 to 32 letters"):
        Policy(last_legal).wait(endpoint, name)
    assert main(["connect", endpoint, "exec:cat", "--guest", name]) == 2
    assert "hosts invite by 1 to 32 letters" in capsys.readouterr().err


def test_guests_of_another_game(endpoint: str) -> None:
    with (
        guests(endpoint, "picky", Policy(last_legal), game="leduc"),
        pytest.raises(arena.Absent, match=r"\(0 play, 1 wait for another game\); none has come"),
    ):
        arena.play([f"{endpoint}/picky"], field="greedy", wait=0.5)


def test_two_seats_at_a_table_need_two_guests(endpoint: str) -> None:
    with (
        guests(endpoint, "alone", Policy(last_legal)) as alone,
        pytest.raises(arena.Absent, match=r"1 play, .* and 1 for this table; none has come"),
    ):
        arena.play([alone, "greedy"], wait=0.5)


@pytest.mark.slow
@pytest.mark.usefixtures("hasty")
def test_a_server_that_is_gone(tmp_path: Path) -> None:
    with Server(tmp_path) as server:

        def kill() -> int:
            server.kill()
            return 0

        bot = Policy(last_legal, kill)
        thread = threading.Thread(target=lambda: quietly(bot, server.endpoint))
        thread.start()
        with pytest.raises(arena.Absent, match=r"no answer in 3 times 0\.3 seconds"):
            arena.play([f"{server.endpoint}/champion"], field="greedy", clock=60, wait=5)
        thread.join()


def quietly(bot: Bot, endpoint: str) -> None:
    with pytest.raises(TimeoutError):
        bot.wait(endpoint)


@pytest.mark.slow
def test_killed_and_gone_on(endpoint: str, tmp_path: Path, capsys: Capture) -> None:
    """The guests of an arena that was killed are free for the next one."""
    log, whole = tmp_path / "killed.jsonl", tmp_path / "whole.jsonl"
    with guests(endpoint, "champion", *(Policy(by_sum) for _ in range(3))) as champion:
        words = ["arena", champion, "greedy", "--field", "greedy", "--deals", "32"]
        words += ["--seed", str(LARGE), "--log"]
        with subprocess.Popen([sys.executable, "-m", "mhing", *words, str(log)]) as process:
            while not log.exists() or log.read_bytes().count(b"\n") < 9:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
        assert 9 <= log.read_bytes().count(b"\n") < 33
        assert main([*words, str(log)]) == 0
        gone_on = capsys.readouterr().out
        assert main([*words, str(whole)]) == 0
    assert capsys.readouterr().out == gone_on
    assert log.read_bytes() == whole.read_bytes()


def test_with_keys(tmp_path: Path) -> None:
    pairs = []
    for name in ("server", "own"):
        (tmp_path / name).write_text(subprocess.check_output([executable(), "--keygen"], text=True))
        (tmp_path / name).chmod(0o600)
        pairs.append(dict(line.split() for line in (tmp_path / name).read_text().splitlines()))
    (tmp_path / "allowed").write_text(pairs[1]["public"])
    options = ["--curve-secret", str(tmp_path / "server"), "--allow", str(tmp_path / "allowed")]
    with Server(tmp_path, *options) as server:
        keys = {"server_key": pairs[0]["public"], "secret_key": pairs[1]["secret"]}
        line = Line(server.endpoint, **keys)

        def wait() -> None:
            with pytest.raises(Leave), line:
                Policy(last_legal).wait(line)

        thread = threading.Thread(target=wait)
        thread.start()
        words = ["arena", f"{server.endpoint}/champion", "--field", "greedy", "--deals", "1"]
        words += ["--server-key", pairs[0]["public"], "--key", str(tmp_path / "own")]
        assert main(words) == 0
        line.leaves = True
        thread.join()
