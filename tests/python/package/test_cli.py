"""The command `mhing`, as a user and as a program meet it."""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
from glob import glob
from itertools import chain
from pathlib import Path

import pytest
from options import has
from rules.citing import rules_of

import mhing
from mhing import render
from mhing.by_game.mhing import hand
from mhing.cli import common, main, make_parser
from mhing.cli.lines import HELP
from mhing.tui.words import NO_EVENTS, meant

rule = rules_of("mhing")

COMMANDS = (
    "play", "score", "describe", "serve", "connect", "arena", "benchmark",
    "replay", "analyse", "bench", "train", "sweep", "exploit", "demo", "help",
)  # fmt: skip
WINNER = "567s567s678s789s99s"
SEATS = r"\b[Ss]eats? \d"
"""Words that no line of a game has, since players have names."""

Capture = pytest.CaptureFixture[str]


def run(line: str) -> int:
    """Runs a command line whose words hold no spaces."""
    return main(line.split())


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Lets the player at the keyboard type `text`, then nothing more."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


# ---- Every command ---------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert f"\n  mhing {command}" in capsys.readouterr().out


def test_examples_of_the_help_are_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Words and options as a shell makes them; their files are there, as after other commands."""
    (tmp_path / "records").mkdir()
    for name in ("records/mytable-1.jsonl", "agent.pt", "mine.jsonl"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    for command in ("", *COMMANDS):
        with pytest.raises(SystemExit):
            main([command, "--help"] if command else ["--help"])
        examples = re.findall(r"^  mhing (.+?)(?: {3,}.*)?$", capsys.readouterr().out, re.MULTILINE)
        assert examples
        for example in examples:
            words = [*chain(*(glob(word) or [word] for word in shlex.split(example)))]
            if "COMMAND" not in words:
                (tmp_path / "mine.jsonl").touch()
                if "--record" in words:  # makes it
                    (tmp_path / "mine.jsonl").unlink()
                _, rest = make_parser().parse_known_args(words)
                assert not rest or words[0] == "serve"


def test_help_names_every_command(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(re.search(rf"^ +{command}( |$)", out, re.MULTILINE) for command in COMMANDS)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "COMMAND"),
        ("pley", "'pley'"),
        ("score", "HAND"),
        ("score 5", "suit letter"),
        ("score 567x", "'x'"),
        ("score EEEEE567s567s789s", "5 times E"),
        ("score 567s", "3 cards"),
        (f"score {WINNER} --flowers 9", "--flowers: '9' is not a whole number from 0 to 8"),
        (f"score {WINNER} --flowers two", "--flowers"),
        ("score 99sJ67m --melds EEE,345m", "','"),
        (f"score {WINNER} more", "more"),
        ("describe chess", "'chess'"),
        ("describe --players 9", "num_players"),
        ("describe --rules foo", "boxed"),
        ("describe --option seven_pairs", "NAME=VALUE"),
        ("describe --option colour=red", "'colour'"),
        ("describe --option rounds=", "rounds"),
        ("describe --option rounds=many", "rounds"),
        ("play --seat 4", "--seat 4: choose 0 to 3"),
        ("play --seat -1", "--seat: '-1'"),
        ("play --players 2 --seat 2", "choose 0 to 1"),
        ("play --seat one", "--seat"),
        (
            "play --opponents clever",
            "--opponents: no bot 'clever' for mhing; there is random, greedy",
        ),
        ("play --opponents greedy,random", "one player or 4"),
        ("play --seat 0 --opponents greedy,random", "one player or 3"),
        ("play --delay -1", "--delay"),
        ("play --delay nan", "--delay"),
        ("play --seed -1", "--seed: '-1'"),
        ("play --episode match", "'match'"),
        ("play --option scoring=chips --players 5", "chips"),
        ("arena greedy", "players: 1 given; give at least 2, or 1 and a field"),
        ("arena greedy gready", "players: no bot 'gready' for mhing; there is random, greedy"),
        ("arena greedy Greedy", "did you mean greedy?"),
        ("arena greedy clever", "or an object that plays\n"),
        ("arena general_mhing greedy", "is a game, not a player; write --game general_mhing"),
        ("arena Leduc-v0 greedy", "Leduc-v0 is a game, not a player; write --game leduc"),
        ("describe Mhing-v0 --game leduc", "argument --game: leduc here, but mhing before"),
        ("help fly", "argument COMMAND: invalid choice: 'fly'"),
        ("trian leduc", "argument COMMAND: invalid choice: 'trian'; did you mean train?"),
        ("--versoin", "mhing: there is no option --versoin; did you mean --version?"),
        ("--json arena greedy", "mhing: there is no option --json (see"),
        ("models lst", "argument TASK: invalid choice: 'lst'; did you mean list?"),
        (
            "arena greedy --estimator fair",
            "--estimator: invalid choice: 'fair'; it is none of raw,",
        ),
        ("help arena more", "more"),
        ("--print-completion sh", "--print-completion: invalid choice: 'sh'"),
        ("arena greedy random --field gready", "field: no bot 'gready'"),
        ("arena greedy random --deals 0", "--deals: '0' is not a whole number from 1 to"),
        ("arena greedy random --deals many", "--deals: 'many'"),
        ("arena greedy random --seed -1", "--seed: '-1'"),
        ("arena greedy random --clock 0", "--clock: '0'"),
        ("arena greedy random --clock nan", "--clock: 'nan'"),
        ("arena greedy random --threads 0", "--threads: '0'"),
        ("arena greedy random --game chess", "'chess'"),
        ("arena greedy random --option colour=red", "'colour'"),
        ("arena greedy random --log nowhere/log.jsonl", "--log: 'nowhere/log.jsonl'"),
        ("arena greedy random --csv nowhere/a.csv", "--csv: 'nowhere/a.csv'"),
        ("arena greedy random --svg .", "--svg: '.'"),
        ("arena greedy onnx:nowhere.onnx", "players: "),
        ("arena greedy nowhere:play", "players: nowhere:play cannot be imported"),
        ("arena greedy exec:./nobody", "players: ./nobody cannot be started"),
        ("arena greedy json:dump", "players: json:dump takes "),
        ("arena greedy random --reward joy", "option reward: 'joy' is none of"),
        ("connect tcp://127.0.0.1:1 exec:cat --reward joy", "option reward: 'joy' is none of"),
        ("arena", "PLAYER"),
        ("exploit", "AGENT is missing"),
        ("describe mhing --game leduc", "argument --game: leduc here, but mhing before"),
        ("describe --game leduc mhing", "argument GAME: mhing here, but leduc before"),
        ("demo --game leduc --game mhing", "argument --game: mhing here, but leduc before"),
        ("exploit mhing --steps 9", "mhing is a game, not a player; write --game mhing"),
        ("bench --seconds 0", "--seconds"),
        ("bench --seconds soon", "--seconds"),
        ("train --minutes -1", "--minutes: '-1'"),
        ("train --minutes nan", "--minutes: 'nan'"),
        ("train --minutes soon", "--minutes"),
        ("train --steps 0", "--steps: '0' is not a whole number from 1 to"),
        ("train --threads 0", "--threads: '0'"),
        ("train --deals 1", "--deals: '1' is not a whole number from 2 to"),
        ("train --seed -1", "--seed: '-1'"),
        ("train --curve nowhere/curve.svg", "--curve: 'nowhere/curve.svg'"),
        ("train --curve .", "--curve: '.'"),
        ("demo --rounds 1", "--rounds: '1'"),
        ("demo --seed -5", "--seed: '-5'"),
    ],
)
def test_bad_input_is_one_line_and_code_2(line: str, words: str, capsys: Capture) -> None:
    try:
        code = run(line)
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.startswith("mhing")
    assert err.count("\n") == 1
    assert words in err


def test_closed_pipe_is_quiet() -> None:
    """A reader that has enough, as `| head -1`."""
    command = [sys.executable, "-m", "mhing", "play", "--episode", "game", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"Mhing")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(mhing, "score_hand", interrupt)
    assert main(["score", WINNER]) == 130
    assert capsys.readouterr().err == "\n"


def test_own_errors_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what the user gave is answered with one line; a bug keeps its traceback."""

    def fail(*_: object, **__: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr(common.json, "dumps", fail)
    with pytest.raises(ValueError, match="ours"):
        main(["describe", "--json"])


# ---- score -----------------------------------------------------------------------------------


def test_score(capsys: Capture) -> None:
    assert main(["score", WINNER]) == 0
    out = capsys.readouterr().out
    assert out.startswith("17 credits, 512 points\n")
    assert "│5s │6s │7s │" in out
    assert re.search(r"^ +8  one suit only$", out, re.MULTILINE)


def test_score_with_melds_and_flowers(capsys: Capture) -> None:
    main(["score", "99sJ67m", "--melds", "EEE 345m 4*56m", "--flowers", "2", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report == {
        "complete": True,
        "distance": 0,
        "credits": 3,
        "points": 8,
        "parts": [{"name": "honour triplet", "credits": 1}, {"name": "flower", "credits": 2}],
        "arrangement": ["EEE", "345m", "4*56m", "678*m", "99s"],
    }


def test_score_of_a_hand_that_waits(capsys: Capture) -> None:
    assert main(["score", WINNER[:-3] + "9s"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Not complete: 1 card")
    assert re.search(r"^9s +17 +512$", out, re.MULTILINE)
    main(["score", WINNER[:-3] + "9s", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert (report["complete"], report["distance"]) == (False, 1)
    assert report["waits"]["9s"] == {"credits": 17, "points": 512}


def test_score_of_a_hand_far_from_complete(capsys: Capture) -> None:
    assert main(["score", "1245s1478p159mRGP"]) == 0
    out = capsys.readouterr().out
    distance = mhing.distance("1245s1478p159mRGP")
    assert out == f"Not complete: {distance} cards must be exchanged or drawn.\n"


def test_seven_pairs_only_on_request(capsys: Capture) -> None:
    hand = "1199s2288p3377mEE"
    main(["score", hand])
    assert "Not complete" in capsys.readouterr().out
    main(["score", hand, "--seven-pairs"])
    assert capsys.readouterr().out.startswith("5 credits, 32 points")


def test_cards_drawn_and_taken_apart() -> None:
    single = hand.draw(["1s", "4*s", "E*"]).splitlines()
    assert single[1] == "│1s │4s*│E* │"
    assert hand.cards_of(["45*6s", "P*P*P", "11p"]) == "4sJ6sJJP1p1p"


# ---- describe --------------------------------------------------------------------------------


@pytest.mark.parametrize("game", mhing.games())
@rule("R10.6")
def test_describe(game: str, capsys: Capture) -> None:
    assert main(["describe", game]) == 0
    out = capsys.readouterr().out
    table = mhing.Game(game).describe()
    for part in ("options", "presets", "actions", "events", "observation", "omniscient", "info"):
        for row in table[part]:
            assert row["name"] in out
            assert row["meaning"] in out
    titles = [line for line in out.splitlines() if line.isupper()]
    assert sorted(set(titles)) == sorted(titles)
    default = mhing.Game(game).default_bot
    assert re.search(rf"^{default} +\*  ", out, re.MULTILINE)


def test_describe_leaves_out_what_a_game_does_not_have(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = mhing.Game().describe() | {"presets": [], "labels": {}}
    monkeypatch.setattr(mhing.Game, "describe", lambda game: without)
    assert main(["describe"]) == 0
    out = capsys.readouterr().out
    assert "BOTS" in out
    assert "PRESETS" not in out
    assert "LABELS" not in out


def test_a_game_by_its_option_or_by_its_place(capsys: Capture) -> None:
    printed = set()
    for words in (["leduc"], ["--game", "leduc"], ["leduc", "--game", "leduc"]):
        assert main(["describe", "--json", *words]) == 0
        printed.add(capsys.readouterr().out)
    assert [json.loads(text)["id"] for text in printed] == ["leduc"]


@rule("R10.6")
def test_describe_json_follows_the_options(capsys: Capture) -> None:
    line = "describe mhing --players 6 --rules jmhing --option hints=on --option target=200 --json"
    assert run(line) == 0
    options = {"num_players": 6, "rules": "jmhing", "hints": True, "target": 200}
    assert json.loads(capsys.readouterr().out) == mhing.Game("mhing", **options).describe()


# ---- play ------------------------------------------------------------------------------------


def test_watching_a_round(capsys: Capture) -> None:
    assert main(["play", "--seed", "3"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("Mhing\n")
    assert first.endswith("\nSeed 3 deals these cards again.\n")
    assert first.count("eed 3") == 1
    assert "The round is over" in first
    main(["play", "--seed", "3"])
    assert capsys.readouterr().out == first


def test_watching_a_game_tells_every_round(capsys: Capture) -> None:
    run("play --seed 2 --episode game --option target=0 --option rounds=4 --players 3")
    out = capsys.readouterr().out
    assert re.findall(r"^Round (\d): ", out, re.MULTILINE) == ["1", "2", "3"]
    assert "The game is over" in out


@pytest.mark.parametrize("players", range(2, 7))
def test_every_number_of_players(players: int, capsys: Capture) -> None:
    line = f"play --players {players} --rules jmhing --opponents random --seed 5"
    assert run(line) == 0
    assert f"random {players - 1}" in capsys.readouterr().out


@pytest.mark.parametrize("game", mhing.games())
def test_every_game_is_watched_and_played(
    game: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    long = has(game, "episode") and has(game, "rounds")
    assert run(f"play {game} --seed 2{' --episode game --option rounds=2' if long else ''}") == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{mhing.Game(game).describe()['title']}\n")
    assert re.findall(r"^Round (\d): .", out, re.MULTILINE) == ["1"] * long
    assert not long or "The game is over" in out
    assert re.search(SEATS, out) is None
    typed(monkeypatch, "?\n" + "1\n" * 2_000)
    assert run(f"play {game} --seat 0 --seed 1") == 0
    out = capsys.readouterr().out
    assert render.notation(mhing.Game(game).new_state(1)) in out
    assert re.search("The (round|episode) is over", out)
    assert re.search(SEATS, out) is None
    assert re.search(r"^You( have|:)", out, re.MULTILINE)


def test_playing_against_whom_the_arena_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("policies_of_test.py").write_text(
        "def last(observation, mask, info):\n    return mask.nonzero()[0][-1]\n"
        "def lost(observation, mask, info):\n    return -1\n"
    )
    typed(monkeypatch, "1\n" * 500)
    line = "play --players 4 --seat 0 --seed 1 --opponents"
    assert run(f"{line} search:2,prior=greedy,random,policies_of_test:last") == 0
    assert "The round is over" in capsys.readouterr().out
    assert run(f"{line} policies_of_test:lost") == 2
    err = capsys.readouterr().err
    assert re.fullmatch(
        r"mhing: --opponents: policies_of_test:lost, the player in seat \d, fails: ValueError: "
        r"illegal answer: action -1 is not legal now: there are actions 0 to 340; .*\n",
        err,
    )


def test_playing_to_the_end(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    typed(monkeypatch, "1\n" * 500)
    assert run("play --seat 0 --seed 1") == 0
    assert "The round is over" in capsys.readouterr().out


def test_a_seat_sees_its_own_hand_only(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    typed(monkeypatch, "")
    run("play --seat 1 --seed 1")
    out = capsys.readouterr().out
    assert len(re.findall(r"^greedy \d has .*\d+ cards\.", out, re.MULTILINE)) == 3
    assert len(re.findall(r"^You have .*\d+ cards: ", out, re.MULTILINE)) == 1
    assert out.count(" cards: ") == 1


def test_help_mistakes_and_leaving(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    typed(monkeypatch, "\n?\n0\n99\nmhimg\ndiscard\nq\n1\n")
    assert run("play --seat 0 --seed 1") == 0
    out = capsys.readouterr().out
    assert HELP in out
    assert out.count("is no legal move; choose a number or a text from the list; ? says how.") == 3
    assert re.search(r"discard fits \d+ moves", out)
    assert out.count("Your move") == 7


def test_who_moves_first_reads_that_nothing_happened(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    typed(monkeypatch, "1\n")
    assert run("play leduc --seat 0 --seed 1") == 0
    assert capsys.readouterr().out.count(NO_EVENTS) == 1


def test_no_more_input_leaves_the_table(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    typed(monkeypatch, "")
    assert run("play --seat 0 --seed 1") == 0
    end = "you leave the table.\nSeed 1 deals these cards again.\n"
    assert capsys.readouterr().out.endswith(end)


def test_a_move_by_number_text_or_last_word() -> None:
    moves = ["discard 5s", "discard E", "sequence 45*6s", "pass", "mhing"]
    for answer, found in [
        ("2", ["discard E"]),
        ("discard 5s", ["discard 5s"]),
        ("5s", ["discard 5s"]),
        ("45*6s", ["sequence 45*6s"]),
        ("p", ["pass"]),
        ("discard", moves[:2]),
        ("0", []),
        ("6", []),
        ("5", ["mhing"]),
        ("6s", []),
    ]:
        assert meant(answer, moves) == found, answer


# ---- bench and demo --------------------------------------------------------------------------


@pytest.mark.slow
def test_bench(capsys: Capture) -> None:
    assert main(["bench", "--seconds", "0.2", "--json"]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert len(report["speeds"]) == 5
    assert all(speed["per_second"] > 0 for speed in report["speeds"])
    assert "measuring: 0 %" in err
    main(["bench", "--seconds", "0.2", "--players", "2"])
    assert "num_players=2" in capsys.readouterr().out


@pytest.mark.parametrize("game", mhing.games())
def test_bench_of_every_game(game: str, capsys: Capture) -> None:
    assert main(["bench", game, "--seconds", "0.2", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["game"] == game
    assert len(report["speeds"]) >= 3


def test_demo(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mhing.demo.SPEED_SECONDS", 0.1)
    line = "demo --rounds 60 --seed 4"
    assert run(f"{line} --json") == 0
    first = json.loads(capsys.readouterr().out)
    greedy, random = first["learners"]
    assert greedy["learner"] == "greedy"
    assert greedy["credits"] > random["credits"]
    assert first["best"]["credits"] == sum(credits for _, credits in first["best"]["parts"])
    run(f"{line} --json")
    second = json.loads(capsys.readouterr().out)
    assert second["best"] == first["best"]
    run(line)
    out = capsys.readouterr().out
    assert "60 rounds" in out
    assert "The best hand" in out
    assert out.endswith("mhing help             all commands\n")


@pytest.mark.parametrize("game", mhing.games())
def test_demo_of_every_game(game: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mhing.demo.SPEED_SECONDS", 0.1)
    assert run(f"demo {game} --rounds 30 --seed 2 --json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["game"] == game
    best, worst = report["learners"]
    assert [best["learner"], worst["learner"]] == [mhing.Game(game).default_bot, "random"]
    unit = mhing.Game(game).options.get("reward", "reward")
    assert best["interval"] > 0
    assert best[unit] != worst[unit]
    assert 0 <= best["wins"] <= 30
    assert run(f"demo {game} --rounds 30 --seed 2") == 0
    out = capsys.readouterr().out
    assert f"30 rounds of {mhing.Game(game).title} for each learner, against " in out
    assert f"{unit} a round, 95 %" in out


def test_demo_of_a_game_that_counts_no_winners(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mhing.demo.SPEED_SECONDS", 0.1)
    monkeypatch.setattr(mhing.Game, "info_role", lambda game, role: [])
    assert run("demo general_mhing --rounds 20 --json") == 0
    assert "wins" not in json.loads(capsys.readouterr().out)["learners"][0]
    assert run("demo general_mhing --rounds 20") == 0
    assert "wins" not in capsys.readouterr().out


def test_demo_of_another_table(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mhing.demo.SPEED_SECONDS", 0.1)
    assert run("demo --players 3 --reward points --rounds 20") == 0
    out = capsys.readouterr().out
    assert "against two greedy bots" in out
    assert "points a round, 95 %" in out


@pytest.mark.slow
def test_demo_is_a_module_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mhing.demo", "--rounds", "1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("mhing demo: argument --rounds: '1' is not a whole number")
