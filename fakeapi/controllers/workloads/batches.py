"""Starts many equal requests in growing batches. A batch with an error is the last batch.

Follows `slowStartBatch` of k8s.io/kubernetes `pkg/controller/replicaset`.
"""

from collections.abc import Awaitable, Callable

from fakeapi.clients.errors import StatusError

BURST = 500
"""Maximum number of pods that a ReplicaSet or Job creates or deletes in one sync. The next sync continues."""

DAEMON_BURST = 250
"""Maximum number of pods that a DaemonSet creates or deletes in one sync. The next sync continues."""


async def slow_start(count: int, call: Callable[[int], Awaitable[None]]) -> None:
    """Calls `call` with the numbers from 0 to `count - 1`, in batches of 1, 2, 4 and so on.

    If a call raises StatusError, completes its batch, starts no further batch, and raises the first error.
    """
    done, size = 0, 1
    while done < count:
        size = min(size, count - done)
        errors: list[StatusError] = []
        for index in range(done, done + size):
            try:
                await call(index)
            except StatusError as problem:
                errors.append(problem)
        if errors:
            raise errors[0]
        done += size
        size *= 2
