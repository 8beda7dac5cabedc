"""Batches of environments in this process, or on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mhing._lib.games import GameHandle
from mhing._lib.rows import LocalBatch

if TYPE_CHECKING:
    from mhing.remote.batch import RemoteBatch
    from mhing.remote.connection import Connection

Batch: TypeAlias = "LocalBatch | RemoteBatch"
Endpoint: TypeAlias = "str | Connection | None"
"""A server, by its address or a shared connection; None: this process."""


class Batches:
    """Makes the batches of one environment, and closes those on a server at its end."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._connection: Connection | None = None
        self._on_server: list[RemoteBatch] = []

    def make(self, handle: GameHandle, **settings: Any) -> Batch:
        """A batch with the `settings` of :class:`mhing._lib.rows.LocalBatch`.

        Raises:
            ModuleNotFoundError: there is an endpoint, but not the extra ``mhing[server]``.
            TypeError: the endpoint is neither text nor a connection.
            TimeoutError: no server answers there.
        """
        if self._endpoint is None:
            return LocalBatch(handle, **settings)
        from mhing.remote.batch import RemoteBatch  # noqa: PLC0415  needs an extra
        from mhing.remote.connection import Connection  # noqa: PLC0415

        if isinstance(self._endpoint, Connection):
            self._connection = self._endpoint
        elif self._connection is None:
            self._connection = Connection(self._endpoint)
        batch = RemoteBatch(self._connection, handle, **settings)
        self._on_server.append(batch)
        return batch

    def close(self) -> None:
        """Close batches on a server, and the connection unless others may share it."""
        while self._on_server:
            self._on_server.pop().close()
        if self._connection is not None and self._connection is not self._endpoint:
            self._connection.close()
