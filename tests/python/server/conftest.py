"""Messages of the server's tests are as csrc/server/protocol.schema.json says."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from protocol_schema import Watch


@pytest.fixture(scope="module", autouse=True)
def messages() -> Iterator[Watch | None]:
    """Watches the messages of a module."""
    if find_spec("jsonschema") is None:
        yield None  # test_server_schema.py is what is skipped then, or fails in CI
        return
    from protocol_schema import watched

    with watched() as watch:
        yield watch


@pytest.fixture(autouse=True)
def _check_messages(messages: Watch | None) -> Iterator[None]:
    """Fails after a test in which a message was not as the schema says."""
    yield
    if messages and (faults := messages.end()):
        pytest.fail("\n".join(faults[:5]), pytrace=False)
