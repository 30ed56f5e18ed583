"""Responses of `pods/log`: the lines of a container's log, as they are written."""

from fakeapi.http.response import StreamingResponse
from fakeapi.registry.node_connections import ConnectedLog

TEXT = "text/plain"


def respond_log(connected: ConnectedLog) -> StreamingResponse:
    """Returns the log of a container. Raises ApiError 400 if the container has no log yet."""
    frames = connected.pod.log(connected.container, connected.options)
    return StreamingResponse(frames, _nothing, media_type=TEXT)


def _nothing() -> None:
    """Does nothing. Used when a log ends, because a log has no resources to release."""
