"""Games of `mhing.web.play` without a browser: what pages are sent, and what may be asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mhing
from mhing.records import records
from mhing.render import View
from mhing.render.moves import cards
from mhing.web.play import PlaySession, Wishes, begin
from mhing.web.saves import Saves

GAMES = ["mhing", "general_mhing", "mexican_rummy", "leduc"]
SHAPE = "wide"
VARIANTS = [
    ("mhing", {}),
    ("mhing", {"rules": "jmhing", "num_players": 3}),
    ("mhing", {"num_players": 6, "seven_pairs": True}),
    ("general_mhing", {}),
    ("general_mhing", {"num_players": 3}),
    ("mexican_rummy", {}),
    ("mexican_rummy", {"objective": 3, "num_players": 3}),
    ("leduc", {}),
]


def play(game_id: str = "mhing", seed: int = 1, **wishes: Any) -> PlaySession:
    options = wishes.pop("options", {})
    game = mhing.Game(game_id, **options)
    wishes = {"seat": 0, "hint": "greedy", **wishes}
    return PlaySession(game, ["greedy"], Wishes(**wishes), seed)


def advance(session: PlaySession, seed: int) -> None:
    """One step of a table: the viewer plays about as greedy does."""
    view = session.view(SHAPE)
    if view["asked"]:
        state = session.table.state
        bot = "random" if (seed + view["number"]) % 5 == 0 else "greedy"
        action, _ = state.bot_action(bot, seed)
        session.do({"do": "play", "number": view["number"], "action": action})
    elif "next" in view["can"]:
        session.do({"do": "next"})
    else:
        session.tick()


def views(session: PlaySession, seed: int, most: int = 4000) -> Iterator[dict[str, Any]]:
    """Every view until the game is over."""
    for _ in range(most):
        view = session.view(SHAPE)
        yield view
        if view["over"]:
            return
        advance(session, seed)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize(("game_id", "options"), VARIANTS)
def test_every_message_is_the_same_in_worlds_that_look_alike(
    game_id: str, options: dict[str, Any]
) -> None:
    """Views, hints, and when to look again: all bytes, with pictures, buttons, logs and sizes."""
    for seed, seat in [(1, 0), (2, 1)]:
        session = play(game_id, seed, seat=seat, options=options)
        tried = 0
        for number, view in enumerate(views(session, seed)):
            if view["over"]:
                continue
            table, state, pending = session.table, session.table.state, session._pending
            hint = session.do({"do": "hint"}) if "hint" in view["can"] else None
            table.state = state.resample(seat, number)
            tried += table.state != state
            assert json.dumps(session.view(SHAPE)) == json.dumps(view)
            assert hint is None or session.do({"do": "hint"}) == hint
            assert (session.due() is None) == view["asked"]
            table.state, session._pending = state, pending
        assert tried > 5 or game_id == "leduc"


@pytest.mark.parametrize(("game_id", "options"), VARIANTS)
def test_what_others_do_in_secret_makes_no_view(game_id: str, options: dict[str, Any]) -> None:
    """Each view after the first follows an event that all see, or is the viewer's to answer."""
    for seed in range(2):
        session = play(game_id, seed, options=options)
        before: dict[str, Any] | None = None
        moved = False
        for view in views(session, seed):
            if before is not None and not moved:
                assert view["log"] != before["log"], "nothing is to be seen, and a view is sent"
            before, moved = view, view["asked"]


def test_views_of_a_game_with_rounds_show_how_each_ended() -> None:
    session = play("mhing", options={"episode": "game", "rounds": 3})
    ended = [view for view in views(session, 1) if view["result"]]
    assert len(ended) == 3
    assert [view["status"] for view in ended[:2]] == ["Round 1 is over", "Round 2 is over"]
    for view in ended[:2]:
        assert view["can"] == ["undo", "next", "speed"]
        assert view["moves"] == []
    assert ended[2]["over"]


def test_moves_are_the_legal_ones_and_a_late_click_is_refused() -> None:
    session = play()
    view = session.view(SHAPE)
    legal = session.table.state.legal_actions().tolist()
    assert sorted(move["action"] for move in view["moves"]) == legal
    with pytest.raises(ValueError, match="the table has changed; choose again"):
        session.do({"do": "play", "number": view["number"] - 1, "action": legal[0]})
    session.do({"do": "play", "number": view["number"], "action": legal[0]})
    state = session.table.state.clone()
    with pytest.raises(ValueError, match=r"cannot be done now|has changed"):
        session.do({"do": "play", "number": view["number"], "action": legal[0]})
    assert session.table.state == state


def test_what_wins_comes_first_and_pass_last_with_keys_that_never_change() -> None:
    """By the first free letter p burned a joker in one claim of twelve."""
    groups, keys = set(), set()
    for seed in range(12):
        for view in views(play("mhing", seed, options={"num_players": 3}), seed):
            moves = [(move["group"], move["key"]) for move in view["moves"]]
            groups |= {group for group, _ in moves}
            keys |= {(group, key) for group, key in moves if key}
            for group, place in (("mhing", 0), ("pass", -1)):
                assert group not in dict(moves) or moves[place][0] == group
            held = [key for _, key in moves if key]
            assert len({*held}) == len(held)
    assert {"mhing", "pass", "triplet"} <= groups
    assert keys == {("mhing", "m"), ("pass", "p")}


def test_cards_of_moves() -> None:
    """Jokers look like what they stand for, and are found in the hand by what they are."""

    def shown(game_id: str, text: str) -> list[tuple[str, str, bool]]:
        state = mhing.Game(game_id).new_state(1)
        found = cards(state, state.game.action_id(text))
        return [(one.card, one.sprite.name if one.sprite else "", one.is_held) for one in found]

    assert shown("mhing", "discard N") == [("N", "mhing-N", True)]
    assert shown("mhing", "pass") == []
    assert shown("mhing", "sequence 45*6s") == [
        ("4s", "mhing-4s", True), ("J", "mhing-5s-joker", True), ("6s", "mhing-6s", True),
    ]  # fmt: skip
    assert shown("general_mhing", "sequence 2*34s") == [
        ("As", "playing-2s-wild", True), ("3s", "playing-3s", True), ("4s", "playing-4s", True),
    ]  # fmt: skip
    assert shown("general_mhing", "draw") == [("", "card-back", False)]
    assert shown("mexican_rummy", "set 7") == []
    assert shown("mexican_rummy", "may i") == [("8c", "playing-8c", False)]
    assert shown("leduc", "raise") == []


def test_moves_come_with_their_cards_for_every_viewer() -> None:
    """An observation alone shows the same cards as the state."""
    state = mhing.Game("mexican_rummy").new_state(1)
    view = View(state.game, state.observation(2), seat=2)
    for text in ("may i", "take", "lay 7h", "run 5678h", "draw"):
        action = state.game.action_id(text)
        assert cards(view, action) == cards(state, action)
    view = play("mhing").view(SHAPE)
    used = {card["sprite"] for move in view["moves"] for card in move["cards"]}
    assert used
    assert used <= set(view["frame"]["sprites"])


@pytest.mark.parametrize("game_id", GAMES)
def test_undo_leads_back_to_the_decision_before(game_id: str) -> None:
    session = play(game_id, seed=2)
    decisions = [view for view in views(session, 2) if view["asked"]]
    for before in reversed(decisions):
        session.do({"do": "undo"})
        view = session.view(SHAPE)
        for key in ("frame", "moves", "log", "status", "players", "asked"):
            assert view[key] == before[key], key
    assert "undo" not in session.view(SHAPE)["can"]


def test_only_a_plan_can_be_taken_back_outside_of_practice() -> None:
    """Laying down in Mexican Rummy goes in steps that nobody sees; a draw shows a card."""
    planned = drawn = 0
    for seed in (0, 3, 5):  # in these the viewer lays down
        session = play("mexican_rummy", seed, practice=False)
        known: dict[int, bool] = {}
        while not (view := session.view(SHAPE))["over"]:
            played = session.table.played
            known[len(played)] = view["planned"]
            if "undo" in view["can"]:
                planned += 1
                assert view["planned"]
                assert session.table.state.to_dict()["plan"] or played[-1].seat == 0
                count, action = len(played), played[-1].action
                session.do({"do": "undo"})
                assert len(session.table.played) == count - 1
                assert session.view(SHAPE)["planned"] == known[count - 1], "a draw is taken back"
                number = session.view(SHAPE)["number"]
                session.do({"do": "play", "number": number, "action": action})
                assert session.view(SHAPE)["frame"] == view["frame"]
            elif played and played[-1].seat == 0 and view["asked"]:
                drawn += session.game.action_text(played[-1].action) == "draw"
            assert "hint" not in view["can"]
            advance(session, seed)
    assert planned > 3
    assert drawn > 3


def test_a_claim_has_a_clock_that_passes_it_up() -> None:
    passed = 0
    for seed in range(5):
        session = play("mhing", seed, clock=7.0)
        while not (view := session.view(SHAPE))["over"]:
            is_claim = "pass" in [move["text"] for move in view["moves"]]
            assert view["clock"] == (7.0 if is_claim else None)
            if not is_claim:
                advance(session, seed)
                continue
            assert 0 < (session.due() or 0) <= 7.0
            count = len(session.table.played)
            session.tick()
            assert session.game.action_text(session.table.played[count].action) == "pass"
            passed += 1
    assert passed > 2


def test_hints_are_those_of_the_bot() -> None:
    session = play("mhing", seed=1, hint="expert")
    (hint,) = session.do({"do": "hint"})
    decision = mhing.analyse(session.table.state, "expert")
    assert hint["best"] == decision.choice
    assert dict(map(tuple, hint["values"])) == {
        int(a): round(float(decision.value(a)), 3) for a in decision.actions
    }


def test_bots_are_watched_with_pauses_and_steps() -> None:
    session = play("general_mhing", seat=None)
    view = session.view(SHAPE)
    assert view["moves"] == []
    assert session.due() is not None
    session.do({"do": "pause"})
    assert session.due() is None
    paused = session.view(SHAPE)
    session.do({"do": "step"})
    assert session.view(SHAPE)["frame"] != paused["frame"]
    assert session.due() is None
    session.do({"do": "eyes", "seat": 1})
    assert session.view(SHAPE)["frame"]["rows"] != paused["frame"]["rows"]
    with pytest.raises(ValueError, match="seat: 7 is not from 0 to 1"):
        session.do({"do": "eyes", "seat": 7})
    session.do({"do": "go"})
    session.do({"do": "speed", "seconds": 0})
    while not session.view(SHAPE)["over"]:
        assert session.due() == 0
        session.tick()


def test_rounds_follow_each_other_and_add_up() -> None:
    session = play("leduc", seed=4)
    returns = [0.0, 0.0]
    for _ in range(3):
        *_, view = views(session, 4)
        returns = [
            one + two for one, two in zip(returns, session.table.state.returns(), strict=True)
        ]
        assert [player["total"] for player in view["players"]] == returns
        session.do({"do": "next"})
    assert not session.view(SHAPE)["over"]


def test_a_player_that_fails_says_so_and_can_be_asked_again() -> None:
    def stubborn(_: object, mask: NDArray[np.int8], __: object) -> int:
        if failing:
            raise OverflowError("too much")
        return int(mask.argmax())

    failing = False
    session = PlaySession(mhing.Game("leduc"), [stubborn], Wishes(seat=None), 1)
    failing = True
    with pytest.raises(ValueError, match=r"^stubborn, the player in seat \d, fails$"):
        session.tick()
    assert "go" in session.view(SHAPE)["can"]
    failing = False
    session.do({"do": "step"})
    session.do({"do": "step"})


# ---- Saves ---------------------------------------------------------------------------------------


def resume(saves: Saves, session: PlaySession) -> PlaySession:
    """The same sitting, by another command."""
    session.close()
    assert session.saved_as
    saved = saves.find(session.saved_as)
    assert saved
    return PlaySession.resume(saved, saves)


@pytest.mark.parametrize(
    ("game_id", "options"),
    [*((id, {}) for id in GAMES), ("general_mhing", {"episode": "game", "rounds": 2})],
)
def test_a_game_goes_on_after_a_restart(
    game_id: str, options: dict[str, Any], tmp_path: Path
) -> None:
    """At every decision and end of a round: what is shown then, and how it ends, are the same.

    A round that was only dealt is dealt again.
    """
    saves = Saves(tmp_path)
    bot = "greedy" if game_id == "mexican_rummy" else "random"  # whose rounds are long there
    settings = {"game": game_id, "seat": 0, "seed": "6", "players": [bot], "options": options}
    session, alone = begin(settings, saves), begin(settings)
    said = set()
    while not (view := session.view(SHAPE))["over"]:
        said.add(view["status"])
        session = resume(saves, session)
        if session.table.state.is_between_rounds and "over" not in view["status"]:
            session.do({"do": "next"})
        again = session.view(SHAPE)
        for key in ("frame", "moves", "log", "status", "players", "result", "can"):
            assert again[key] == view[key], key
        session.number = view["number"]
        advance(session, 6)
    session.close()
    (record,) = records(tmp_path / f"{session.saved_as}.jsonl")
    assert record.end is not None
    assert [*record.replay()][-1][1] == session.table.state
    for _ in views(alone, 6):
        pass
    assert alone.table.played == session.table.played
    assert ("Round 1 is over" in said) == bool(options)


def test_a_kill_in_the_middle_of_a_line_loses_nothing_else(tmp_path: Path) -> None:
    saves = Saves(tmp_path)
    session = begin({"game": "leduc", "seat": 0, "seed": "1"}, saves)
    view = session.view(SHAPE)
    session.close()
    path = tmp_path / f"{session.saved_as}.jsonl"
    path.write_bytes(path.read_bytes() + b'{"seat":0,"acti')
    again = resume(saves, session)
    assert again.view(SHAPE)["frame"] == view["frame"]
    number = again.view(SHAPE)["number"]
    again.do({"do": "play", "number": number, "action": view["moves"][0]["action"]})
    again.close()
    assert len(next(records(path)).moves) >= 1


def test_an_undo_reaches_the_disk(tmp_path: Path) -> None:
    saves = Saves(tmp_path)
    session = begin({"game": "general_mhing", "seat": 0, "seed": "1"}, saves)
    for _ in views(session, 1):
        if len(session.table.played) > 6:
            break
    session.do({"do": "undo"})
    session.close()
    (record,) = records(tmp_path / f"{session.saved_as}.jsonl")
    assert [move.action for move in record.moves] == [one.action for one in session.table.played]


def test_totals_and_wishes_are_kept(tmp_path: Path) -> None:
    saves = Saves(tmp_path)
    session = begin({"game": "leduc", "seat": 1, "seed": "3", "clock": 5, "hint": "random"}, saves)
    *_, view = views(session, 3)
    session.do({"do": "next"})
    again = resume(saves, session)
    again.close()
    assert again.wishes == session.wishes
    assert again.totals == session.totals
    assert [player["total"] for player in view["players"]] == again.totals
    (sitting,) = saves
    assert len(sitting.games) == 2


def test_one_command_at_a_time_goes_on_with_a_game(tmp_path: Path) -> None:
    saves = Saves(tmp_path)
    session = begin({"game": "leduc", "seat": 0, "seed": "1"}, saves)
    (sitting,) = saves
    with pytest.raises(OSError, match="another process is writing there"):
        PlaySession.resume(sitting, saves)
    session.close()


def test_names_of_saves_lead_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("{}")
    (tmp_path / "games").mkdir()
    saves = Saves(tmp_path / "games")
    assert saves.find("../other") is None
    assert saves.find("") is None
    assert [*saves] == []


def test_games_that_are_kept_are_for_their_owner_alone(tmp_path: Path) -> None:
    """The seed of a game in play reveals all cards."""
    saves = Saves(tmp_path / "mhing" / "games")
    session = begin({"game": "leduc", "seat": 0}, saves)
    assert saves.folder.stat().st_mode & 0o777 == 0o700
    (path,) = saves.folder.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    session.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"game": "chess"}, "chess"),
        ({"options": {"num_players": 9}}, "num_players"),
        ({"options": "all"}, "options: they are no options by name"),
        ({"options": {"id": "x"}}, "options: they are no options by name"),
        ({"players": "greedy"}, "players: they are no list of names"),
        ({"players": ["greedy", "greedy"]}, "players: name one player or 4, not 2"),
        ({"players": ["nobody"]}, "nobody"),
        ({"players": ["onnx:/nowhere.onnx"]}, "nowhere"),
        ({"seat": 4}, "seat: 4 is not from 0 to 3"),
        ({"seat": "first"}, "seat: 'first' does not fit"),
        ({"seat": True}, "seat: True does not fit"),
        ({"seed": "minus one"}, "seed: 'minus one' is no whole number"),
        ({"seed": "9" * 30}, "seed"),
        ({"clock": -1, "seat": 0}, "clock: -1 is not from 0 to 3600"),
        ({"hint": "nobody"}, "nobody"),
    ],
)
def test_bad_settings_get_one_line(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        begin(settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["os:getcwd", "onnx:x", "net:x", "run:x", "search:9,bot=net:x"])
@pytest.mark.parametrize("key", ["players", "hint"])
def test_who_comes_from_elsewhere_names_no_code_and_no_files(name: str, key: str) -> None:
    settings = {"game": "leduc", "players": ["random"], "hint": "random", "seat": 0}
    given = [name] if key == "players" else name
    with pytest.raises(ValueError, match=f"^{key}: .* is on this machine; name a built-in bot"):
        begin({**settings, key: given}, may_load=False)
    begin({"game": "mhing", "players": ["search:9"], "seat": 0}, may_load=False)


def test_what_the_deal_has_shown_is_an_event() -> None:
    """Nobody has played yet, but flowers are laid aside."""
    first = play().view(SHAPE)
    assert first["asked"]
    assert first["since"] == len(first["log"]) > 0
    assert all("lays a flower aside" in line or "deal" in line for line in first["log"])


@pytest.mark.parametrize(
    "request_",
    [{}, {"do": 3}, {"do": "close"}, {"do": "__init__"}, {"do": "play"}, {"do": "next"},
     {"do": "play", "number": 1, "action": "all"}, {"do": "play", "number": True, "action": 0},
     {"do": "speed", "seconds": -1}, {"do": "speed", "seconds": "fast"},
     {"do": "speed", "seconds": float("nan")}, {"do": "play", "number": 1, "action": 10**9}],
)  # fmt: skip
def test_junk_is_refused_and_changes_nothing(request_: dict[str, Any]) -> None:
    session = play()
    before = session.view(SHAPE)
    with pytest.raises(ValueError, match=r"."):
        session.do(request_)
    assert session.view(SHAPE) == before


def test_the_rules_come_on_request() -> None:
    pytest.importorskip(
        "markdown_it", reason="No module named 'markdown_it'; the extra `test` has it"
    )
    (message,) = play("leduc").do({"do": "rules"})
    said = json.dumps(message["content"])
    assert ["h2", {}, "The rules of Leduc poker"] in message["content"]
    ante = ' Both players put one chip in, the ", ["em", {}, "ante"], "."]'
    assert f'["p", {{}}, ["strong", {{}}, "R2.1"], "{ante}' in said
    assert '["td", {}, ["code", {}, "fold"]]' in said
    assert "href" not in said


def test_a_game_shows_its_sheet_once_a_round_is_over() -> None:
    session = play("general_mhing", options={"episode": "game"})
    for view in views(session, 5):
        over = session.table.state.rounds_over
        assert (view["sheet"] is None) == (over == 0)
    assert view["sheet"] == session.table.state.sheet().to_dict()
    assert len(view["sheet"]["rounds"]) == over > 1


def test_a_round_alone_has_no_sheet() -> None:
    session = play("general_mhing")
    assert {view["sheet"] is None for view in views(session, 5)} == {True}
