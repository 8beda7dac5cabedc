"""Demands of envs/CONTRACT.md on every game, with messages that say what to add, and where.

Most demands are met by a line of the game's table. The compiler asks for missing functions. The
page names the other tests, which ask whether the rules are right and nothing leaks.
tests/planted/demands.py leaves out one thing after the other and shows the messages.
"""

from __future__ import annotations

import inspect
import json
import keyword
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from contract import LONG, TESTED, demand, play, play_of_bots, printable, source_of, table_of
from golden import registered
from words.generic_reader import is_generic

import mhing
from mhing.env import CardGameEnv
from mhing.pettingzoo import raw_env
from mhing.vector import CardGameVectorEnv

ROOT = Path(__file__).parents[3]
CONTRACT = ROOT / "envs/CONTRACT.md"
MOST_SEATS = 6
MOST_STATE_BYTES = 8192
BY_THE_RUNTIME = (
    "game", "options", "round", "seat", "events", "returns", "rewards", "decisions", "random",
)  # fmt: skip
"""Keys of a state's JSON that the runtime writes."""


def test_every_demand_is_asked_for() -> None:
    page, _, elsewhere = CONTRACT.read_text(encoding="utf-8").partition(
        "\n## Tests of the demands\n"
    )
    numbers = sorted(map(int, re.findall(r"^(?:\| |\*\*)C(\d+)(?:\*\*| \|) ", page, re.MULTILINE)))
    by_others = [int(number) for number in re.findall(r"^\| C(\d+) \| ", elsewhere, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert sorted([*TESTED, *by_others]) == numbers


def test_the_tests_of_other_demands_exist() -> None:
    """The page names them by a path, or by a name that only one test has."""
    elsewhere = CONTRACT.read_text(encoding="utf-8").partition("\n## Tests of the demands\n")[2]
    names = re.findall(r"`([^`]+)`", elsewhere)
    assert len(names) > 20
    for name in names:
        found = [ROOT / name] if "/" in name else [*(ROOT / "tests/python").rglob(name)]
        assert len(found) == 1, name
        assert found[0].exists(), name


@pytest.fixture(params=mhing.games())
def game(request: pytest.FixtureRequest) -> mhing.Game:
    return mhing.Game(request.param)


# ---- The table -----------------------------------------------------------------------------------


@demand(2)
def test_id_and_title(game: mhing.Game) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,22}", game.id), (
        f"{game.id}: MH_ID must be the name of the game's folder, at most 23 of a-z, 0-9 and _"
    )
    assert not keyword.iskeyword(game.id), f"{game.id}: MH_ID is a word of Python"
    title = game.describe()["title"]
    assert printable(title), f"{game.id}: MH_TITLE {title!r} must be ASCII without quotes"


@demand(4)
def test_rows_have_names_and_meanings(game: mhing.Game) -> None:
    described = game.describe()
    for part in (
        "options", "presets", "actions", "events", "observation", "omniscient", "info", "bots",
    ):  # fmt: skip
        names = [row["name"] for row in described[part]]
        assert len(set(names)) == len(names), (
            f"{table_of(game)}: two rows of {part} have the same name: {sorted(names)}"
        )
        for row in described[part]:
            assert row["meaning"], (
                f"{table_of(game)}: {row['name']}, of {part}, needs a meaning: what it is, in a "
                "line, for `mhing describe` and the documentation"
            )


@demand(5)
def test_option_num_players(game: mhing.Game) -> None:
    option = next((o for o in game.describe()["options"] if o["name"] == "num_players"), {})
    low, high = option.get("low", 0), option.get("high", 0)
    assert 2 <= low <= high <= MOST_SEATS, (
        f"{table_of(game)}: add the seats at the table, from 2 to {MOST_SEATS} of them: "
        'MH_OPTION(num_players, "", 4, 2, 6, "players at the table")'
    )
    for players in range(low, high + 1):
        assert mhing.Game(game.id, num_players=players).num_seats == players


@demand(5)
def test_names_of_options_are_free(game: mhing.Game) -> None:
    """Options are keywords of the environments, beside the environments' own."""
    makers = (CardGameEnv.__init__, CardGameVectorEnv.__init__, raw_env)
    own = {name for make in makers for name in inspect.signature(make).parameters}
    own -= {"self", "options"}
    for name in game.options:
        is_free = name not in own | {"rules"} and not keyword.iskeyword(name)
        assert is_free, (
            f"{table_of(game)}: the option {name} needs another name: environments have a keyword "
            "of this name"
        )


@demand(5)
def test_options_take_their_values(game: mhing.Game) -> None:
    for option in game.describe()["options"]:
        name = option["name"]
        assert option["default"] == game.options[name]
        ends = {
            "int": [option.get("low"), option.get("high")],
            "bool": [False, True],
            "choice": option.get("choices"),
        }[option["kind"]]
        assert any(can_be(game, {name: value}) for value in ends), (
            f"{table_of(game)}: none of {ends} is accepted as the option {name}"
        )
        if option["kind"] == "int":
            assert option["low"] <= option["default"] <= option["high"], (
                f"{table_of(game)}: the default of the option {name} must lie in its range"
            )


@demand(38)
def test_option_episode(game: mhing.Game) -> None:
    """Games of one round need none."""
    for option in game.describe()["options"]:
        assert option["name"] != "episode" or option.get("choices") == ["round", "game"], (
            f'{table_of(game)}: write MH_OPTION(episode, "round|game", 0, 0, 1, "an episode is one '
            'round, or a whole game")'
        )


def can_be(game: mhing.Game, options: dict[str, Any]) -> bool:
    try:
        mhing.Game(game.id, **options)
    except ValueError:
        return False
    return True


@demand(6)
def test_presets_are_accepted(game: mhing.Game) -> None:
    for preset in game.presets:
        assert can_be(game, {"rules": preset.name}), (
            f"{table_of(game)}: the preset {preset.name} has settings that are refused: "
            f"{preset.settings!r}; write name=value, with a space between two of them"
        )


@demand(8)
def test_a_bot_named_random(game: mhing.Game) -> None:
    assert [bot.name for bot in game.bots[:1]] == ["random"], (
        f"{table_of(game)}: the first bot must be the runtime's: "
        'MH_BOT(random, "uniform over the legal actions")'
    )


@demand(9)
def test_labels_name_the_cards(game: mhing.Game) -> None:
    names = game.labels.get("cards", [])
    are_words = all(printable(name) and " " not in name for name in names)
    assert names, (
        f"{table_of(game)}: add the texts of the cards by their numbers: "
        f"MH_LABELS(cards, CARDS, {game.id}_card_text)"
    )
    assert are_words, f"{source_of(game, 'card_text')}: each card is one word, ASCII without quotes"
    assert len({*game.labels["spoken"]}) == len({*names}), (
        f"{table_of(game)}: MH_LABELS(spoken, ...) needs a text for each label of cards"
    )


# ---- Actions -------------------------------------------------------------------------------------


@demand(7, 21)
def test_actions_have_texts_of_their_own(game: mhing.Game) -> None:
    texts = [game.action_text(action) for action in range(game.num_actions)]
    where = source_of(game, "action_text")
    assert all(map(printable, texts)), f"{where} must write ASCII without quotes"
    twice = {text for text in texts if texts.count(text) > 1}
    assert not twice, f"{where} writes the same text for several actions: {sorted(twice)}"


@demand(18)
def test_somebody_is_to_act_with_a_choice(game: mhing.Game) -> None:
    for state in play(game):
        where = source_of(game, "apply")
        assert -1 <= state.seat < game.num_seats, f"{where} sets head.seat to {state.seat}"
        assert state.is_terminal or len(state.legal_actions()), (
            f"{where} and reset must leave a legal action to the seat to act, or end the episode "
            "with mh_head_end_round"
        )


@demand(18)
def test_an_action_ends_a_round_and_a_deal_begins_the_next_one(game: mhing.Game) -> None:
    if "episode" not in game.options:
        return
    rng, state = Random(1), mhing.Game(game.id, episode="game").new_state(1)
    for _ in range(LONG):
        before = state.clone()
        if state.is_between_rounds:
            state.next_round()
            assert (state.rounds_over, state.returns().tolist(), state.rewards().tolist()) == (
                before.rounds_over, before.returns().tolist(), before.rewards().tolist()
            ), f"{source_of(game, 'next_round')} only deals: rounds and rewards stay"  # fmt: skip
            continue
        if state.is_terminal:
            break
        state.apply(rng.choice(state.legal_actions().tolist()), deal=False)
        assert state.rounds_over - before.rounds_over == (state.seat < 0), (
            f"{source_of(game, 'apply')} counts a round in head.rounds when it ends one, by "
            "mh_head_end_round; the next one is for g_next_round to deal"
        )


@demand(32)
def test_an_idle_action_is_legal(game: mhing.Game) -> None:
    for state in play(game):
        if not state.is_terminal:
            assert state.idle_action() in state.legal_actions(), (
                f"{source_of(game, 'idle')} must choose a legal action; without MH_HAS_IDLE the "
                "lowest one is taken"
            )


@demand(22)
def test_bots_choose_legal_actions(game: mhing.Game) -> None:
    for state in play(game):
        for bot in () if state.is_terminal else game.bots:
            assert state.bot_action(bot.name, 1)[0] in state.legal_actions(), (
                f"{source_of(game, bot.name)} must choose a legal action"
            )


@demand(42)
def test_bots_play_what_they_value_most(game: mhing.Game) -> None:
    for state in play_of_bots(game):
        for bot in (bot for bot in game.bots if bot.values):
            judged = state.values(bot.name)
            known = ~np.isnan(judged.values)
            if not known.any():
                continue
            chosen = judged.values[judged.actions == state.bot_action(bot.name, 1)[0]][0]
            assert chosen == judged.values[known].max(), (
                f"{source_of(game, bot.name)}: the action that it plays has the value {chosen}, "
                f"the largest one is {judged.values[known].max()}"
            )


@demand(42)
def test_bots_with_values_judge_most_actions(game: mhing.Game) -> None:
    for bot in (bot for bot in game.bots if bot.values):
        judged = [state.values(bot.name).values for state in play_of_bots(game)]
        known = [values for values in judged if not np.isnan(values).all()]
        share = np.mean(~np.isnan(np.concatenate(known))) if known else 0
        assert len(known) >= 0.2 * len(judged), f"{bot.name} hardly ever judges: no MH_VALUE_BOT"
        assert share > 0.9, f"{bot.name}: of the actions judged too many are NaN"


@demand(18)
def test_episodes_end(game: mhing.Game) -> None:
    for seed in range(3):
        rng, state = Random(seed), game.new_state(seed)
        for _ in range(LONG):
            if state.is_terminal:
                break
            state.apply(rng.choice(state.legal_actions().tolist()))
        assert state.is_terminal, (
            f"{source_of(game, 'apply')}: random play lasts over {LONG:,} decisions; the rules "
            "need a limit, such as an option turn_limit"
        )


# ---- Rounds and rewards --------------------------------------------------------------------------


@demand(19, 26)
def test_rounds_are_counted(game: mhing.Game) -> None:
    before: tuple[int, dict[str, Any]] | None = None
    for state in play(game):
        over = state.rounds_over
        now = {name: np.ravel(value).tolist() for name, value in state.info().items()}
        assert before or not over, f"{source_of(game, 'reset')} must leave head.rounds at 0"
        assert not before or over <= before[0] + 1, (
            f"{source_of(game, 'apply')}: an action ends one round at most, this one "
            f"{over - before[0]}"
        )
        if before and over == before[0]:
            assert now == before[1], (
                f"{source_of(game, 'info')}: the public numbers may change only when a round ends, "
                f"and head.rounds with them: {now} after {before[1]}"
            )
        assert over or not state.is_terminal, (
            f"{source_of(game, 'apply')} must count the rounds that end, also at the end of the "
            "episode: head.rounds++"
        )
        before = None if state.is_terminal else (over, now)


@demand(27)
def test_the_winner_is_a_seat(game: mhing.Game) -> None:
    winner = next((field.name for field in game.info_fields if field.role == "winner"), None)
    for state in play(game) if winner else ():
        number = state.info()[winner]
        assert -1 <= number < game.num_seats, (
            f"{source_of(game, 'info')}: {winner} is an absolute seat, -1 for nobody, not {number}"
        )
        assert number == -1 or state.rounds_over, (
            f"{source_of(game, 'info')}: {winner} must be -1 before a round is over"
        )


@demand(19)
def test_rewards_are_earned(game: mhing.Game) -> None:
    assert any(state.returns().any() for state in play(game, 20) if state.is_terminal), (
        f"{source_of(game, 'apply')}: nobody earns anything; add rewards with mh_head_reward"
    )


# ---- Chance and cards ----------------------------------------------------------------------------


@demand(14)
def test_a_seed_decides_the_deal(game: mhing.Game) -> None:
    assert game.new_state(1) == game.new_state(1), (
        f"{source_of(game, 'reset')}: the same seed must deal the same; all chance comes from "
        "head.rng"
    )
    deals = {game.new_state(seed).omniscient().tobytes() for seed in range(20)}
    assert len(deals) > 1 or not game.omniscient_size, (
        f"{source_of(game, 'reset')}: all seeds deal the same; shuffle with mh_rng_shuffle and "
        "head.rng"
    )


@demand(14)
def test_deals_alone_draw_from_the_generator(game: mhing.Game) -> None:
    rounds, drawn = -1, ""
    for state in play(game):
        reported = state.to_dict()
        if state.rounds_over == rounds:
            assert reported["random"] == drawn, (
                f"{source_of(game, 'apply')} draws from head.rng within a round; give the state a "
                "separate generator, MH_GENERATOR, which the deal begins with head.rng"
            )
        rounds, drawn = state.rounds_over, reported["random"]


@demand(15, 16)
def test_a_deck_is_dealt_as_given(game: mhing.Game) -> None:
    deck = game.describe()["deck"]
    given, turned = game.new_state(0, deck=deck), game.new_state(0, deck=deck[::-1])
    hands = [state.to_dict()["hands"] for state in (given, turned)]
    assert hands[0] != hands[1], (
        f"{source_of(game, 'reset')} must deal the deck that is given to it, in its order, "
        "and not shuffle it"
    )
    held = {card.rstrip("'") for hand in hands[0] for card in hand}
    assert held <= {game.labels["cards"][card] for card in deck}, (
        f"{source_of(game, 'fill_deck')} must write the game's cards; their texts are the labels "
        "`cards`"
    )


# ---- States as bytes, JSON and text --------------------------------------------------------------


@demand(11, 30)
def test_a_state_can_be_saved_and_loaded(game: mhing.Game) -> None:
    size = game.describe()["sizes"]["state"]
    assert size <= MOST_STATE_BYTES, (
        f"struct {game.id}_state has {size} bytes; snapshots take {MOST_STATE_BYTES}"
    )
    for state in play(game, 1):
        try:
            assert game.from_bytes(state.to_bytes()) == state
        except ValueError as error:
            raise AssertionError(
                f"{source_of(game, 'check')} refuses a state that play has led to: {error}"
            ) from error


@demand(28)
def test_json_has_its_keys(game: mhing.Game) -> None:
    where = source_of(game, "json")
    first = list(game.new_state(0).to_dict())
    for state in play(game, 1):
        text = state._json()
        pairs = json.loads(text, object_pairs_hook=list)
        keys = [key for key, _ in pairs]
        twice = {key for key in keys if keys.count(key) > 1}
        assert not twice, (
            f"{where} writes {sorted(twice)} again; the runtime writes {', '.join(BY_THE_RUNTIME)}"
        )
        assert text.isascii(), f"{where} must write ASCII"
        assert keys == first, f"{where} must write the same keys at all times: {keys}, not {first}"
        hands = dict(pairs).get("hands")
        shown = hands if isinstance(hands, list) else []
        are_texts = all(isinstance(card, str) for hand in shown for card in hand)
        assert len(shown) == game.num_seats, (
            f'{where} must write "hands": for each seat a list of the texts of its cards'
        )
        assert are_texts, f'{where}: "hands" must hold texts of cards, not numbers'
        for field in game.omniscient_fields:
            assert field.name in keys or not re.search(r"\bcard\+1\b", field.meaning), (
                f'{where} must write "{field.name}", as the omniscient observation has it: a list '
                "of the texts of cards"
            )


# ---- What a seat sees ----------------------------------------------------------------------------


@demand(25)
def test_fields_keep_to_their_bounds(game: mhing.Game) -> None:
    for state in play(game):
        seen = [(game.unpack(state.observation(seat)), game.observation_fields)
                for seat in range(game.num_seats)]  # fmt: skip
        seen.append((game.unpack_omniscient(state.omniscient()), game.omniscient_fields))
        for named, fields in seen:
            for field in fields:
                high = named[field.name].max(initial=0)
                assert high <= field.high, (
                    f"{table_of(game)}: {field.name} is {high}, its row says {field.high} at most"
                )


@demand(25)
def test_events_are_seen_as_they_were(game: mhing.Game) -> None:
    """Observations need no events, but those that have their columns have the last of the log."""
    ids = {event.name: event.id for event in game.events}
    for state in play(game, 1):
        seen = game.unpack(state.observation(0))
        reported = state.to_dict()["events"][-32:]
        logged = {
            "event_seat": [event["seat"] + 1 for event in reported],
            "event_kind": [ids[event["event"]] for event in reported],
        }
        for column in logged.keys() & seen.keys():
            expected = [0] * (32 - len(reported)) + logged[column]
            assert seen[column].tolist() == expected, (
                f"{table_of(game)}: {column} is 32 long, and {source_of(game, 'observe')} fills it "
                "with mh_events_show"
            )


def words_of(game: mhing.Game) -> str:
    """The source of a game's words."""
    if is_generic(game):
        return f"csrc/words/mh_words_generic.c, with the texts of envs/{game.id},"
    return source_of(game, "words")


@demand(37, 49)
def test_every_observation_is_said(game: mhing.Game) -> None:
    """Nothing that play leads to is refused, and a seat's text names all seats and its moves."""
    check = table_of(game) if is_generic(game) else source_of(game, "check_shown")
    words = words_of(game)
    for number, state in enumerate(play(game)):
        view = number % game.num_seats
        try:
            text, everything = state.words(view), state.words()
        except ValueError as error:
            raise AssertionError(f"{check} must accept what play leads to: {error}") from None
        assert text.startswith(game.title), f"{words} must begin the heading with the title"
        for seat in range(game.num_seats):
            part = state.words(view, "seat", number=seat)
            name = "You" if seat == view else f"Seat {seat}"
            assert part.startswith(name), (
                f"{words} must begin the part of seat {seat} with {name!r}"
            )
            assert part in text
        assert len(everything.splitlines()) > game.num_seats
        assert (text + everything).isascii(), f"{words} must write ASCII"
        doubled = re.search(r"  +\S|\n\n| \n|\.\.", re.sub(r"(?m)^ +", "", text))
        assert not doubled, f"{words} writes {doubled and doubled[0]!r}"


@demand(49)
def test_words_follow_from_what_is_seen(game: mhing.Game) -> None:
    """Two worlds that a seat cannot tell apart read the same, and so does the same one twice."""
    words = words_of(game)
    for number, state in enumerate(play(game, 1)):
        view = number % game.num_seats
        text = state.words(view)
        assert state.words(view) == text
        assert state.resample(view, number).words(view) == text, (
            f"{words} must say what follows from the observation of the seat, and nothing else"
        )


@demand(49)
def test_events_are_said_to_whom_they_are_about(game: mhing.Game) -> None:
    kinds = {event.name: event.id for event in game.events}
    said = source_of(game, "say_event")
    for state in play(game, 1):
        for event in state.to_dict()["events"][-3:]:
            seat, extra = event["seat"], list(event.values())[-1]
            numbers = seat, kinds[event["event"]], event["detail"], extra
            reported = game.event_words(*numbers)
            mine = game.event_words(*numbers, view=seat)
            assert "\n" not in reported, f"{said} must write no line's end"
            assert f"Seat {seat}" in reported or f"seat {seat}" in reported, (
                f"{said} must name the seat"
            )
            assert "You" in mine or "you" in mine, f"{said} must speak to the reader: {mine}"


# ---- RULES.md and golden files -------------------------------------------------------------------

PAGE_TABLES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "| option | values | default |": lambda described: bool(described["options"]),
    "| preset | settings |": lambda described: bool(described["presets"]),
    "| numbers | action | text |": lambda described: bool(described["actions"]),
    "| type | cards | text |": lambda described: bool(described["labels"]),
    "| key | what it holds |": lambda described: True,
}
"""Tables of RULES.md, and whether a game needs them; test_pages.py compares their rows."""


@demand(39)
def test_rules_are_written_down(game: mhing.Game) -> None:
    folder = ROOT / "envs" / game.id
    if not folder.is_dir():
        return  # its folder lies elsewhere
    path = folder / "RULES.md"
    assert path.exists(), f"envs/{game.id}/RULES.md is missing: the rules, numbered R1.1 and so on"
    page = path.read_text(encoding="utf-8")
    assert re.search(r"^\*\*R\d+\.\d+\*\*", page, re.MULTILINE), (
        f"envs/{game.id}/RULES.md: begin each rule with its number, **R1.1** and so on"
    )
    for header, is_needed in PAGE_TABLES.items():
        assert header in page or not is_needed(game.describe()), (
            f"envs/{game.id}/RULES.md needs a table that begins with {header!r}"
        )


@pytest.mark.parametrize("game_id", registered())
def test_registered_games_have_a_folder(game_id: str) -> None:
    for name in (f"{game_id}.def", f"{game_id}.h"):
        assert (ROOT / "envs" / game_id / name).exists(), (
            f"envs/games.def lists {game_id}: envs/{game_id}/{name} is missing"
        )
    assert game_id in mhing.games(), f"{game_id} is registered since the last build: build again"
