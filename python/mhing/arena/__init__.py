"""Tournaments with the same deals in every seat: who is better, and by how much.

>>> from mhing import arena
>>> result = arena.play(["greedy", "random"], deals=100, seed=1)
>>> result.pairs[0].decided
True

Modules: :mod:`mhing.arena.programs` (processes of programs), :mod:`mhing.arena.guests` (bots
that wait at a server), :mod:`mhing.arena.schedule` (who sits where), :mod:`mhing.arena.figures`
(statistics by deal), :mod:`mhing.arena.paired` (differences by play-outs),
:mod:`mhing.arena.tables` (how games are played), :mod:`mhing.arena.asking` (how players are asked),
:mod:`mhing.arena.log` (how a tournament continues after a kill), :mod:`mhing.arena.result`, and, to
compare agents with each other over time, :mod:`mhing.arena.suite` (fixed tasks),
:mod:`mhing.arena.benchmark` (an agent's scores), :mod:`mhing.arena.positions` (fixed decisions) and
:mod:`mhing.arena.words` (an agent's answers to these).
"""

from mhing.arena.guests import Absent
from mhing.arena.result import Interrupted, Mean, Pair, Rating, Result, Standing
from mhing.arena.tournament import play

__all__ = ["Absent", "Interrupted", "Mean", "Pair", "Rating", "Result", "Standing", "play"]
