"""A line between clients and a server on which much goes wrong."""

from __future__ import annotations

import random
import threading

import zmq


class BadLine:
    """Between clients and a server, a line that drops, delays, doubles and cuts.

    `luck` is how likely each message meets one of these, in each direction.
    """

    def __init__(self, server: str, endpoint: str, luck: float) -> None:
        self.server_endpoint, self.luck = server, luck
        self.rng = random.Random(11)
        self.context = zmq.Context()
        self.front = self.context.socket(zmq.ROUTER)
        self.front.bind(endpoint)
        self.endpoint = self.front.last_endpoint.rstrip(b"\0").decode()
        self.backs: dict[bytes, zmq.Socket[bytes]] = {}  # by client
        self.late: list[tuple[int, zmq.Socket[bytes], list[bytes]]] = []
        self.newest = b""  # the client that connected last: ZeroMQ counts them
        self.turn = 0
        self.troubles = 0
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def __enter__(self) -> BadLine:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.thread.join()
        self.context.destroy(linger=0)

    def _run(self) -> None:
        while not self.stopping.is_set():
            self.turn += 1
            self._send_late()
            while self.front.poll(0):
                client, message = self.front.recv_multipart()
                if client not in self.backs and client < self.newest:
                    continue  # an older connection cannot be made after a newer one
                self.newest = max(client, self.newest)
                self._carry(self._back_of(client), [message])
                if self.rng.random() < self.luck / 3:
                    self.troubles += 1
                    self.backs.pop(client).close(linger=0)
            for client, back in self.backs.items():
                while back.poll(0):
                    self._carry(self.front, [client, *back.recv_multipart()])
            self.front.poll(1)

    def _back_of(self, client: bytes) -> zmq.Socket[bytes]:
        if client not in self.backs:
            self.backs[client] = self.context.socket(zmq.DEALER)
            self.backs[client].connect(self.server_endpoint)
        return self.backs[client]

    def _send_late(self) -> None:
        for entry in [entry for entry in self.late if entry[0] <= self.turn]:
            self.late.remove(entry)
            if not entry[1].closed:
                entry[1].send_multipart(entry[2])

    def _carry(self, to: zmq.Socket[bytes], frames: list[bytes]) -> None:
        fate = self.rng.random() / self.luck
        self.troubles += fate < 1
        if fate < 1 / 3:  # lost
            return
        if fate < 2 / 3:  # behind what comes after it
            self.late.append((self.turn + self.rng.randrange(20), to, frames))
            return
        to.send_multipart(frames)
        if fate < 1:
            to.send_multipart(frames)
