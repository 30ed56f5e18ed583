"""Route: one path and method of the control API, with the types of its parameters, body and response."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from fakeapi.asgi import ROOM, ROOM_FROM_BYTES
from fakeapi.control.controlled import Controlled

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Call:
    """A decoded request to the control API.

    `path` contains the parameters of the path; `query` and `body` have the route's types, or are None if the
    route has none.
    """

    server: Controlled
    request: Request
    path: Mapping[str, str]
    query: Any
    body: Any

    def room(self, size: int) -> AbstractAsyncContextManager[None]:
        """Waits with a long answer until clients have read enough of other answers: the extension ROOM.

        `size` is about the answer's length in bytes. Raises NoRoom, ClientGone.
        """
        room = self.request.scope.get("extensions", {}).get(ROOM)
        return nullcontext() if room is None or size < ROOM_FROM_BYTES else room(size)


Handler = Callable[[Call], Awaitable[Any]]
"""Returns a value of the route's type, or a Starlette response. Raises ApiError, NoRoom, ClientGone."""


@dataclass(frozen=True, slots=True)
class Route:
    """A path and method of the control API.

    - `query` and `body` are msgspec structs that forbid unknown fields, or None.
    - `body_is_optional`: a request without a body gets the struct's defaults.
    - `answer` is the type of the JSON response; None for 204 without a body.
    - `media_type` is the media type of the response, if it is not JSON.
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
