"""The exploitability of a strategy for Leduc poker, exactly: by the whole tree of the game.

The tree is built with states of the engine. Chance is enumerated by the order of the deck, and
suits mean nothing (R1.1), so that deals of the same ranks are one with their number as its weight.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

import mhing

Strategy = Callable[[mhing.State], Sequence[float]]
"""The probabilities of all actions, by what the seat to act knows; suits make no difference."""

DECK = range(6)
"""Two jacks, two queens, two kings."""


@dataclass
class Node:
    """A state of the game, with all that can come of it."""

    state: mhing.State
    seat: int
    """To act; -1 at the end."""
    key: Hashable
    """This seat's information."""
    children: dict[int, Node]
    """By action."""
    returns: list[float]


Tree = list[tuple[float, Node]]
"""The deals, with their chances."""


def tree(game: mhing.Game) -> Tree:
    """All that can happen in the game."""
    dealt: dict[tuple[int, ...], tuple[int, ...]] = {}
    ways: Counter[tuple[int, ...]] = Counter()
    for cards in permutations(DECK, 3):
        ranks = tuple(card // 2 for card in cards)
        ways[ranks] += 1
        dealt.setdefault(ranks, cards)
    return [
        (number / ways.total(), _node(_deal(game, dealt[ranks]))) for ranks, number in ways.items()
    ]


def _deal(game: mhing.Game, cards: tuple[int, ...]) -> mhing.State:
    return game.new_state(0, deck=[*cards, *(card for card in DECK if card not in cards)])


def _node(state: mhing.State) -> Node:
    children = {}
    for action in state.legal_actions().tolist():
        after = state.clone()
        after.apply(action)
        children[action] = _node(after)
    return Node(state, state.seat, _known(state), children, state.returns().tolist())


def _known(state: mhing.State) -> Hashable:
    """The information of the seat to act: its rank, that of the open card, and what was done."""
    if state.is_terminal:
        return None
    fields = state.game.unpack(state.observation())
    ranks = [(flags.reshape(3, 2).sum(1)).tobytes() for flags in (fields["hand"], fields["open"])]
    return state.seat, *ranks, fields["event_kind"].tobytes()


def value(tree: Tree, strategies: Sequence[Strategy]) -> np.ndarray:
    """(2,) what the seats earn a deal if they play so."""

    def of(node: Node) -> np.ndarray:
        if node.seat < 0:
            return np.array(node.returns)
        chances = strategies[node.seat](node.state)
        parts = [chances[action] * of(child) for action, child in node.children.items()]
        return np.sum(parts, axis=0)

    return np.sum([chance * of(root) for chance, root in tree], axis=0)


def best_response(tree: Tree, strategy: Strategy, seat: int) -> float:
    """The most that a seat can earn a deal, if it knows how the other one plays."""
    places: dict[Hashable, list[tuple[float, Node]]] = defaultdict(list)
    chances: dict[Hashable, Sequence[float]] = {}

    def played(node: Node) -> Sequence[float]:
        if node.key not in chances:
            chances[node.key] = strategy(node.state)
        return chances[node.key]

    def reach(node: Node, chance: float) -> None:
        """Collects where the seat may be, with the chance that cards and the other lead there."""
        if node.seat == seat:
            places[node.key].append((chance, node))
        for action, child in node.children.items():
            reach(child, chance if node.seat == seat else chance * played(node)[action])

    choices: dict[Hashable, int] = {}

    def choice(node: Node) -> int:
        """The action that is best in all places that the seat cannot tell from this one."""
        if node.key not in choices:
            earned = {
                action: sum(
                    chance * of(place.children[action]) for chance, place in places[node.key]
                )
                for action in node.children
            }
            choices[node.key] = max(earned, key=earned.__getitem__)
        return choices[node.key]

    def of(node: Node) -> float:
        if node.seat < 0:
            return node.returns[seat]
        if node.seat == seat:
            return of(node.children[choice(node)])
        return sum(played(node)[action] * of(child) for action, child in node.children.items())

    for chance, root in tree:
        reach(root, chance)
    return sum(chance * of(root) for chance, root in tree)


def exploitability(tree: Tree, strategies: Sequence[Strategy]) -> float:
    """Best responses' earnings a deal against these, the mean of both seats; 0 in equilibrium."""
    return (best_response(tree, strategies[1], 0) + best_response(tree, strategies[0], 1)) / 2


class Regrets:
    """Counterfactual regret minimisation, CFR+ (Tammelin, 2014): an equilibrium, nearly."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._regrets: dict[Hashable, np.ndarray] = {}
        self._sums: dict[Hashable, np.ndarray] = {}
        self._turn = 0

    def run(self, turns: int) -> None:
        """Improves both seats' strategies, one after the other."""
        for _ in range(turns):
            self._turn += 1
            for seat in (0, 1):
                gained: dict[Hashable, np.ndarray] = {}
                for chance, root in self._tree:
                    self._walk(root, seat, 1.0, chance, gained)
                for key, gain in gained.items():
                    self._regrets[key] = np.maximum(self._regrets[key] + gain, 0)

    def _walk(
        self, node: Node, seat: int, own: float, others: float, gained: dict[Hashable, np.ndarray]
    ) -> float:
        """The seat's earnings from here; gains of its actions are added up."""
        if node.seat < 0:
            return node.returns[seat]
        actions = [*node.children]
        chances = self._now(node.key, len(actions))
        if node.seat != seat:
            return sum(
                chance * self._walk(node.children[action], seat, own, others * chance, gained)
                for action, chance in zip(actions, chances.tolist(), strict=True)
            )
        earned = np.array(
            [
                self._walk(node.children[action], seat, own * chance, others, gained)
                for action, chance in zip(actions, chances.tolist(), strict=True)
            ]
        )
        here = float(chances @ earned)
        gained.setdefault(node.key, np.zeros(len(actions)))
        gained[node.key] += others * (earned - here)
        self._sums[node.key] += self._turn * own * chances
        return here

    def _now(self, key: Hashable, count: int) -> np.ndarray:
        regrets = self._regrets.setdefault(key, np.zeros(count))
        self._sums.setdefault(key, np.zeros(count))
        total = regrets.sum()
        return regrets / total if total > 0 else np.full(count, 1 / count)

    def strategy(self, state: mhing.State) -> list[float]:
        """The mean of all strategies so far."""
        sums, chances = self._sums[_known(state)], [0.0] * state.game.num_actions
        for action, part in zip(state.legal_actions().tolist(), sums / sums.sum(), strict=True):
            chances[action] = float(part)
        return chances
