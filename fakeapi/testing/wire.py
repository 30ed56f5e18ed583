"""Wire: sends requests to an API server over blocking connections, and decodes the responses."""

import json
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fakeapi.clients.connections import Answer, Connections, Headers
from fakeapi.clients.errors import StatusError
from fakeapi.journal.observer import HELPER, OBSERVER
from fakeapi.machinery.meta.request_info import parse, verb_of
from fakeapi.testing import unchecked_rules, unknown_fields
from fakeapi.testing.hidden_frames import hides_expected_errors

__tracebackhide__ = hides_expected_errors

JSON = "application/json"


class Wire:
    """Blocking connections to one API server as one user, for several threads and forked processes."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        tls: ssl.SSLContext | None = None,
        headers: Headers | None = None,
    ) -> None:
        """Creates a wire without connecting to the server.

        - `url`: the URL of the server, such as "http://127.0.0.1:8001".
        - `token`: the bearer token; None for no token.
        - `tls`: the context that verifies the server's certificate; None to use the CA certificates of the
          system.
        - `headers`: other headers of each request, such as `Impersonate-User`.
        """
        self.url, self.tls = url, tls
        self.connections = Connections(url, tls=tls)
        self._headers: dict[str, str | tuple[str, ...]] = {
            "Accept": JSON,
            "User-Agent": HELPER,
            **(headers or {}),
        }
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    def as_user(self, user: str, groups: tuple[str, ...], uid: str) -> "Wire":
        """Returns a wire to the same server that impersonates a user."""
        headers: dict[str, str | tuple[str, ...]] = {"Impersonate-User": user}
        if groups:
            headers["Impersonate-Group"] = groups
        if uid:
            headers["Impersonate-Uid"] = uid
        if "Authorization" in self._headers:
            headers["Authorization"] = self._headers["Authorization"]
        return Wire(self.url, tls=self.tls, headers=headers)

    @property
    def identity(self) -> str:
        """The impersonated user as text, such as " as jane"; "" without impersonation."""
        user = self._headers.get("Impersonate-User")
        return f" as {user}" if user else ""

    def headers(self, *, observes: bool = False) -> Headers:
        """Returns the headers of a request. `observes`: whether the journal and faults ignore the request."""
        return {**self._headers, "User-Agent": OBSERVER} if observes else self._headers

    def __del__(self) -> None:
        if "connections" in vars(self):  # false if the constructor raised
            self.close()

    def close(self) -> None:
        """Closes the idle connections. A later request opens a new connection."""
        self.connections.close()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
        observes: bool = False,
    ) -> Any:
        """Sends a request; returns the decoded JSON of the response, or its text if it is not JSON.

        Raises StatusError if the status of the response is 400 or above.
        """
        headers, sent = {**self.headers(observes=observes), "Accept": accept}, body
        if body is not None:
            headers["Content-Type"] = content_type
            if not isinstance(body, bytes):
                body = (body if isinstance(body, str) else json.dumps(body)).encode()
        answer = self.connections.send(method, target_of(path, query), headers, body)
        value = _decoded(answer)
        fields = self._unknown_fields(answer, _object_in(sent, value)) if answer.warnings else []
        if answer.status >= 400:
            status = value if isinstance(value, dict) else {}
            subject = subject_of(method, path, query)
            raise StatusError(answer.status, status, answer.text, request=subject, hints=fields)
        if answer.warnings:
            subject = subject_of(method, path, query)
            unknown_fields.warn(fields, subject)
            unchecked_rules.warn_of_headers(answer.warnings, subject)
        return value

    def _unknown_fields(self, answer: Answer, body: Any) -> list[str]:
        """Returns a text for each unknown field of `body` that a response warns about."""
        paths = unknown_fields.unknown_fields(answer.warnings)
        return unknown_fields.texts_of(paths, body, self._read_document)

    def _read_document(self, path: str) -> Any:
        """Returns the JSON of a document; None if the server refuses the request."""
        try:
            return self.request("GET", path, observes=True)
        except StatusError:
            return None


def target_of(path: str, query: Mapping[str, Any] | None) -> str:
    """Returns the path with the query parameters, percent-encoded."""
    return path if not query else f"{path}?{urlencode(query)}"


def subject_of(method: str, path: str, query: Mapping[str, Any] | None = None) -> str:
    """Returns the verb and the object of a request as text, such as "update resourceclaims/status
    default/gpu".
    """
    info = parse(path)
    if info is None or not info.resource:
        return f"{method} {path}"
    verb = verb_of(method, info, urlencode(query or {}))
    resource = f"{info.resource}/{info.subresource}" if info.subresource else info.resource
    name = "/".join(part for part in (info.namespace, info.name) if part)
    return " ".join(part for part in (verb, resource, name) if part)


def _object_in(sent: Any, value: Any) -> Any:
    """Returns the sent object, or the object of the response if the sent patch does not name its kind."""
    return sent if isinstance(sent, Mapping) and "kind" in sent else value


def _decoded(answer: Answer) -> Any:
    is_json = answer.text and answer.media_type.startswith(JSON)
    return json.loads(answer.text) if is_json else answer.text
