"""Servers with a shared database give the recorded responses when they receive the requests alternately.

These tests play some of the scenarios; `make turns` plays all.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from fakeapi.testing.server import FakeAPI
from tests.conformance import known, replaying, servers, world
from tests.conformance.recordings import RECORDINGS, WORLD_RECORDINGS, Recording
from tests.conformance.turns import Turns, servers_of
from tests.postgresql_server import PostgreSQL

ONE_IN = 1 if os.environ.get("FAKEAPI_TURNS") == "all" else 48
"""The tests play every ONE_IN-th scenario. With `FAKEAPI_TURNS=all` they play all scenarios."""

CASES = [(each, scenario) for each in RECORDINGS for scenario in each.scenarios][::ONE_IN]
WORLD_CASES = [(each, scenario) for each in WORLD_RECORDINGS for scenario in each.scenarios][::ONE_IN]


class Clusters:
    """Runs the two servers of one recording. Stops them when a test requests another recording."""

    def __init__(self, postgresql: PostgreSQL) -> None:
        self._postgresql = postgresql
        self._stack = ExitStack()
        self._of = ""
        self._servers: list[FakeAPI] = []

    def of(self, recording: Recording) -> list[FakeAPI]:
        """Returns two servers that share a database, which has only the namespace of the recordings."""
        if self._of != recording.name:
            self.close()
            self._servers = self._stack.enter_context(servers_of(recording, self._postgresql))
            self._of = recording.name
        servers.prepare(self._servers[0])
        return self._servers

    def close(self) -> None:
        self._stack.close()


@pytest.fixture(scope="module")
def clusters(postgresql: PostgreSQL) -> Iterator[Clusters]:
    started_clusters = Clusters(postgresql)
    yield started_clusters
    started_clusters.close()


def names(cases: list[tuple[Recording, str]]) -> list[str]:
    return [f"{recording.name}-{scenario}" for recording, scenario in cases]


@pytest.mark.parametrize(("recording", "scenario"), CASES, ids=names(CASES))
def test_a_scenario_of_claims_is_answered_as_recorded(
    recording: Recording, scenario: str, clusters: Clusters
) -> None:
    ports = [server.port for server in clusters.of(recording)]
    differences = replaying.played(Turns(ports), recording.scenarios[scenario], scenario)
    expected = {number for entry in known.of(recording.name, scenario) for number in entry.exchanges}
    assert differences.keys() <= expected, differences


@pytest.mark.parametrize(("recording", "scenario"), WORLD_CASES, ids=names(WORLD_CASES))
def test_a_scenario_of_other_kinds_is_answered_as_recorded(
    recording: Recording, scenario: str, clusters: Clusters
) -> None:
    ports = [server.port for server in clusters.of(recording)]
    differences = world.played(Turns(ports), recording.scenarios[scenario])
    expected = world.listed()[recording.name].get(scenario, {})
    assert differences.keys() <= {number for numbers in expected.values() for number in numbers}, differences
