"""Responses of `pods/log`: the lines of a container's log, as they are written."""

from collections.abc import AsyncGenerator, Sequence

from fakeapi.http.response import StreamingResponse
from fakeapi.registry.node_connections import ConnectedLog

TEXT = "text/plain"


def respond_log(connected: ConnectedLog) -> StreamingResponse:
    """Returns the log of a container. Raises ApiError 400 if the container has no log yet."""
    if connected.pod is None:
        return StreamingResponse(_empty(), _nothing, media_type=TEXT)
    frames = connected.pod.log(connected.container, connected.options)
    return StreamingResponse(frames, _nothing, media_type=TEXT)


async def _empty() -> AsyncGenerator[Sequence[bytes], None]:
    """Yields nothing: the log of a pod without a node is empty."""
    if False:
        yield ()


def _nothing() -> None:
    """Does nothing when the log ends, because a log keeps no resources open."""
