"""RemoteAPI and ReadOnlyAPI: clients of an API server at a URL, for exports and imports."""

import asyncio
from typing import Any
from urllib.parse import quote, urlencode

from fakeapi.controllers.api import Refused
from fakeapi.machinery import codec
from fakeapi.machinery.documents import DocumentError, decode_json
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch.media_types import SHORT_NAMES
from fakeapi.traces.client.http import HttpClient
from fakeapi.traces.client.target import Target, TargetError
from fakeapi.traces.messages import first
from fakeapi.traces.model import Headers, Response
from fakeapi.transfer.bounds import READ_BYTES_MAX, RETRIES_MAX, RETRY_SECONDS_MAX

CONNECTIONS = 4


class ReadOnlyAPI:
    """Reads from one server; every request is a GET.

    Raises Refused, and TargetError without an HTTP response.
    """

    def __init__(self, target: Target, agent: str) -> None:
        """`agent` is the User-Agent of the requests. Raises TargetError."""
        self._client = HttpClient(target, CONNECTIONS)
        self._headers: Headers = (("Accept", "application/json"), ("User-Agent", agent))
        self.url = target.url
        self._received = 0

    async def get(self, path: str, **query: str) -> Object:
        """Returns the decoded object of a successful response."""
        return _object(await self._answered("GET", path, query))

    async def get_list(self, path: str) -> list[Object]:
        """Returns the decoded list of a successful response."""
        answer = await self._answered("GET", path, {})
        return answer if isinstance(answer, list) else []

    async def close(self) -> None:
        await self._client.close()

    async def _answered(
        self, method: str, path: str, query: dict[str, str], headers: Headers = (), body: bytes = b""
    ) -> Any:
        """Sends a request, with retries; returns the decoded body of a successful response."""
        target = quote(path, safe="/:@!$&'()*+,;=~") + (f"?{urlencode(query)}" if query else "")
        for retry in range(RETRIES_MAX + 1):
            answer = await self._client.send(method, target, (*self._headers, *headers), body)
            self._received += len(answer.body)
            if self._received > READ_BYTES_MAX:
                raise TargetError(
                    f"{self.url} has sent more than {READ_BYTES_MAX} bytes: choose fewer objects"
                )
            wait = _retry_seconds(answer)
            if wait is None or retry == RETRIES_MAX:
                break
            await asyncio.sleep(wait)
        return _result(answer)


class RemoteAPI(ReadOnlyAPI):
    """Reads from one server and writes to it."""

    async def create(self, path: str, obj: Object, **query: str) -> Object:
        content = _content("application/json")
        return _object(await self._answered("POST", path, query, content, codec.encode(obj)))

    async def patch(self, path: str, patch: Any, kind: str = "merge", **query: str) -> Object:
        """Patches an object; `kind` is json, merge, strategic or apply."""
        content = _content(SHORT_NAMES[kind])
        return _object(await self._answered("PATCH", path, query, content, codec.encode(patch)))


def _content(media_type: str) -> Headers:
    return (("Content-Type", media_type),)


def _retry_seconds(answer: Response) -> float | None:
    """Returns the seconds until a retry, or None if the response is final."""
    if answer.status not in {429, 503}:
        return None
    text = first(answer.headers, "retry-after")
    return min(float(text), RETRY_SECONDS_MAX) if text.isascii() and text.isdecimal() else None


def _result(answer: Response) -> Any:
    """Returns the decoded body of a successful response. Raises Refused."""
    try:
        body = decode_json(answer.body)
    except codec.JsonError:
        body = None
    except DocumentError as error:
        raise Refused(0, "Unknown", f"the answer is too large: {error}", {}) from error
    if isinstance(body, dict | list) and answer.status < 300:
        return body
    status = body if isinstance(body, dict) else {}
    text = answer.body[:200].decode("utf-8", "replace").strip()
    message = str(status.get("message") or f"answers {answer.status} {text!r}")
    code = answer.status if answer.status >= 300 else 0
    raise Refused(code, str(status.get("reason") or "Unknown"), message, status)


def _object(value: Any) -> Object:
    if not isinstance(value, dict):
        raise Refused(0, "Unknown", "answers a list where an object is expected", {})
    return value
