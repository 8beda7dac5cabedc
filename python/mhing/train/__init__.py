"""``mhing train``: agents that learn any game, in a run that can be stopped and gone on with.

Modules, in the order in which to read them: :mod:`mhing.train.learner` (what a method of learning
is), :mod:`mhing.train.folder` (what a run leaves on the disk).
"""
