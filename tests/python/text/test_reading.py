"""Every action reads back, nothing crashes, and what was not said is not played."""

from __future__ import annotations

import re
import time
import unicodedata
from random import Random

import pytest
from every_game import CASES, case_name
from hypothesis import given, settings
from hypothesis import strategies as st

import mhing
from mhing.text import Move, Refusal, Texts
from mhing.text.answers import LONGEST

pytestmark = pytest.mark.once

GAMES = mhing.games()
DEFAULT = {game: Texts(game) for game in GAMES}


@pytest.mark.parametrize("game_id", GAMES)
def test_every_text_reads_back_in_every_dress(game_id: str) -> None:
    texts, game = DEFAULT[game_id], mhing.Game(game_id)
    for action in range(game.num_actions):
        text = game.action_text(action)
        legal = [0, action, game.num_actions - 1]
        dresses = (
            text, text.upper() + ".", f"I {text}.", f"I'll {text}", f"Answer: {text}",
            f"**{text}**", f"`{text}`", f'{{"action": "{text}"}}', f"<move>{text}</move>",
            f"\\boxed{{{text}}}", f"<think>I {game.action_text(0)}?</think>\n{text}",
            f"Some thoughts first.\n\nFinal answer: {text}", str(action), f'{{"action": {action}}}',
        )  # fmt: skip
        for said in dresses:
            assert texts.read(said, legal) == Move(action, text), said


@pytest.mark.parametrize("game_id", GAMES)
def test_what_is_not_legal_is_never_played(game_id: str) -> None:
    texts, game = DEFAULT[game_id], mhing.Game(game_id)
    rng = Random(game_id)
    for action in range(game.num_actions):
        text = game.action_text(action)
        others = {rng.randrange(game.num_actions) for _ in range(6)} - {action}
        for said in (text, f"I {text}.", f'{{"action": "{text}"}}', f"Answer: {text}"):
            read = texts.read(said, sorted(others))
            assert isinstance(read, Refusal), (said, read)
            assert read.nearest in read.legal
            assert [*read.legal.values()] == sorted(others)


@pytest.mark.parametrize(("game_id", "options"), CASES, ids=case_name)
def test_moves_read_back_in_play_with_their_meaning(
    game_id: str, options: dict[str, object]
) -> None:
    """Also as :class:`mhing.decision.Decision` says them, with the meld that they lay onto."""
    game = mhing.Game(game_id, **options)
    texts, rng = Texts(game), Random(3)
    state = game.new_state(seed=5)
    for _ in range(120):
        if state.is_terminal:
            break
        legal, shown = state.legal_actions(), texts.status(state)
        for action in legal.tolist():
            text = game.action_text(action)
            meaning = state.words(state.seat, "move", number=action)
            for said in (text, meaning, f"I {text}."):
                assert texts.read(said, legal, shown) == Move(action, text), said
        state.apply(rng.choice(legal.tolist()))


def test_a_meld_has_one_name_in_events_tables_and_moves() -> None:
    """It counts clockwise from whom the text speaks to; from seat 0 to a spectator."""
    game = mhing.Game("mexican_rummy", num_players=3)
    texts, state, named = Texts(game), game.new_state(seed=21), 0
    while not state.is_terminal:
        actor, shown = state.seat, texts.status(state)
        action, _ = state.bot_action("greedy", 0)
        text = game.action_text(action)
        state.apply(action)
        laid = re.fullmatch(
            r"You lay (..) onto (\d)\.(\d)\.\n", state.words(actor, "events", number=1)
        )
        if not laid:
            continue
        card, clockwise, number = laid.groups()
        owner = (actor + int(clockwise)) % 3
        for view in (0, 1, 2, None):
            name = f"{(owner - (view or 0)) % 3}.{number}"
            assert state.words(view, "events", number=1).endswith(f" {card} onto {name}.\n")
            table = state.words(view, "seat", number=owner)
            meld = rf" {re.escape(name)} (set|run) \S*{card[0]}\S*{card[1]}"
            assert re.search(meld, table), table
        if text.startswith("onto "):
            assert laid[0].endswith(f" {text}.\n")
            said = f"I {laid[0][4:-1]}"
            assert texts.read(said, [action, 0], shown) == Move(action, text)
            named += 1
    assert named


SCRAPS = """I I'll will not don't discard pass pung chi 5s 9m the five of circles , . ? !
: or and but if maybe { } " ' [ ] <think> </think> {"action":4} {"action": \\boxed{ Answer: Action:
seat 2 instead of 456s 5*55s EEE mhing as because * ** ` 4 339 raise call draw take onto 1.1
set of kings may i"""
PIECES = st.sampled_from([*SCRAPS.split(), "\n", "\u2660", "\u2019", "\x00", "\ud800"])
REPLIES = st.one_of(st.text(), st.lists(PIECES, max_size=24).map(" ".join), st.binary().map(repr))


@settings(max_examples=1500, deadline=None)
@given(reply=REPLIES, data=st.data())
def test_any_reply_is_a_legal_move_or_a_refusal(reply: str, data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(GAMES))
    actions = st.integers(0, mhing.Game(game).num_actions - 1)
    legal = data.draw(st.lists(actions, min_size=1, max_size=12, unique=True))
    read = DEFAULT[game].read(reply, legal, "You may claim 5s.")
    assert DEFAULT[game].read(reply, legal, "You may claim 5s.") == read
    if isinstance(read, Move):
        assert read.action in legal
        assert read.text == mhing.Game(game).action_text(read.action)
        _check_said(read, reply, game)
    else:
        assert read.why
        assert DEFAULT[game].help(read).endswith(".\n")


def _check_said(read: Move, reply: str, game: str) -> None:
    """A move that is read has left a trace in the reply: its id, its kind's words, or its cards."""
    words, reply = DEFAULT[game]._reader._words, unicodedata.normalize("NFKC", reply)
    tokens = words.tokens(reply.replace("\u2019", "'"))
    kinds = {token.meaning for token in tokens if token.sort == "kind"}
    kind, _ = next(
        (name, kind) for name, kind in words.kinds.items() if read.action in kind.actions.values()
    )
    compact = "".join(reply.casefold().split())
    names_argument = any(token.sort in ("cards", "argument", "rank") for token in tokens)
    is_exact = read.text.replace(" ", "").casefold() in compact
    assert kind in kinds or names_argument or is_exact or str(read.action) in reply


TALK = [
    "I don't {}.", "I won't {}", "Never {}.", "I could {}.", "Maybe I {}.", "Seat 2 will {}.",
    "If I {}, I lose.", "Should I {}?  ", "<think>{}</think>", "<think>{}", "My options: {}.",
    '{{"thought": "{}"}}', "They may {}.", "I considered {}.",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    denial=st.sampled_from(TALK),
    game=st.sampled_from(GAMES),
    data=st.data(),
)
def test_what_is_only_talked_about_is_not_played(
    denial: str, game: str, data: st.DataObject
) -> None:
    action = data.draw(st.integers(0, mhing.Game(game).num_actions - 1))
    said = denial.format(mhing.Game(game).action_text(action))
    assert isinstance(DEFAULT[game].read(said, [action]), Refusal), said


def test_long_replies_are_read_at_their_end() -> None:
    texts = DEFAULT["mhing"]
    assert texts.read("{" * 200_000 + "\nAnswer: discard 5s", [4, 5]) != Move(4, "discard 5s")
    assert texts.read("so " * LONGEST + "\nAnswer: discard 5s", [4, 5]) == Move(4, "discard 5s")
    for words in ("so ", "5, ", "no , ", "i'll ", "- ", "<!--"):
        began = time.perf_counter()
        assert isinstance(texts.read(words * (LONGEST // len(words)), [4, 5]), Refusal)
        assert time.perf_counter() - began < 10, words  # a second; minutes where it is not linear
    assert isinstance(texts.read('{"a":' * 5000 + "1" + "}" * 5000, [4]), Refusal)


@pytest.mark.parametrize(
    ("legal", "words"),
    [([], "legal: "), ([341], "legal: "), ([-1], "legal: "), ([1.5], "legal: ")],
)
def test_bad_legal_actions_are_named(legal: list[int], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        DEFAULT["mhing"].read("discard 1s", legal)
    with pytest.raises(TypeError, match="legal: 'pass' is neither a mask nor ids"):
        DEFAULT["mhing"].read("pass", "pass")  # type: ignore[arg-type]
    mask = mhing.Game("leduc" if "leduc" in GAMES else GAMES[0]).new_state(seed=1).action_mask()
    with pytest.raises(ValueError, match="legal: a mask"):
        DEFAULT["general_mhing"].read("draw", mask)


def test_help_says_why_and_what_would_do_only_where_moves_are_listed() -> None:
    legal = [mhing.Game("mhing").action_id(text) for text in ("sequence 456s", "sequence 567s")]
    for form, lists in (("all", True), ("kinds", False), ("none", False)):
        texts = Texts("mhing", legal=form)
        read = texts.read("chi", legal)
        assert isinstance(read, Refusal)
        assert read.meant == ("sequence 456s", "sequence 567s")
        said = texts.help(read)
        assert "'chi' may mean several moves" in said or "'Chi' may" in said
        assert ("456s" in said) == lists
        assert said.endswith("Moves: sequence 456s, 567s.\n") == lists


@pytest.mark.parametrize("game", mhing.games())
def test_help_lists_moves_as_a_question_does_and_suggests_none(game: str) -> None:
    texts = DEFAULT[game]
    for seed in range(5):
        state = texts.game.new_state(seed)
        if state.is_terminal:
            continue
        read = texts.read("hmm", state.action_mask())
        assert isinstance(read, Refusal)
        said = texts.help(read)
        moves = state.words(state.seat, "moves")
        assert said == f"No move was found in 'hmm'. Reply with one of these moves.\n{moves}"
    for form in ("kinds", "none"):
        said = Texts(game, legal=form).help(read)
        assert said == "No move was found in 'hmm'. Reply with one legal move.\n"


@pytest.mark.parametrize("reply", ['{"move": }', '{"card": "5s"}', '{"action": [1]}', '{"action"'])
def test_json_that_cannot_be_read_gets_the_form(reply: str) -> None:
    texts = Texts("mhing")
    read = texts.read(reply, [1, 2])
    assert isinstance(read, Refusal)
    assert read.why.endswith('; write {"action": "..."} with a legal move')
    written = '{"action": "' + texts.game.action_text(1) + '"}'
    assert texts.read(written, [1, 2]) == Move(1, texts.game.action_text(1))


def test_an_example_is_never_what_a_reply_denies() -> None:
    game = mhing.Game("mexican_rummy")
    asked = {text: game.action_id(text) for text in ("grant", "refuse")}
    texts = DEFAULT["mexican_rummy"]
    for reply, example in (("I don't grant it.", "refuse"), ("I won't refuse.", "grant")):
        read = texts.read(reply, asked)
        assert isinstance(read, Refusal)
        assert read.nearest == example
    read = texts.read("hmm", asked)
    assert isinstance(read, Refusal)
    assert (read.why, read.nearest) == ("no move was found in 'hmm'", "grant")


def test_the_moves_of_a_turn_are_legal_actions() -> None:
    for game in GAMES:
        texts = DEFAULT[game]
        moves = {texts.game.action_text(action): action for action in (0, 1)}
        for text, action in moves.items():
            assert texts.read(text, moves) == Move(action, text)
            assert texts.read({"action": text}, moves) == Move(action, text)
        assert texts.schema(moves) == texts.schema([0, 1])
