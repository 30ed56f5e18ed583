"""Real clients get late or incomplete responses, or GOAWAY."""

import asyncio
import ssl
from typing import Any

import httpx
import pytest
import urllib3.exceptions
from kubernetes import client
from kubernetes_asyncio import client as asyncio_client
from kubernetes_asyncio import config as asyncio_config

from fakeapi import FakeAPI
from tests.faults.clients import make

PATIENCE_SECONDS = (5.0, 0.3)
"""Timeouts of a client in seconds: for connecting, and between received bytes.

The Python package `kubernetes` accepts fractions of seconds only in a pair of timeouts.
"""
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.mark.parametrize("kind", ["stall", "wait"])
def test_the_python_client_repeats_a_read_that_is_late(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    members = {"seconds": 3600} if kind == "wait" else {}
    fault = getattr(fakeapi.faults, kind)("list configmaps", times=2, **members)
    listing = core.list_namespaced_config_map("default", _request_timeout=PATIENCE_SECONDS)
    assert listing.items == []
    assert fault.fired == 2


@pytest.mark.parametrize(("kind", "is_written"), [("stall", True), ("wait", False)])
def test_the_python_client_does_not_repeat_a_create_that_is_late(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str, *, is_written: bool
) -> None:
    members = {"seconds": 3600} if kind == "wait" else {}
    fault = getattr(fakeapi.faults, kind)("create configmaps", **members)
    with pytest.raises(urllib3.exceptions.ReadTimeoutError):
        make(core, "a", _request_timeout=PATIENCE_SECONDS)
    assert len(core.list_namespaced_config_map("default").items) == is_written
    assert fault.matched == 1


@pytest.mark.parametrize("kind", ["stall", "wait"])
def test_the_asyncio_client_gives_up_on_an_answer_that_is_late(fakeapi: FakeAPI, kind: str) -> None:
    members = {"seconds": 3600} if kind == "wait" else {}
    fault = getattr(fakeapi.faults, kind)("list configmaps", **members)

    async def ask() -> Any:
        async with await asyncio_config.new_client_from_config(str(fakeapi.kubeconfig)) as connection:
            core = asyncio_client.CoreV1Api(connection)
            return await core.list_namespaced_config_map("default", _request_timeout=0.3)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(ask())
    assert fault.matched == 1


@pytest.mark.parametrize("kind", ["go_away"])
def test_the_python_client_connects_anew_when_it_is_told(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    def socket_after_list() -> Any:
        core.list_namespaced_config_map("default")
        pools = core.api_client.rest_client.pool_manager
        return pools.connection_from_url(fakeapi.url).pool.queue[-1].sock

    first = socket_after_list()
    assert socket_after_list() is first
    fault = getattr(fakeapi.faults, kind)("list configmaps", times=1)
    assert socket_after_list() is None
    assert socket_after_list() not in (first, None)
    assert fault.fired == 1


@pytest.mark.parametrize("kind", ["go_away"])
def test_httpx_loses_the_answer_to_goaway_and_connects_anew(kind: str) -> None:
    """The Python client httpx fails all streams after GOAWAY, even streams that the server still answers."""
    with FakeAPI(tls=True) as api:
        context = ssl.create_default_context(cafile=str(api.ca_file))
        with httpx.Client(http2=True, verify=context, base_url=api.url) as client:
            assert client.get(CONFIG_MAPS).http_version == "HTTP/2"
            fault = getattr(api.faults, kind)("create configmaps", times=1)
            body = {"metadata": {"name": "a"}}
            with pytest.raises(httpx.RemoteProtocolError, match=r"ConnectionTerminated|CLOSED"):
                client.post(CONFIG_MAPS, json=body)
            assert client.post(CONFIG_MAPS, json=body).status_code == 409
            assert fault.fired == 1
