"""The models that come with the package: small nets, each with a card.

>>> from mhing import models
>>> one = models.named("mhing/credits")
>>> one.options, f"{one.size:,} bytes"
({}, '48,564 bytes')
>>> one.verify()

:func:`export` writes their weights for other libraries. The command is ``mhing models``.
"""

from mhing.models.card import card
from mhing.models.catalogue import LICENCE, Model, ModelScore, named, shipped_models
from mhing.models.export import FORMATS, export, weights

__all__ = [
    "FORMATS",
    "LICENCE",
    "Model",
    "ModelScore",
    "card",
    "export",
    "named",
    "shipped_models",
    "weights",
]
