"""TLSClient: sends requests to a server over TLS. Each request uses a new connection."""

import http.client
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


class Answer(NamedTuple):
    code: int
    body: Any


class TLSClient:
    def __init__(self, port: int, context: ssl.SSLContext) -> None:
        self._port = port
        self._context = context

    def send(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Sends one request. Underscores in the names of `headers` stand for dashes."""
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, context=self._context, timeout=10)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Content-Type": "application/json", **named})
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        is_json = "json" in (response.getheader("Content-Type") or "")
        return Answer(response.status, json.loads(content) if is_json else content.decode())

    @contextmanager
    def stream(self, path: str) -> Iterator[http.client.HTTPResponse]:
        """Sends a GET request, and yields its response without reading the body."""
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, context=self._context, timeout=10)
        try:
            connection.request("GET", path)
            yield connection.getresponse()
        finally:
            connection.close()

    def user(self, **headers: str) -> Any:
        """Returns the user that the server sees, as a SelfSubjectReview returns it."""
        answer = self.send("POST", REVIEWS, {"kind": "SelfSubjectReview"}, **headers)
        assert answer.code == 201, answer
        return answer.body["status"]["userInfo"]
