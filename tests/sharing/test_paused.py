"""A server that was paused by SIGSTOP never sends stale data when it continues."""

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.postgresql_server import PostgreSQL
from tests.torture.servers import Server, serving

MAPS = "/api/v1/namespaces/default/configmaps"
PATIENCE_SECONDS = 60.0
HISTORY = 10
"""Maximum number of changes in the servers' watch history. A paused server can miss more changes."""


class Pair(NamedTuple):
    awake: Server
    paused: Server


@pytest.fixture
def pair(postgresql: PostgreSQL, tmp_path: Path) -> Iterator[Pair]:
    place = postgresql.place()
    with ExitStack() as stack:
        servers = []
        for name in Pair._fields:
            (tmp_path / name).mkdir()
            options = ("--db", place, "--history", str(HISTORY))
            servers.append(stack.enter_context(serving(tmp_path / name, *options)))
        yield Pair(*servers)


def sent(server: Server, method: str, target: str, body: Any = None) -> HTTPConnection:
    """Sends a request and returns its connection, without waiting for the response."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)
    data = None if body is None else json.dumps(body)
    connection.request(method, target, data, {"Content-Type": "application/json"})
    return connection


def answer(connection: HTTPConnection) -> tuple[int, Any]:
    response = connection.getresponse()
    found = response.status, json.loads(response.read())
    connection.close()
    return found


def asked(server: Server, method: str, target: str, body: Any = None) -> tuple[int, Any]:
    return answer(sent(server, method, target, body))


def config(name: str, value: str = "", version: str = "") -> dict[str, Any]:
    metadata = {"name": name, **({"resourceVersion": version} if version else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"value": value}}


def version_of(obj: dict[str, Any]) -> str:
    return str(obj["metadata"]["resourceVersion"])


class Watch(NamedTuple):
    connection: HTTPConnection
    response: HTTPResponse


def watched(server: Server, since: str) -> Watch:
    """Opens a watch of ConfigMaps from resourceVersion `since`; returns after the response headers."""
    connection = sent(server, "GET", f"{MAPS}?watch=1&resourceVersion={since}")
    return Watch(connection, connection.getresponse())


def events_of(watch: Watch, count: int) -> list[tuple[str, str, str]]:
    """Returns (type, name, value) of the next `count` events, or of fewer events if the watch ends first.

    For an ERROR event, the value is the code of the Status. Closes the watch.
    """
    events: list[tuple[str, str, str]] = []
    while len(events) < count and (line := watch.response.readline()):
        event = json.loads(line)
        obj = event["object"]
        name = obj["metadata"].get("name", "")
        events.append((event["type"], name, str(obj.get("code") or obj["data"]["value"])))
    watch.response.close()
    watch.connection.close()
    return events


def test_a_paused_server_answers_requests_that_waited_for_it_from_the_newest_state(pair: Pair) -> None:
    _, created = asked(pair.awake, "POST", MAPS, config("a", "old"))
    assert asked(pair.paused, "GET", f"{MAPS}/a")[1] == created
    pair.paused.process.send_signal(signal.SIGSTOP)
    code, changed = asked(pair.awake, "PUT", f"{MAPS}/a", config("a", "new"))
    assert code == 200
    waiting = [
        sent(pair.paused, "GET", f"{MAPS}/a"),
        sent(pair.paused, "GET", f"{MAPS}/a?resourceVersion={version_of(changed)}"),
    ]
    listing = sent(pair.paused, "GET", MAPS)
    late = sent(pair.paused, "PUT", f"{MAPS}/a", config("a", "late", version_of(created)))
    pair.paused.process.send_signal(signal.SIGCONT)
    assert [answer(each) for each in waiting] == [(200, changed), (200, changed)]
    assert [each["data"] for each in answer(listing)[1]["items"] if "data" in each][-1] == {"value": "new"}
    assert answer(late)[0] == 409
    assert asked(pair.awake, "GET", f"{MAPS}/a") == (200, changed)


def test_a_watch_on_a_paused_server_goes_on_where_it_was(pair: Pair) -> None:
    _, created = asked(pair.awake, "POST", MAPS, config("a", "1"))
    watch = watched(pair.paused, version_of(created))
    pair.paused.process.send_signal(signal.SIGSTOP)
    asked(pair.awake, "PUT", f"{MAPS}/a", config("a", "2"))
    asked(pair.awake, "POST", MAPS, config("b", "3"))
    asked(pair.awake, "DELETE", f"{MAPS}/a")
    pair.paused.process.send_signal(signal.SIGCONT)
    assert events_of(watch, 3) == [("MODIFIED", "a", "2"), ("ADDED", "b", "3"), ("DELETED", "a", "2")]


def test_a_watch_on_a_server_that_was_paused_for_too_long_ends_as_expired(pair: Pair) -> None:
    _, created = asked(pair.awake, "POST", MAPS, config("a", "0"))
    watch = watched(pair.paused, version_of(created))
    pair.paused.process.send_signal(signal.SIGSTOP)
    for number in range(3 * HISTORY):
        code, newest = asked(pair.awake, "PUT", f"{MAPS}/a", config("a", str(number)))
        assert code == 200
    waiting = sent(pair.paused, "GET", f"{MAPS}/a")
    pair.paused.process.send_signal(signal.SIGCONT)
    assert answer(waiting) == (200, newest)
    assert events_of(watch, 1) == [("ERROR", "", "410")]
    again = watched(pair.paused, version_of(newest))
    asked(pair.awake, "POST", MAPS, config("b", "1"))
    assert events_of(again, 1) == [("ADDED", "b", "1")]
