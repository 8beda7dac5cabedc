"""``mhing train``: agents that learn any game, in a run that can be stopped and resumed.

Modules, in the order in which to read them: :mod:`mhing.train.learner` (what a method of learning
is, and the settings of a run), :mod:`mhing.train.config` (settings as files),
:mod:`mhing.train.ppo` (one), with :mod:`mhing.train.gae` (what came of each decision),
:mod:`mhing.train.rows` (the games that it plays) and its networks,
:mod:`mhing.train.afterstate_net` for features, with :mod:`mhing.train.layers` (which the core
evaluates), and :mod:`mhing.train.observation_net` for observations, which both give a policy
(:mod:`mhing.train.categorical`), :mod:`mhing.train.league`
(opponents that grow with it), :mod:`mhing.train.payoffs` (what they earn among each other),
:mod:`mhing.train.player` (a network as a player), :mod:`mhing.train.export` and
:mod:`mhing.train.netfile` (a network as a file),
:mod:`mhing.train.workers` (other processes that play), :mod:`mhing.train.cluster` (on Ray),
:mod:`mhing.train.folder` (the files of a run), :mod:`mhing.train.run`, :mod:`mhing.train.curve`,
:mod:`mhing.train.loggers`, :mod:`mhing.train.sweep`, :mod:`mhing.train.response`
(``mhing exploit``).
"""
