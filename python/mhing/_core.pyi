"""The generated module: what it holds follows from the C headers, which mypy cannot read."""

from typing import Any

ffi: Any
lib: Any
