"""Servers whose database is unreachable respond with 503 or correct data, and recover without a restart."""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from email.message import Message
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from fakeapi.testing.server import FakeAPI
from tests.postgresql_server import PostgreSQL, why_missing

MAPS = "/api/v1/namespaces/default/configmaps"
PATIENCE_SECONDS = 30.0


@pytest.fixture
def mortal() -> Iterator[PostgreSQL]:
    """Runs a PostgreSQL server for a single test, which may stop it.

    Skips the test if PostgreSQL is missing.
    """
    if why_missing():
        pytest.skip(why_missing())
    server = PostgreSQL()
    yield server
    server.stop()


class Told(NamedTuple):
    """An HTTP response of a server: status code, headers and body."""

    code: int
    headers: Message
    body: bytes


def told(server: FakeAPI, target: str, name: str = "") -> Told:
    """Sends a request to the URL path `target`; returns the response.

    Without `name`, sends a GET. With `name`, sends a POST that creates the ConfigMap of this name.
    """
    body = None
    if name:
        body = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}).encode()
    request = Request(f"{server.url}{target}", body, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return Told(answer.status, answer.headers, answer.read())
    except HTTPError as error:
        with error:
            return Told(error.code, error.headers, error.read())


def code_of(server: FakeAPI, target: str, name: str = "") -> int:
    return told(server, target, name).code


def assert_unavailable(answer: Told) -> None:
    """Asserts that the response is a Status with the code 503, and has the header Retry-After."""
    assert (answer.code, answer.headers["Retry-After"]) == (503, "1")
    status = json.loads(answer.body)
    assert status["message"].startswith("the server is currently unable to handle the request: the database")
    assert {**status, "message": ""} == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "",
        "reason": "ServiceUnavailable",
        "details": {"retryAfterSeconds": 1},
        "code": 503,
    }


def until_well(server: FakeAPI) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while code_of(server, "/readyz") != 200:
        assert time.monotonic() < deadline, "it does not recover"


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_while_the_database_is_away_only_older_reads_are_answered(end: str, mortal: PostgreSQL) -> None:
    place = mortal.place()
    with ExitStack() as stack:
        servers = [stack.enter_context(FakeAPI(release="1.33", database=place)) for _ in range(2)]
        assert code_of(servers[0], MAPS, "before") == 201
        assert code_of(servers[1], MAPS) == 200
        if end == "kill":
            mortal.kill()
        else:
            mortal.signal(signal.SIGSTOP)
        for server in servers:
            assert code_of(server, f"{MAPS}/before?resourceVersion=0") == 200
            assert code_of(server, f"{MAPS}?resourceVersion=0") == 200
            assert code_of(server, "/livez") == 200
        if end == "kill":
            for server in servers:
                assert_unavailable(told(server, MAPS))
                assert_unavailable(told(server, f"{MAPS}/before?resourceVersion=999999"))
                assert_unavailable(told(server, MAPS, "meanwhile"))
                assert code_of(server, f"{MAPS}/before?resourceVersion=1") == 200
                assert code_of(server, "/readyz") == 503
            mortal.start()
        else:
            mortal.signal(signal.SIGCONT)
        for server in servers:
            until_well(server)
            assert code_of(server, f"{MAPS}/before") == 200
            assert code_of(server, f"{MAPS}/meanwhile") == 404
        assert code_of(servers[0], MAPS, "after") == 201
        assert code_of(servers[1], f"{MAPS}/after") == 200


def test_a_watch_stays_open_while_the_database_is_away_and_misses_nothing(mortal: PostgreSQL) -> None:
    place = mortal.place()
    with ExitStack() as stack:
        servers = [stack.enter_context(FakeAPI(release="1.33", database=place)) for _ in range(2)]
        assert code_of(servers[0], MAPS, "before") == 201
        since = json.loads(told(servers[0], MAPS).body)["metadata"]["resourceVersion"]
        watches = [
            stack.enter_context(
                urlopen(f"{each.url}{MAPS}?watch=1&resourceVersion={since}", timeout=PATIENCE_SECONDS)
            )
            for each in servers
        ]
        mortal.kill()
        assert_unavailable(told(servers[0], MAPS))
        while_away = f"{servers[1].url}{MAPS}?watch=1&resourceVersion={since}"
        watches.append(stack.enter_context(urlopen(while_away, timeout=PATIENCE_SECONDS)))
        mortal.start()
        for server in servers:
            until_well(server)
        for name in ("one", "two"):
            assert code_of(servers[0], MAPS, name) == 201
        for watch in watches:
            events = [json.loads(watch.readline()) for _ in range(2)]
            assert [(each["type"], each["object"]["metadata"]["name"]) for each in events] == [
                ("ADDED", "one"),
                ("ADDED", "two"),
            ]
