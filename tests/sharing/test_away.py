"""Servers whose database is away answer what is true, and recover by themselves."""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from fakeapi.testing.server import FakeAPI
from tests.postgresql_server import PostgreSQL, why_missing

MAPS = "/api/v1/namespaces/default/configmaps"
PATIENCE_SECONDS = 30.0


@pytest.fixture
def mortal() -> Iterator[PostgreSQL]:
    """A PostgreSQL for a test that ends it."""
    if why_missing():
        pytest.skip(why_missing())
    server = PostgreSQL()
    yield server
    server.stop()


def code_of(server: FakeAPI, target: str, name: str = "") -> int:
    """The status of a GET, or of the POST of a ConfigMap."""
    body = None
    if name:
        body = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}).encode()
    request = Request(f"{server.url}{target}", body, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            code: int = answer.status
    except HTTPError as error:
        error.close()
        return error.code
    return code


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
                assert code_of(server, MAPS) == 503
                assert code_of(server, MAPS, "meanwhile") == 503
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
