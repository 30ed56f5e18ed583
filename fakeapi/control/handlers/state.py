"""Returns an overview of the server, and resets the server."""

import msgspec

from fakeapi.control.freed_memory import return_freed_memory
from fakeapi.control.route import Call, Route
from fakeapi.releases.serving import default_description
from fakeapi.version import __version__


class State(msgspec.Struct, rename="camel"):
    """An overview of the server.

    - `version`: the version of fakeapi.
    - `release`: the Kubernetes release; empty if the server serves versions of several releases.
    - `serves`: the release in the words of `fakeapi serve`, with the API versions that follow older releases.
    - `resource_version`: the newest resourceVersion.
    - `oldest_resource_version`: the oldest resourceVersion from which a watch can start.
    - `objects`: the number of objects.
    - `faults`: the number of armed faults.
    - `now`: the server's time in seconds since the epoch.
    """

    version: str
    release: str
    serves: str
    resource_version: str
    oldest_resource_version: str
    objects: int
    faults: int
    now: float


async def read(call: Call) -> State:
    cluster = call.server.cluster
    storage = cluster.storage
    first = storage.list("/", limit=1)
    faults = cluster.armed_faults
    return State(
        version=__version__,
        release=cluster.settings.release or "",
        serves=cluster.settings.release or default_description(),
        resource_version=str(storage.revision),
        oldest_resource_version=str(storage.oldest),
        objects=len(first.entries) + first.remaining,
        faults=0 if faults is None else len(faults.armed),
        now=cluster.clock.now(),
    )


async def reset(call: Call) -> None:
    await call.server.reset()
    await return_freed_memory()


ROUTES = (
    Route(
        "GET", "/state", read, "The state of the server: versions, time and number of objects.", answer=State
    ),
    Route(
        "POST",
        "/reset",
        reset,
        "Reset the server to a new cluster with only the bootstrap objects; watches end.",
    ),
)
