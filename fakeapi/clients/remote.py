"""ReadOnlyClient and RemoteClient: asynchronous clients of an API server, for exports and imports."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fakeapi.clients.errors import StatusError
from fakeapi.clients.http import HttpClient
from fakeapi.clients.messages import Headers, Response, first_header
from fakeapi.clients.target import Target, TargetError
from fakeapi.clients.verbs import JSON, Reader, Verbs
from fakeapi.machinery import codec
from fakeapi.machinery.documents import DocumentError, decode_json
from fakeapi.machinery.json_types import Object

CONNECTIONS = 4
"""Maximum number of connections of a client."""

READ_BYTES_MAX = 512 * 1024 * 1024
"""Maximum number of bytes in all responses to one client; more bytes raise TargetError."""

RETRIES_MAX = 5
"""Maximum number of retries after 429 or 503 with Retry-After; then the request raises StatusError."""

RETRY_SECONDS_MAX = 10.0
"""Maximum number of seconds before a retry, even if Retry-After is longer."""


class ReadOnlyClient(Reader):
    """A client that reads from one server. Repeats requests after 429 and 503 with Retry-After.

    Every method raises StatusError for an error response, and TargetError if no HTTP response arrives.
    """

    def __init__(self, target: Target, agent: str) -> None:
        """Creates a client, without connecting to the server.

        `agent`: the User-Agent of the requests. Raises TargetError if the credential cannot be read.
        """
        self._client = HttpClient(target, CONNECTIONS)
        self._headers: Headers = (("Accept", JSON), ("User-Agent", agent))
        self.url = target.url
        self._received = 0

    async def get_list(self, path: str) -> list[Object]:
        """Reads a JSON array; returns [] if the response is a JSON object."""
        value = await self._send("GET", path, None, None, JSON)
        return value if isinstance(value, list) else []

    async def close(self) -> None:
        """Closes the idle connections."""
        await self._client.close()

    async def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
    ) -> Object:
        value = await self._send(method, path, body, query, content_type)
        if not isinstance(value, dict):
            raise StatusError.without_response(
                "Unknown", "the response is a list where an object is expected"
            )
        return value

    async def _send(
        self, method: str, path: str, body: Any, query: Mapping[str, str] | None, content_type: str
    ) -> Any:
        """Sends a request; returns the JSON object or array in a successful response.

        `body`: a value to send as JSON with the media type `content_type`; None sends no body.

        Raises StatusError for an error response. Raises TargetError if no HTTP response arrives, or if all
        responses to this client together are longer than READ_BYTES_MAX bytes.
        """
        content = b"" if body is None else codec.encode(body)
        headers = self._headers if body is None else (*self._headers, ("Content-Type", content_type))
        target = f"{path}?{urlencode(query)}" if query else path
        for retry in range(RETRIES_MAX + 1):
            response = await self._client.send(method, target, headers, content)
            self._received += len(response.body)
            if self._received > READ_BYTES_MAX:
                raise TargetError(
                    f"{self.url} has sent more than {READ_BYTES_MAX} bytes: choose fewer objects"
                )
            wait = _retry_seconds(response)
            if wait is None or retry == RETRIES_MAX:
                break
            await asyncio.sleep(wait)
        return _decoded(response)


class RemoteClient(ReadOnlyClient, Verbs):
    """A client that reads from one server and writes to it. Repeats requests after 429 and 503 with
    Retry-After.

    Every method raises StatusError for an error response, and TargetError if no HTTP response arrives.
    """


def _retry_seconds(response: Response) -> float | None:
    """Returns the seconds to wait before the client repeats the request; None if it must not be repeated.

    Requires the status 429 or 503, with a Retry-After in seconds.
    """
    if response.status not in {429, 503}:
        return None
    text = first_header(response.headers, "retry-after")
    return min(float(text), RETRY_SECONDS_MAX) if text.isascii() and text.isdecimal() else None


def _decoded(response: Response) -> Any:
    """Returns the JSON object or array in a successful response.

    Raises StatusError for an error response. The code of the error is 0 if a successful response is malformed
    or too large.
    """
    try:
        body = decode_json(response.body)
    except codec.JsonError:
        body = None
    except DocumentError as error:
        raise StatusError.without_response("Unknown", f"the response is too large: {error}") from error
    if isinstance(body, dict | list) and response.status < 300:
        return body
    status = body if isinstance(body, dict) else {}
    text = response.body[:200].decode("utf-8", "replace").strip()
    message = str(status.get("message") or f"answers {response.status} {text!r}")
    code = response.status if response.status >= 300 else 0
    reason = str(status.get("reason") or "Unknown")
    raise StatusError(code, {**status, "reason": reason, "message": message})
