"""The core as Python sees it; private. :mod:`mhing._lib.binding` alone loads the compiled module.

Classes here own C memory and turn the core's statuses into exceptions. They are thin on purpose;
:mod:`mhing.game` and :mod:`mhing.env` are what people use.
"""
