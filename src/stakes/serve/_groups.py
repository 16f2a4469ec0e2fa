"""Requests that wait while a group is written are the next group: one fsync for all of them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

MAX_WAITING = 10_000  # requests
MAX_GROUP = 1000  # requests in one transaction


class Overloaded(Exception):
    """Too many requests wait."""


class Groups:
    """Hands requests to a service, in one thread that owns it.

    Parameters
    ----------
    service : Service
        Its `handle` gets all requests that have arrived since the last call.
    """

    def __init__(self, service):
        self._service = service
        self._waiting = []  # (requests, future)
        self._n_waiting = 0
        self._arrived = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "service")

    async def submit(self, requests):
        """Answers to the requests of one client, once they are on disk."""
        if self._n_waiting + len(requests) > MAX_WAITING:
            raise Overloaded
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((requests, future))
        self._n_waiting += len(requests)
        self._arrived.set()
        return await future

    async def ask(self, function, *arguments):
        """Call a function in the thread of the service."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, function, *arguments)

    async def run(self):
        """Serve until cancelled."""
        while True:
            await self._arrived.wait()
            group = self._next_group()
            requests = [request for some, _ in group for request in some]
            try:
                answers = iter(await self.ask(self._service.handle, requests))
            except Exception as error:
                answers = iter([error] * len(requests))
            for some, future in group:
                found = [next(answers) for _ in some]
                if not future.done():  # the client may have gone
                    future.set_result(found)

    async def stop(self):
        """Answer what waits, then close the service."""
        while self._waiting:
            await asyncio.sleep(0.01)
        await self.ask(self._service.close)
        self._thread.shutdown()

    def _next_group(self):
        group, n = [], 0
        while self._waiting and (not group or n + len(self._waiting[0][0]) <= MAX_GROUP):
            group.append(self._waiting.pop(0))
            n += len(group[-1][0])
        self._n_waiting -= n
        if not self._waiting:
            self._arrived.clear()
        return group
