"""A fixture with a server that runs only the controllers of workloads. The tests set the phases of pods."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI

CONTROLLERS = (
    "garbagecollector",
    "daemonset",
    "deployment",
    "replicaset",
    "replicationcontroller",
    "statefulset",
)


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers=CONTROLLERS) as server:
        server.clock.freeze()
        yield server
