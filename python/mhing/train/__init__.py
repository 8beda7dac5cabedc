"""``mhing train``: agents that learn any game, in a run that can be stopped and gone on with.

Modules, in the order in which to read them: :mod:`mhing.train.learner` (what a method of learning
is), :mod:`mhing.train.ppo` (one), with :mod:`mhing.train.gae` (what came of each decision),
:mod:`mhing.train.rows` (the games that it plays) and its networks, :mod:`mhing.train.judge` for
features and :mod:`mhing.train.net` for observations, :mod:`mhing.train.league` (opponents that grow
with it), :mod:`mhing.train.player` (how a network plays), :mod:`mhing.train.export` and
:mod:`mhing.train.netfile` (how it becomes a file), :mod:`mhing.train.crew` (other processes that
play), :mod:`mhing.train.cluster` (on Ray), :mod:`mhing.train.folder` (what a run leaves on the
disk), :mod:`mhing.train.run`, :mod:`mhing.train.curve`, :mod:`mhing.train.tensorboard`,
:mod:`mhing.train.response` (``mhing exploit``: what can be had from an agent).
"""
