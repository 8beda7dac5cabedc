"""Policies as opponents in the native vector environment, and steps of some rows only."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from onnx_policy import write_policy
from same import assert_same
from vectors import MODES, make

import mhing
from mhing._lib.rows import GUEST, LocalBatch
from mhing.vector import CardGameVectorEnv


class Twin:
    """Plays as a built-in bot does, which it asks about the states of the rows."""

    def __init__(self, bot: str) -> None:
        self.bot = bot
        self.envs: CardGameVectorEnv | None = None
        self.asked = 0
        self.rows: list[int] = []
        """Those about which it is going to be asked, one after the other."""

    def __call__(
        self, observation: NDArray[np.uint8], mask: NDArray[np.int8], info: dict[str, Any]
    ) -> int:
        assert self.envs
        assert set(info) == {"action_mask", "seat"}
        batch = self.envs._batch
        self.rows = self.rows or self._asked_about()
        state = mhing.game.State(self.envs.game, batch.state(self.rows.pop(0)))
        assert state.seat == info["seat"]
        assert np.array_equal(observation, state.observation())
        assert np.array_equal(mask, state.action_mask())
        assert np.array_equal(mask, info["action_mask"])
        self.asked += 1
        return state.bot_action(self.bot, 0)[0]

    def _asked_about(self) -> list[int]:
        assert self.envs
        assert self.envs._guests
        assert isinstance(self.envs._batch, LocalBatch)
        number = [player and player.policy for player in self.envs._lineups.guests].index(self)
        rows: list[int] = self.envs._batch.waiting(GUEST - number).tolist()
        return rows


class TwinOfRows(Twin):
    """The same, asked about many rows at once."""

    def choose_rows(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        if self.envs is None:  # by way of trial
            return masks.argmax(1)
        game, batch = self.envs.game, self.envs._batch
        seats = [mhing.game.State(game, batch.state(row)).seat for row in self._asked_about()]
        actions = [
            self(observation, mask, {"action_mask": mask, "seat": seat})
            for observation, mask, seat in zip(observations, masks, seats, strict=True)
        ]
        observations[:], masks[:] = 7, 1  # they are copies
        return np.array(actions)


def twins(names: list[str], kind: type[Twin]) -> list[Any]:
    """The players of these names, with policies for those that begin with a star."""
    made = {name: kind(name[1:]) for name in names if name.startswith("*")}
    return [made.get(name, name) for name in names]


CHIPS = {"episode": "game", "scoring": "chips", "reward": "chips", "rounds": 2}
POINTS = {"episode": "game", "target": 8, "reward": "points", "num_players": 3, "hints": True}
TABLES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "all": ("mhing", ["*greedy"] * 3, {}),
    "two kinds": ("mhing", ["*expert", "*greedy"], {"seat": 2, **POINTS}),
    "self": ("mhing", ["self", "*greedy", "random"], {"obs_mode": "dict", **CHIPS}),
    "replaced": ("mhing", ["random", "*greedy", "*greedy"], {"illegal_action": "random"}),
    "two": ("mhing", ["*greedy"], {"num_players": 2, "seat": 0}),
    "six": ("mhing", ["*greedy", "random", "self", "*expert", "*greedy"], {"num_players": 6}),
    "general": ("general_mhing", ["*expert"], {}),
    "rummy": ("mexican_rummy", ["*greedy", "random"], {"num_players": 3, "episode": "round"}),
}


def assert_alike(
    guests: CardGameVectorEnv, bots: CardGameVectorEnv, steps: int, seed: int, partial: bool
) -> int:
    """Plays both with the same actions; returns how many episodes have ended."""
    rows, rng, ends = bots.num_envs, np.random.default_rng(seed), 0
    assert_same(guests.reset(seed=seed), bots.reset(seed=seed))
    disabled = bots.autoreset_mode.name == "DISABLED"
    over = np.zeros(rows, bool)
    for turn in range(steps):
        actions = bots.sample_actions()
        assert np.array_equal(guests.sample_actions(), actions)
        nonsense = rng.random(rows) < 0.01
        actions = np.where(nonsense, rng.integers(-1, 10, rows), actions)
        if partial and turn % 3:
            chosen = rng.permutation(np.flatnonzero(~over))[: rng.integers(1, rows)]
            theirs = bots.step_rows(chosen, actions[chosen])
            mine = guests.step_rows(chosen, actions[chosen])
            over[chosen] = False
        else:
            theirs, mine = bots.step(actions), guests.step(actions)
            over[:] = False
        assert_same(mine, theirs)
        assert_same(guests.observe(), bots.observe())
        row = int(rng.integers(rows))
        assert guests.save(row) == bots.save(row)
        ends += theirs[2].sum()
        if disabled and theirs[2].any():
            options = {"reset_mask": theirs[2].copy()}
            seeds = [None, *range(1000 * turn, 1000 * turn + rows - 1)] if turn % 2 else None
            assert_same(
                guests.reset(seed=seeds, options=options), bots.reset(seed=seeds, options=options)
            )
    return ends


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*episodes in a row")  # a part of the actions is illegal
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("table", TABLES)
def test_a_policy_that_plays_as_a_bot_is_that_bot(mode: str, table: str) -> None:
    """All arrays are the same if the bot plays in C or Python asks it in the middle of a step."""
    game, names, keywords = TABLES[table]
    keywords = {"autoreset_mode": mode, "game": game, **keywords}
    players = twins(names, Twin if table in ("two", "rummy") else TwinOfRows)
    bots = make(5, opponents=[name.removeprefix("*") for name in names], **keywords)
    guests = make(5, opponents=players, num_threads=2, copy=table != "all", **keywords)
    for player in players:
        if isinstance(player, Twin):
            player.envs = guests
    ends = assert_alike(guests, bots, 250, 11, partial=table in ("all", "self"))
    assert ends > 3
    assert all(player.asked > 10 for player in players if isinstance(player, Twin))


@pytest.mark.parametrize("mode", MODES)
def test_rows_that_wait_are_asked_about_at_once(mode: str) -> None:
    """One question about all of them, and few questions a step."""
    sizes: list[int] = []

    class Lowest:
        def __call__(self, observation: Any, mask: Any, info: Any) -> int:
            raise AssertionError("asked about a single row")

        def choose_rows(self, observations: Any, masks: Any) -> Any:
            sizes.append(len(masks))
            assert observations.shape == (len(masks), mhing.Game().observation_size)
            return masks.argmax(axis=1)

    envs = make(64, opponents=Lowest(), autoreset_mode=mode)
    envs.reset(seed=1)
    sizes.clear()
    envs.step(envs.sample_actions())
    assert max(sizes) > 20
    assert len(sizes) < 30


def test_all_policies_get_what_their_seat_may_know() -> None:
    """Those of the seats in a list, clockwise from the learner's."""
    asked: dict[int, set[int]] = {1: set(), 3: set()}

    def player(place: int) -> Callable[..., int]:
        def choose(observation: Any, mask: Any, info: Any) -> int:
            asked[place].add(info["seat"])
            return int(mask.argmax())

        return choose

    envs = make(3, opponents=[player(1), "greedy", player(3)], seat=2)
    envs.reset(seed=1)
    for _ in range(20):
        envs.step(envs.sample_actions())
    assert asked == {1: {3}, 3: {1}}


def test_networks_in_files(tmp_path: Path) -> None:
    """Networks that take one row and those that take many play as the callable that they are."""
    onnx = pytest.importorskip("onnx")
    path = write_policy(tmp_path, mhing.Game())
    model = onnx.load(path)
    for node in [*model.graph.input, *model.graph.output]:
        node.type.tensor_type.shape.dim[0].dim_param = "rows"
    onnx.save(model, tmp_path / "rows.onnx")

    def last_legal(observation: Any, mask: Any, info: Any) -> int:
        return int(mask.nonzero()[0][-1])

    kinds = [last_legal, f"onnx:{path}", f"onnx:{tmp_path / 'rows.onnx'}"]
    batches = [make(6, opponents=[kind, "greedy", kind]) for kind in kinds]
    results = [envs.reset(seed=1) for envs in batches]
    for _ in range(60):
        for result in results[1:]:
            assert_same(result, results[0])
        results = [envs.step(envs.sample_actions()) for envs in batches]


# ---- What goes wrong ---------------------------------------------------------------------------


class Failing:
    """Plays the lowest legal action until it is told to do something else."""

    def __init__(self) -> None:
        self.answer: Callable[[NDArray[np.int8]], Any] = self.lowest
        self.calls = 0

    def lowest(self, masks: NDArray[np.int8]) -> Any:
        return masks.argmax(axis=1)

    def __call__(self, observation: Any, mask: Any, info: Any) -> Any:
        return self.choose_rows(observation[None], mask[None])[0]

    def choose_rows(self, observations: Any, masks: Any) -> Any:
        self.calls += 1
        return self.answer(masks)


def fail(masks: Any) -> Any:
    raise KeyError("lost")


def interrupt(masks: Any) -> Any:
    raise KeyboardInterrupt


FAILURES: list[tuple[Callable[[Any], Any], Any, str]] = [
    (
        lambda masks: masks.argmin(axis=1),
        ValueError,
        r"at seat \d+ in row \d+ has given no legal action: illegal answer: action \d+",
    ),
    (
        lambda masks: np.full(len(masks), -1),
        ValueError,
        r"in row \d+ .*: illegal answer: action -1 is not",
    ),
    (
        lambda masks: np.full(len(masks), 2**40),
        ValueError,
        r"in row \d+ .*: illegal answer: action 1099",
    ),
    (
        lambda masks: masks.argmax(axis=1) * 1.0,
        TypeError,
        r"seat \d+ in row \d+.*not a whole number",
    ),
    (fail, RuntimeError, r"opponent.* row.*\d+.* has raised KeyError: 'lost'"),
    (interrupt, KeyboardInterrupt, "^: None$"),
]
OF_ROWS = [
    (lambda masks: masks.argmax(axis=1)[:-1], ValueError, r"array \(\d+,\); expected \(\d+,\)"),
    (lambda masks: 0, ValueError, r"array \(\); expected \(\d+,\)"),
    (lambda masks: masks, ValueError, r"array \(\d+, 341\); expected"),
]


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("when", ["first", "later"])
def test_a_policy_that_fails_changes_nothing(at_once: bool, when: str) -> None:
    """The call is taken back, whether it fails at its first question or in the middle."""
    policy = Failing()
    player = policy if at_once else policy.__call__
    envs = make(12, opponents=player, autoreset_mode="same_step")
    twin = make(12, opponents=player, autoreset_mode="same_step")

    def failing(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        calls = policy.calls + (0 if when == "first" else 1)
        return lambda masks: answer(masks) if policy.calls > calls else policy.lowest(masks)

    policy.answer = fail
    with pytest.raises(RuntimeError, match=r"has raised KeyError$"):
        envs.reset(seed=1)
    with pytest.raises(ResetNeeded):
        envs.observe()
    policy.answer = policy.lowest
    assert_same(envs.reset(seed=1), twin.reset(seed=1))
    for answer, error, words in FAILURES + (OF_ROWS if at_once else []):
        for _ in range(7):
            actions = envs.sample_actions()
            assert_same(envs.step(actions), twin.step(actions))
        before, rows = envs.observe(), [envs.save(row) for row in range(12)]
        actions = envs.sample_actions()
        for call in (
            lambda: envs.step(actions),  # noqa: B023
            lambda: envs.step_rows([1, 3, 4], actions[[1, 3, 4]]),  # noqa: B023
            envs.reset,
        ):
            policy.answer = failing(answer)
            with pytest.raises(error) as raised:
                call()
            assert re.search(words, f"{raised.value}: {raised.value.__cause__}")
            policy.answer = policy.lowest
            assert_same(envs.observe(), before)
            assert [envs.save(row) for row in range(12)] == rows
        assert_same(envs.step(actions), twin.step(actions))


def test_a_policy_must_not_use_its_environment() -> None:
    envs: CardGameVectorEnv

    def curious(observation: Any, mask: Any, info: Any) -> int:
        envs.observe()
        return 0

    envs = make(2, opponents=curious)
    with pytest.raises(RuntimeError, match=r"has raised RuntimeError$") as raised:
        envs.reset(seed=1)
    assert "in the middle of a call" in str(raised.value.__cause__)


# ---- Some rows only ----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*episodes in a row")  # a part of the actions is illegal
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponents", ["greedy", "self"])
def test_a_step_of_some_rows(mode: str, opponents: str) -> None:
    """Row by row the steps of single rows, in whatever order the rows are stepped."""
    rows, rng = 4, np.random.default_rng(1)
    envs = make(rows, opponents=opponents, autoreset_mode=mode)
    ones = [make(1, opponents=opponents, autoreset_mode=mode) for _ in range(rows)]
    before = envs.reset(seed=5)[0]
    for row, one in enumerate(ones):
        one.reset(seed=5 + row)
    for turn in range(300):
        chosen = rng.permutation(rows)[: rng.integers(1, rows + 1)]
        actions = envs.sample_actions()
        actions[rng.random(rows) < 0.02] = -1
        if turn % 2:
            mask = np.zeros(rows, bool)
            mask[chosen] = True
            chosen = np.flatnonzero(mask)
            result = envs.step_rows(mask, actions[chosen])
        else:
            result = envs.step_rows(chosen, actions[chosen])
        observations, rewards, terminated, truncated, infos = result
        left = np.setdiff1d(np.arange(rows), chosen)
        assert np.array_equal(observations[left], before[left])
        assert not rewards[left].any()
        assert not terminated[left].any()
        assert not truncated.any()
        assert np.flatnonzero(infos["_seat"]).tolist() == sorted(chosen)
        for row in chosen:
            alone = ones[row].step(actions[[row]])
            for mine, other in zip(result[:4], alone[:4], strict=True):
                assert np.array_equal(mine[row], other[0])
            for name, present in alone[4].items():
                if name.startswith("_") and present[0]:
                    assert infos[name][row]
                    assert_same(infos[name[1:]], infos[name[1:]])
                    if name[1:] not in ("final_info", "final_obs"):
                        assert np.array_equal(infos[name[1:]][row], alone[4][name[1:]][0])
            assert bool(infos.get("_final_obs", np.zeros(rows))[row]) == ("final_obs" in alone[4])
            if "final_obs" in alone[4]:
                assert np.array_equal(infos["final_obs"][row], alone[4]["final_obs"][0])
            assert envs.save(row) == ones[row].save(0)
            if mode == "disabled" and terminated[row]:
                ones[row].reset()
        if mode == "disabled" and terminated.any():
            envs.reset(options={"reset_mask": terminated})
        before = envs.observe()[0]


@pytest.mark.parametrize(
    ("rows", "actions", "error", "words"),
    [
        ([3], [0], ValueError, "rows: 3 is not from 0 to 2"),
        ([-1], [0], ValueError, "rows: -1"),
        ([1, 1], [0, 0], ValueError, "rows: 1 comes more than once"),
        ([], [], ValueError, "at least one"),
        ([[1]], [[0]], ValueError, r"rows: an array \(1, 1\)"),
        ([0.5], [0], TypeError, "rows: numbers of type float64"),
        (np.ones(2, bool), [0, 0], ValueError, r"rows: a mask \(2,\); expected \(3,\)"),
        (np.zeros(3, bool), [], ValueError, "at least one"),
        ([1, 2], [0], ValueError, r"actions: an array \(1,\); expected \(2,\)"),
        ([1], [None], TypeError, r"actions\[0\]"),
        ([1], [-1], ValueError, "row 1"),
    ],
    ids=str,
)
def test_bad_rows(rows: Any, actions: Any, error: type[Exception], words: str) -> None:
    envs = make(3, illegal_action="raise")
    with pytest.raises(ResetNeeded):
        envs.step_rows(rows, actions)
    before = envs.reset(seed=1)
    with pytest.raises(error, match=words):
        envs.step_rows(rows, actions)
    assert_same(envs.observe(), before)


def test_only_rows_that_are_stepped_need_a_reset() -> None:
    envs = make(3, autoreset_mode="disabled")
    envs.reset(seed=1)
    envs.step_rows([1], [-1])
    with pytest.raises(ResetNeeded, match="row 1"):
        envs.step_rows([0, 1], [0, 0])
    with pytest.raises(ResetNeeded, match="row 1"):
        envs.step(envs.sample_actions())
    actions = envs.sample_actions()
    assert not envs.step_rows([0, 2], actions[[0, 2]])[2].any()
