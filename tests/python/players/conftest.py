"""All tests of this folder compare results with their schemas; some ask a model."""

from chat_endpoint import endpoint, url  # noqa: F401
from checked_results import check_results  # noqa: F401
