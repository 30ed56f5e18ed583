"""An HTTPS server on loopback that answers the reviews of both servers by rules, and keeps the reviews."""

import base64
import json
import time
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

import trustme

from tests.differential.exchanges.webhook_answers import PROBE, respond
from tests.http.small_servers import HttpServer

URL, AUTHORITY, OTHER_AUTHORITY = "<webhooks>", "<authority>", "<other authority>"
"""Symbols in stories: the URL of the endpoint, its CA certificate, and a CA that did not sign it."""

PLACE_SECONDS = 0.08
"""The delay of an answer for each place in the path. It lets one verdict arrive first."""


class Asked(NamedTuple):
    """A request to the endpoint: its URL path and query, and its body."""

    target: str
    review: Any


class WebhookEndpoint:
    """The webhook endpoint of a comparison. Kept reviews are in the order of their arrival."""

    def __init__(self, port: int = 0) -> None:
        self._asked: list[Asked] = []
        self._authority, self._other = trustme.CA(), trustme.CA()
        self._server = HttpServer(_handler(self._asked), port, self._authority.issue_cert("127.0.0.1"))
        self.url = self._server.url

    @property
    def certificate(self) -> bytes:
        """The CA certificate of the endpoint, in PEM."""
        return self._authority.cert_pem.bytes()

    def take(self) -> list[Asked]:
        """Returns the reviews since the last call."""
        taken = self._asked[:]
        self._asked.clear()
        return taken

    def placed(self, story: Any) -> Any:
        """Returns a story with the URL and the CA certificates of this endpoint instead of the symbols."""
        text = json.dumps(story)
        for symbol, value in {URL: self.url, **self._authorities()}.items():
            text = text.replace(symbol, value)
        return json.loads(text)

    def shortened(self, text: str) -> str:
        """Returns a text with symbols instead of the CA certificates of this endpoint."""
        for symbol, value in self._authorities().items():
            text = text.replace(value, symbol)
        return text

    def _authorities(self) -> dict[str, str]:
        authorities = {AUTHORITY: self._authority, OTHER_AUTHORITY: self._other}
        return {name: base64.b64encode(ca.cert_pem.bytes()).decode() for name, ca in authorities.items()}

    def close(self) -> None:
        self._server.stop()


def _handler(asked: list[Asked]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            path = self.path.partition("?")[0]
            if not path.endswith(f"/{PROBE}"):
                asked.append(Asked(self.path, review))
            response = respond(path, review)
            time.sleep(response.seconds + PLACE_SECONDS * _place(path))
            self.send_response(response.status)
            self.send_header("Content-Type", response.content_type)
            self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            self.wfile.write(response.body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """Logs nothing."""

    return Handler


def _place(path: str) -> int:
    """Returns the number at the start of a path such as `/2/deny`; 0 for other paths."""
    first = path.strip("/").partition("/")[0]
    return int(first) if first.isdecimal() and len(first) == 1 else 0
