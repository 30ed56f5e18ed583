"""Route: a path and method of the control API, with the types of its query, request body and response."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from fakeapi.asgi import GONE, ROOM, ROOM_FROM_BYTES, Gone
from fakeapi.control.controlled import Controlled

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Call:
    """A decoded request to the control API.

    - `path`: the parameters in the path, by name.
    - `query` and `body`: values of the types that the Route declares; None if the Route declares no type.
    """

    server: Controlled
    request: Request
    path: Mapping[str, str]
    query: Any
    body: Any

    def room(self, size: int) -> AbstractAsyncContextManager[None]:
        """Reserves memory for a long response. Does nothing for responses below ROOM_FROM_BYTES.

        `size`: the approximate size of the response in bytes. Entering the returned async context manager can
        wait until clients have read other responses. Raises NoRoom if the wait takes too long, and ClientGone
        if the client disconnects.
        """
        room = self._extensions.get(ROOM)
        return nullcontext() if room is None or size < ROOM_FROM_BYTES else room(size)

    @property
    def gone(self) -> Gone | None:
        """The function of the ASGI server that reports a disconnect; None if the server has none."""
        return self._extensions.get(GONE)

    @property
    def _extensions(self) -> Mapping[str, Any]:
        extensions: Mapping[str, Any] = self.request.scope.get("extensions", {})
        return extensions


Handler = Callable[[Call], Awaitable[Any]]
"""A function that handles a request to the control API.

Returns a value of the route's type `answer`, or a Starlette response. Raises ApiError for an error response,
NoRoom if memory is short, and ClientGone if the client has disconnected.
"""


@dataclass(frozen=True, slots=True)
class Route:
    """A path and method of the control API.

    - `handle`: the function that handles requests.
    - `summary`: the description in the OpenAPI document.
    - `answer`: the type of the JSON response; None for 204 without a body.
    - `query`: a msgspec struct for the query parameters; None for a route without parameters.
    - `body`: the type of the JSON body; `bytes` for a body that is not decoded; None for no body.
    - `body_is_optional`: whether a request without a body gets the defaults of `body`.
    - `media_type`: the media type of the response.
    """

    method: str
    path: str
    handle: Handler
    summary: str
    answer: Any = None
    query: Any = None
    body: Any = None
    body_is_optional: bool = False
    media_type: str = JSON
