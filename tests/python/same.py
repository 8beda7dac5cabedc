"""Equality of what environments return."""

from __future__ import annotations

from typing import Any

import numpy as np

import mhing

LABELS = mhing.Game("mhing").labels


def as_numbers(pairs: np.ndarray, labels: list[str]) -> np.ndarray:
    """Labelled numbers as native batches tell them, from the single environments' pairs."""
    numbers = np.zeros((len(pairs), len(labels)), np.int64)
    for row, named in enumerate(pairs):
        for label, number in named or []:
            numbers[row, labels.index(label)] = number
    return numbers


def assert_same(ours: Any, theirs: Any, where: str = "") -> None:
    """Equality of nested results, types and dtypes included."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), where
        for key, value in theirs.items():
            if key in LABELS and isinstance(value, np.ndarray) and value.dtype == object:
                value = as_numbers(value, LABELS[key])  # noqa: PLW2901
            assert_same(ours[key], value, f"{where}/{key}")
    elif isinstance(theirs, tuple | list):
        for i, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(mine, other, f"{where}[{i}]")
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype, where
        assert ours.shape == theirs.shape, where
        if theirs.dtype == object:
            for mine, other in zip(ours, theirs, strict=True):
                assert_same(mine, other, where)
        else:
            assert np.array_equal(ours, theirs), where
    else:
        assert type(ours) is type(theirs), where
        assert ours == theirs, where
