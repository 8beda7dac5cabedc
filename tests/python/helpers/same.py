"""Equality of what environments return."""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_same(ours: Any, theirs: Any, where: str = "") -> None:
    """Equality of nested results, types and dtypes included."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), where
        for key, value in theirs.items():
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
