"""A server's sentences: the words of what it would have sent as bytes.

`test_server_tables_words.c` compares tables text by text, with a simulated clock; here are
environments, the choice of each client, and lines and servers that fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from server_process import Client, Server

import mhing
from mhing import remote

FORMS = ("raw", "fields", "words", "changes")
SENT: dict[str, type[object]] = {"raw": bytes, "fields": dict, "words": str, "changes": str}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server")) as running:
        yield running


def question(client: Client) -> list[Any]:
    """The next question."""
    while (message := client.receive()) is not None and message[0] != "turn":
        assert message[0] in ("start", "round"), message
    assert message is not None
    return message


# ---- Environments --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("game_id", ["mhing", "general_mhing", "mexican_rummy"])
def test_rows_are_said(server: Server, game_id: str) -> None:
    """As the seat to act sees them, and at the end as the own seat does."""
    game, over = mhing.Game(game_id, num_players=2), np.zeros(2, np.uint8)
    with Client(server.endpoint) as client:
        client.hello()
        terms = {"game": game_id, "options": "num_players=2", "rows": 2, "opponents": "self"}
        env = client("make", {**terms, "seat": 1})[2]
        assert client("words", env, 0)[2] == "order"
        client("reset", env, 3)
        while not over.all():
            actions = client("sample", env)[2]
            over = np.frombuffer(client("step", env, actions)[5], np.uint8)
            for row in range(2):
                state = game.from_bytes(client("state", env, row)[2])
                seat = 1 if state.is_terminal else state.seat
                assert client("words", env, row) == ["ok", client.seq, state.words(seat)]
        assert client("words", env, 2)[2] == "argument"
        assert client("words", env)[2] == "argument"


def test_a_row_that_an_illegal_action_has_ended(server: Server) -> None:
    """It is over, and nobody is asked, although the game continues."""
    with Client(server.endpoint) as client:
        client.hello()
        env = client("make", {"opponents": "random", "seat": 0})[2]
        client("reset", env, 3)
        assert "Moves: " in client("words", env, 0)[2]
        assert client("step", env, -1)[5] == b"\1"
        assert "Moves: " not in client("words", env, 0)[2]


# ---- Tables --------------------------------------------------------------------------------------


def test_another_form_is_refused(server: Server) -> None:
    with Client(server.endpoint) as client:
        for wrong in ("poems", "", "Words"):
            _, _, code, text = client.hello(observations=wrong)
            assert code == "argument"
            assert text == f"observations: '{wrong}' is none of raw, fields, words, changes"
        assert client.hello(observations=7)[2] == "argument"


def test_each_client_chooses_for_its_own_seat(server: Server) -> None:
    """From hello to hello, in the middle of a game."""
    terms = {"table": "each", "options": "num_players=4", "seed": 1, "pause": 0}
    clients = [Client(server.endpoint) for _ in FORMS]
    state = mhing.Game("mhing").new_state(1)
    for client, form in zip(clients, FORMS, strict=True):
        client.hello(observations=form)
        assert client("sit", terms)[0] == "ok"
    forms, heard = list(FORMS), set[str]()
    for step in range(12):
        seat = state.seat
        client, form = clients[seat], forms[seat]
        asked = question(client)
        assert isinstance(asked[3], SENT[form])
        assert form != "words" or asked[3] == state.words(seat)
        heard.add(form)
        forms[seat] = FORMS[(FORMS.index(form) + 1 + step // 4) % 4]
        assert client.hello(observations=forms[seat])[0] == "ok"
        again = question(client)
        assert again[1] == asked[1]
        assert isinstance(again[3], SENT[forms[seat]])
        if SENT[forms[seat]] is str:
            assert again[3] == state.words(seat)
        action = int(state.legal_actions()[-1])
        client.send("act", asked[1], action)
        state.apply(action)
    assert heard == set(FORMS)
    for client in clients:
        client.close()


@pytest.mark.parametrize("game_id", ["mhing", "general_mhing", "mexican_rummy"])
def test_a_bot_in_python_reads_the_same(server: Server, game_id: str) -> None:
    """`Turn.words` makes the text here that the server makes for other languages."""
    options = "num_players=2 episode=game rounds=3"
    if game_id != "mhing":
        options = "num_players=2 episode=game"
    texts: list[str] = []
    events: list[list[str]] = []

    class Reader(remote.Bot):
        def act(self, turn: remote.Turn) -> int:
            texts.append(turn.words())
            events.append(turn.event_words)
            return turn.legal_actions[-1]

    terms: dict[str, Any] = {"bots": ["greedy"], "seed": 6, "seat": 1}
    Reader().play(server.endpoint, game=game_id, options=options, **terms)
    with Client(server.endpoint) as client:
        client.hello(observations="words")
        client("sit", {"table": game_id, "game": game_id, "options": options, **terms})
        for text, sentences in zip(texts, events, strict=True):
            _, number, _, said, mask, happened = question(client)
            assert said == text
            assert happened == sentences
            client.send("act", number, int(np.frombuffer(mask, np.int8).nonzero()[0][-1]))
        while (message := client.receive()) is not None and message[0] != "end":
            assert message[0] == "round"
            assert isinstance(message[3], str)
    assert len(texts) > 5


def test_a_spectator_reads_the_same(server: Server) -> None:
    with (
        mhing.connect(server.endpoint) as connection,
        remote.Spectator(connection, "seen") as spectator,
        Client(server.endpoint) as client,
    ):
        client.hello()
        client("sit", {"table": "seen", "bots": ["greedy"] * 3, "seed": 2})
        changes = spectator.listen(20)
        assert changes is not None
        assert changes[0] == "state"
        assert spectator.state["words"] == spectator.view.words()


@pytest.mark.parametrize("form", ["words", "changes"])
def test_a_line_or_a_server_that_fails(tmp_path: Path, form: str) -> None:
    """The open question comes again as a whole text, in the form that was asked for before."""
    with (
        Server(tmp_path, "--state", str(tmp_path / "state")) as server,
        Client(server.endpoint) as client,
    ):
        client.hello(observations=form, actions="texts")
        client("sit", {"table": "t", "options": "num_players=2", "seed": 4, "bots": ["random"]})
        shorter = 0
        for step in range(9):
            asked = question(client)
            whole = client("back")[2]["observation"]
            assert question(client)[3] == whole  # the question again, to who has asked
            shorter += len(asked[3]) < len(whole)
            assert step or asked[3] == whole
            if step % 3 == 2:
                server.kill()
                server.start()
            if step % 3:
                client.close()
                client.connect()
                assert client.hello()[0] == "ok"
                again = question(client)
                assert again[1] == asked[1]
                assert again[3] == whole
                assert again[4:] == asked[4:]
            client.send("act", asked[1], asked[4][-1])
        assert (shorter > 0) == (form == "changes")
