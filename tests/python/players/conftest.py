"""Results of the arena's tests are as python/mhing/arena/result.schema.json says."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest

from mhing import arena
from mhing.arena import tournament


@pytest.fixture(autouse=True)
def _check_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails in a test in which a result is not as the schema says."""
    if find_spec("jsonschema") is None:
        return  # test_arena_schema.py is what is skipped then, or fails in CI
    from result_schema import validator

    make = tournament._result

    def checked(*given: Any, **more: Any) -> arena.Result:
        result = make(*given, **more)
        validator().validate(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
        return result

    monkeypatch.setattr(tournament, "_result", checked)
