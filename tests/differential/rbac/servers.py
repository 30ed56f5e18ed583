"""Defines the two servers of a comparison, their clients, and the requests."""

import http.client
import json
import shlex
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

JSON = "application/json"
APPLY = "application/apply-patch+yaml"
SETTLE_SECONDS = 30.0
"""Maximum seconds to wait until kube-apiserver's authorizers receive a write from their informers."""


@dataclass(frozen=True)
class Client:
    """A user of both servers: a service account, or a user in kube-apiserver's token file.

    `account`: namespace and name of the service account; None for other users.
    """

    name: str
    groups: tuple[str, ...] = ()
    account: tuple[str, str] | None = None

    @property
    def token(self) -> str:
        """The token of a user in kube-apiserver's token file; derived from the user's name."""
        return f"token-of-{self.name.replace(':', '-')}"


@dataclass(frozen=True)
class Request:
    """A request to send to both servers.

    If `changes` is not None, the body is the stored object merged with `changes`.
    """

    method: str
    path: str
    body: Any = None
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    changes: Any = None


@dataclass(frozen=True)
class Answer:
    code: int
    body: Any

    @property
    def message(self) -> str:
        return str(self.body.get("message", "")) if isinstance(self.body, dict) else ""


class Server:
    """Sends requests to one server over one connection.

    `impersonates`: whether the administrator impersonates the users; if false, the users have tokens.
    """

    def __init__(self, url: str, admin: str, *, impersonates: bool) -> None:
        self.url = url
        self._admin = admin
        self._impersonates = impersonates
        self.tokens: dict[str, str] = {}
        self._connection = self._connect()

    def _connect(self) -> http.client.HTTPConnection:
        return connection_to(self.url, SETTLE_SECONDS)

    def admin(self, method: str, path: str, body: Any = None, content_type: str = JSON) -> Answer:
        """Sends a request with the administrator's token; returns the response."""
        bearer = {"Authorization": f"Bearer {self._admin}"}
        return self._send(Request(method, path, body, content_type), bearer.items())

    def ask(self, client: Client, request: Request) -> Answer:
        """Sends a request as the user `client`; returns the response.

        If the request has `changes`, reads the stored object first; returns that response if it is not 200.
        """
        if request.changes is not None:
            stored = self.admin("GET", request.path.partition("?")[0])
            if stored.code != 200:
                return stored
            request = Request(request.method, request.path, merged(stored.body, request.changes))
        return self._send(request, self.headers(client, request))

    def headers(self, client: Client, request: Request) -> list[tuple[str, str]]:
        """Returns the headers that identify the client, followed by the headers of the request."""
        lines = [*request.headers.items()]
        if "Authorization" in request.headers:
            return lines
        if client.account is not None:
            return [("Authorization", f"Bearer {self.tokens[client.name]}"), *lines]
        if not self._impersonates:
            return [("Authorization", f"Bearer {client.token}"), *lines]
        acting = [("Impersonate-User", client.name), *(("Impersonate-Group", each) for each in client.groups)]
        return [("Authorization", f"Bearer {self._admin}"), *acting, *lines]

    def _send(self, request: Request, headers: Any) -> Answer:
        data = b"" if request.body is None else json.dumps(request.body).encode()
        for attempt in range(2):
            try:
                self._connection.putrequest(request.method, request.path, skip_accept_encoding=True)
                for name, value in headers:
                    self._connection.putheader(name, value)
                if data:
                    self._connection.putheader("Content-Type", request.content_type)
                self._connection.putheader("Content-Length", str(len(data)))
                self._connection.endheaders(data)
                response = self._connection.getresponse()
                break
            except (http.client.HTTPException, OSError):
                self._connection.close()
                self._connection = self._connect()
                if attempt:
                    raise
        if response.status == 200 and "watch=1" in request.path:
            self._connection.close()
            return Answer(200, None)
        text = response.read()
        try:
            return Answer(response.status, json.loads(text or b"null"))
        except ValueError:
            return Answer(response.status, text.decode("utf-8", "replace"))

    def close(self) -> None:
        self._connection.close()

    def must(self, method: str, path: str, body: Any = None, content_type: str = JSON) -> Any:
        """Sends a request as the administrator; returns the decoded body.

        Raises RuntimeError if the response is not a success.
        """
        answer = self.admin(method, path, body, content_type)
        if answer.code >= 300:
            raise RuntimeError(f"{self.url}: {method} {path}: {answer.code} {answer.body}")
        return answer.body

    def await_access(self, user: str, **attributes: str) -> None:
        """Waits until the server permits an access of `user`: its authorizer has seen all earlier writes.

        `attributes`: the resource attributes of a SubjectAccessReview. Raises RuntimeError after
        SETTLE_SECONDS.
        """
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        spec = {"user": user, "groups": ["system:nodes"], "resourceAttributes": attributes}
        end = time.monotonic() + SETTLE_SECONDS
        while not self.must("POST", path, {"spec": spec})["status"]["allowed"]:
            if time.monotonic() > end:
                raise RuntimeError(f"{self.url}: {user} is not allowed {attributes}")
            time.sleep(0.002)


def connection_to(url: str, seconds: float) -> http.client.HTTPConnection:
    """Returns a connection to the server of a URL. Does not verify the certificate of the server.

    `seconds`: the timeout of the connection.
    """
    parts = urlsplit(url)
    if parts.scheme == "http":
        return http.client.HTTPConnection(parts.netloc, timeout=seconds)
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection(parts.netloc, timeout=seconds, context=trusting)


def merged(value: Any, changes: Any) -> Any:
    """Applies the JSON merge patch `changes` to `value`; returns the result."""
    if not isinstance(changes, dict):
        return changes
    result = dict(value) if isinstance(value, dict) else {}
    for name, change in changes.items():
        if change is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), change)
    return result


def curl(server: Server, client: Client, request: Request) -> str:
    """Returns a curl command line that sends the request as the client."""
    words = [f"curl -sk -X {request.method}"]
    for name, value in server.headers(client, request):
        text = shlex.quote(f"{name}: {value}")
        if client.account is not None and name == "Authorization" and name not in request.headers:
            text = f'"Authorization: Bearer $(kubectl create token -n {" ".join(client.account)})"'
        words.append(f"-H {text}")
    body = request.body if request.changes is None else request.changes
    note = " # merged into the stored object" if request.changes is not None else ""
    if body is not None:
        words += [f"-H 'Content-Type: {request.content_type}'", f"-d {shlex.quote(json.dumps(body))}"]
    return " ".join([*words, shlex.quote(server.url + request.path)]) + note
