"""Results of the arena's tests, and reports of the benchmark's, are as their schemas say."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest

from mhing import arena
from mhing.arena import benchmark, tournament


@pytest.fixture(autouse=True)
def check_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails in a test in which a result or a report is not as its schema says."""
    if find_spec("jsonschema") is None:
        return  # test_arena_schema.py is what is skipped then, or fails in CI
    from result_schema import REPORT, validator

    make = tournament._result

    def checked(*given: Any, **more: Any) -> arena.Result:
        result = make(*given, **more)
        validator().validate(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
        return result

    plain = benchmark.Report.to_dict

    def checked_report(report: benchmark.Report) -> dict[str, Any]:
        made = plain(report)
        validator(REPORT).validate(json.loads(json.dumps(made, allow_nan=False)))
        return made

    monkeypatch.setattr(tournament, "_result", checked)
    monkeypatch.setattr(benchmark.Report, "to_dict", checked_report)
