"""Fixtures for tests of injected faults. They send requests and read raw responses."""

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from kubernetes import client

from fakeapi import FakeAPI
from fakeapi.clock.adjustable import AdjustableClock
from tests.faults.clients import core_client

CLAIMS = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"

Open = Callable[..., http.client.HTTPResponse]


def claim(name: str = "claim", **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1beta1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, **metadata},
        "spec": {"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}},
    }


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33", feature_gates="WatchList=true") as api:
        yield api


@pytest.fixture
def clock(api: FakeAPI) -> AdjustableClock:
    return api.clock


@pytest.fixture
def ask(api: FakeAPI) -> Iterator[Open]:
    """Yields a function that sends a request on a new connection and returns the response.

    The function reads the headers of the response, but not the body.
    """
    with ExitStack() as connections:

        def send(method: str, path: str, body: Any = None, **headers: str) -> http.client.HTTPResponse:
            connection = http.client.HTTPConnection("127.0.0.1", api.port)
            connections.callback(connection.close)
            sent = None if body is None else json.dumps(body).encode()
            connection.request(method, path, sent, {"Content-Type": "application/json", **headers})
            response = connection.getresponse()
            connections.callback(response.close)
            return response

        yield send


@pytest.fixture
def watch(ask: Open) -> Callable[..., http.client.HTTPResponse]:
    """Returns a function that opens a watch, by default of ResourceClaims, and returns the response."""

    def open_watch(query: str = "", path: str = CLAIMS) -> http.client.HTTPResponse:
        return ask("GET", f"{path}?watch=true{'&' if query else ''}{query}")

    return open_watch


@pytest.fixture
def core(fakeapi: FakeAPI) -> Iterator[client.CoreV1Api]:
    """Yields the CoreV1Api of a client of the Python package `kubernetes` for the test's server."""
    with core_client(fakeapi) as core:
        yield core
