"""A webhook server for tests. It records review requests and sends the responses that a test chooses."""

import base64
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import trustme

from tests.http.small_servers import HttpServer

Object = dict[str, Any]
Answer = Callable[[Object], Object]


class WebhookServer:
    """A webhook server that records its review requests.

    - `answers`: by URL path, a function that returns the response to a review request
    - `asked`: the URL path and the request of each received review
    - `raw`: by URL path, (status, headers, body) to send instead of a review
    """

    def __init__(self, *, tls: bool = True, names: tuple[str, ...] = ("localhost", "127.0.0.1")) -> None:
        self.asked: list[tuple[str, Object]] = []
        self.targets: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.answers: dict[str, Answer] = {}
        self.raw: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.before: Callable[[str], None] = lambda path: None
        self._authority = trustme.CA()
        certificate = self._authority.issue_cert(*names) if tls else None
        self._server = HttpServer(_handler(self), certificate=certificate)
        self.port, self.url = self._server.server_port, self._server.url

    @property
    def ca(self) -> bytes:
        return self._authority.cert_pem.bytes()

    def client_config(self, path: str = "/", *, ca: bytes | None = None) -> Object:
        bundle = self.ca if ca is None else ca
        config = {"url": f"{self.url}{path}"}
        return {**config, "caBundle": base64.b64encode(bundle).decode()} if bundle else config

    def names_asked(self) -> list[str]:
        """The URL paths of the received review requests, in order."""
        return [path for path, _ in self.asked]

    def stop(self) -> None:
        self._server.stop()


def allowed(**response: Any) -> Answer:
    return lambda request: {"allowed": True, **response}


def denied(**status: Any) -> Answer:
    return lambda request: {"allowed": False, **({"status": status} if status else {})}


def patching(*operations: Object) -> Answer:
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    return allowed(patch=patch, patchType="JSONPatch")


def _handler(server: WebhookServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            path = self.path.partition("?")[0]
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.targets.append(self.path)
            server.headers.append(dict(self.headers))
            server.asked.append((path, review["request"]))
            server.before(path)
            status, headers, body = server.raw.get(path) or (200, {}, _answer(server, path, review))
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """Logs nothing."""

    return Handler


def _answer(server: WebhookServer, path: str, review: Object) -> bytes:
    answer = server.answers.get(path, allowed())
    response = {"uid": review["request"]["uid"], **answer(review["request"])}
    typed = {"kind": review["kind"], "apiVersion": review["apiVersion"]}
    return json.dumps({**typed, "response": response}).encode()
