"""Sends the recorded requests of a scenario to a server and collects the responses."""

import http.client
import json
import threading
import time
from collections.abc import Callable
from typing import Any

from tests.conformance.identities import Identities

WATCH_SECONDS = 6.0
"""Maximum seconds to wait for the recorded events of a watch."""

KEPT_HEADERS = ("content-type", "warning", "retry-after", "allow")
Exchange = dict[str, Any]


class Player:
    """Sends the recorded requests of one scenario to the server at `port`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._watches: list[Watch] = []
        self.identities = Identities()

    def play(self, exchanges: list[Exchange], compare: Callable[[int, Any, Any], None]) -> None:
        """Sends each request; calls `compare` with its index, its recorded response and the actual response.

        For a watch, calls `compare` when the watch closes. If a request has no recorded response, sends the
        request and does not call `compare`.
        """
        for number, exchange in enumerate(exchanges):
            self._close_watches(number, compare)
            recorded = exchange.get("answer")
            if recorded is None:
                self.send(exchange)
                continue
            if "events" in recorded or "until" in exchange:
                self._watches.append(Watch(self, number, exchange))
                continue
            actual = self.send(exchange)
            self.identities.learn(recorded.get("body"), actual.get("body"))
            compare(number, recorded, actual)
        self._close_watches(len(exchanges), compare)

    def close(self) -> None:
        self._connection.close()

    def send(self, exchange: Exchange) -> dict[str, Any]:
        target, headers, data = self.prepare(exchange)
        self._connection.request(exchange["method"], target, data, headers)
        response = self._connection.getresponse()
        body = self.parsed(response, response.read())
        return {"status": response.status, "body": body, **kept_headers(response)}

    def parsed(self, response: http.client.HTTPResponse, data: bytes) -> Any:
        """Returns the body of a response in the form of the recordings. `data`: the bytes of the body."""
        return parsed_body(data.decode("utf-8", "replace"))

    def prepare(self, exchange: Exchange) -> tuple[str, dict[str, str], bytes | None]:
        """Translates a recorded request to identities of the tested server.

        Returns the request target, the headers and the body.
        """
        headers = {"Accept": "application/json", "User-Agent": "conformance/1"}
        body = expanded(exchange.get("body"))
        data = None
        if body is not None:
            body = self.identities.body(body)
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        names = {"accept": "Accept", "user-agent": "User-Agent", "content-type": "Content-Type"}
        for name, value in exchange.get("headers", {}).items():
            if value is None:
                headers.pop(names[name], None)
            else:
                headers[names[name]] = value
        return self.identities.target(exchange["target"]), headers, data

    def barrier(self) -> None:
        """Waits until the server has sent all earlier watch events: sends a request, reads the response."""
        self._connection.request("GET", "/readyz")
        self._connection.getresponse().read()

    def _close_watches(self, number: int, compare: Callable[[int, Any, Any], None]) -> None:
        for watch in list(self._watches):
            if watch.until <= number:
                self._watches.remove(watch)
                actual = watch.finish()
                recorded = watch.exchange["answer"]
                for one, other in zip(recorded.get("events", []), actual.get("events", []), strict=False):
                    self.identities.learn(one, other)
                compare(watch.number, recorded, actual)

    @property
    def port(self) -> int:
        return self._port


class Watch:
    """A watch that stays open while the player sends the following requests."""

    def __init__(self, player: Player, number: int, exchange: Exchange) -> None:
        self.number, self.exchange = number, exchange
        self.until: int = exchange["until"]
        self._player = player
        self._expected = len(exchange["answer"].get("events", []))
        self._lines: list[Any] = []
        self._news = threading.Condition()
        self._ended = False
        target, headers, _ = player.prepare(exchange)
        self._connection = http.client.HTTPConnection("127.0.0.1", player.port, timeout=60)
        self._connection.request("GET", target, None, headers)
        self._response = self._connection.getresponse()
        self._body: Any = None
        self._socket = self._connection.sock
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        try:
            if self._response.status != 200:
                self._body = parsed_body(self._response.read().decode())
            else:
                for line in self._response:
                    with self._news:
                        self._lines.append(json.loads(line))
                        self._news.notify()
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # another thread closed the connection
        with self._news:
            self._ended = True
            self._news.notify()

    def finish(self) -> dict[str, Any]:
        """Waits at most WATCH_SECONDS for the recorded events, and closes the watch.

        Returns the response in the form of a recording: status, headers, and events or body.
        """
        must_end = self.exchange["answer"].get("ended", False) or "events" not in self.exchange["answer"]
        deadline = time.monotonic() + WATCH_SECONDS
        with self._news:
            while not self._ended and (len(self._lines) < self._expected or must_end):
                if not self._news.wait(max(0.0, deadline - time.monotonic())):
                    break
        self._player.barrier()
        with self._news:
            ended = self._ended
        if self._socket is not None and not ended:
            self._socket.shutdown(2)
        self._connection.close()
        self._reader.join(5)
        answer: dict[str, Any] = {"status": self._response.status, **kept_headers(self._response)}
        if self._response.status != 200:
            return {**answer, "body": self._body}
        return {**answer, "events": self._lines, "ended": ended}


def expanded(body: Any) -> Any:
    """Expands the recorded short form of a large request body; returns other bodies unchanged.

    The short form is `{"repeat": N, "in": BODY}`: the text `data.a` of BODY is repeated N times.
    """
    if isinstance(body, dict) and body.keys() == {"repeat", "in"}:
        inner = body["in"]
        return {**inner, "data": {"a": inner["data"]["a"] * body["repeat"]}}
    return body


def parsed_body(text: str) -> Any:
    """Returns the body of a response in the form of the recordings: JSON, text, or None if it is empty."""
    try:
        return json.loads(text) if text.strip() else None
    except ValueError:
        return text


def kept_headers(response: http.client.HTTPResponse) -> dict[str, Any]:
    """Returns the member `headers` of a recorded response; {} if it has none of KEPT_HEADERS."""
    headers: dict[str, Any] = {}
    for name in KEPT_HEADERS:
        values = response.headers.get_all(name)
        if values:
            headers[name] = values if len(values) > 1 else values[0]
    if "content-type" not in headers:
        headers["content-type"] = None
    elif headers["content-type"] == "application/json":
        del headers["content-type"]
    return {"headers": headers} if headers else {}
