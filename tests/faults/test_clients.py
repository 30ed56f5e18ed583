"""Real clients handle injected faults as in a cluster: some recover, others report the problem."""

import json
from typing import Any

import pytest
import urllib3.exceptions
from kubernetes import client, utils, watch
from kubernetes.client.exceptions import ApiException

from fakeapi import FakeAPI
from tests.clients.kopf_operator import Operator, kopf_server
from tests.faults.clients import make, names
from tests.registry.custom.world import WIDGETS, widget

__all__ = ["kopf_server"]

pytest.importorskip("kopf", reason="kopf is not installed")


@pytest.mark.parametrize(
    ("kind", "members", "code", "reason"),
    [
        ("conflict", {}, 409, "Conflict"),
        ("competing_write", {}, 409, "Conflict"),
        ("not_found", {"verb": "update"}, 404, "Not Found"),
        ("forbidden", {}, 403, "Forbidden"),
        ("invalid", {}, 422, "Unprocessable Entity"),
        ("internal_error", {}, 500, "Internal Server Error"),
        ("webhook_timeout", {}, 500, "Internal Server Error"),
        ("unavailable", {}, 503, "Service Unavailable"),
        ("timeout", {}, 504, "Gateway Timeout"),
        ("refuse", {"code": 418}, 418, "I'm a Teapot"),
    ],
)
def test_the_python_client_raises_what_was_refused(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str, members: dict[str, Any], code: int, reason: str
) -> None:
    obj = make(core, "a")
    getattr(fakeapi.faults, kind)("configmaps", times=1, **{"verb": "update", **members})
    with pytest.raises(ApiException) as caught:
        core.replace_namespaced_config_map("a", "default", obj)
    assert caught.value.status == code
    if kind != "competing_write":
        core.replace_namespaced_config_map("a", "default", obj)


@pytest.mark.parametrize("kind", ["drop", "throttle", "tear"])
def test_the_python_client_repeats_reads_by_itself(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    members = {"retry_after": 0} if kind == "throttle" else {}
    fault = getattr(fakeapi.faults, kind)("list configmaps", times=2, **members)
    assert core.list_namespaced_config_map("default").items == []
    assert fault.fired == 2


@pytest.mark.parametrize("kind", ["drop", "lose_reply"])
def test_the_python_client_does_not_repeat_a_create(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    getattr(fakeapi.faults, kind)("create configmaps", times=1)
    with pytest.raises(urllib3.exceptions.HTTPError):
        make(core, "a")
    if kind == "drop":
        make(core, "a")
    else:
        with pytest.raises(ApiException) as caught:
            make(core, "a")
        assert caught.value.status == 409


@pytest.mark.parametrize("kind", ["already_exists"])
def test_the_python_client_gathers_what_is_there_already(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    getattr(fakeapi.faults, kind)("configmaps", name="b")
    manifests = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}} for name in "abc"]
    with pytest.raises(utils.FailToCreateError) as caught:
        utils.create_from_yaml(core.api_client, yaml_objects=manifests)
    (refused,) = caught.value.api_exceptions
    assert json.loads(refused.body)["reason"] == "AlreadyExists"
    config_maps = core.list_namespaced_config_map("default").items
    assert [each.metadata.name for each in config_maps] == ["a", "c"]


@pytest.mark.parametrize("kind", ["gone"])
def test_the_python_client_raises_when_the_rest_of_a_list_is_gone(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    for name in "abc":
        make(core, name)
    page = core.list_namespaced_config_map("default", limit=2)
    getattr(fakeapi.faults, kind)("configmaps", times=1)
    with pytest.raises(ApiException) as caught:
        core.list_namespaced_config_map("default", limit=2, _continue=page.metadata._continue)
    assert (caught.value.status, caught.value.reason) == (410, "Gone")
    assert json.loads(caught.value.body)["reason"] == "Expired"
    assert len(core.list_namespaced_config_map("default").items) == 3


def test_the_watch_of_the_python_client_raises_an_expired_version(
    fakeapi: FakeAPI, core: client.CoreV1Api
) -> None:
    version = make(core, "a").metadata.resource_version
    make(core, "b")
    fakeapi.faults.expire("configmaps", after=1)
    stream = watch.Watch().stream(
        core.list_namespaced_config_map, "default", resource_version=version, timeout_seconds=30
    )
    assert next(stream)["object"].metadata.name == "b"
    with pytest.raises(ApiException, match="too old") as caught:
        next(stream)
    assert caught.value.status == 410


def test_the_watch_of_the_python_client_resumes_when_it_ends(
    fakeapi: FakeAPI, core: client.CoreV1Api
) -> None:
    version = make(core, "a").metadata.resource_version
    for name in ("b", "c", "d"):
        make(core, name)
    fakeapi.faults.end_watch("configmaps", after=1, times=2)
    stream = watch.Watch().stream(core.list_namespaced_config_map, "default", resource_version=version)
    assert names(stream, 3) == ["b", "c", "d"]
    fakeapi.requests.verify("watch configmaps", times=3)


def test_the_watch_of_the_python_client_raises_when_it_breaks_off(
    fakeapi: FakeAPI, core: client.CoreV1Api
) -> None:
    version = make(core, "a").metadata.resource_version
    make(core, "b")
    make(core, "c")
    fakeapi.faults.cut_watch("configmaps", after=1)
    stream = watch.Watch().stream(core.list_namespaced_config_map, "default", resource_version=version)
    assert next(stream)["object"].metadata.name == "b"
    with pytest.raises(urllib3.exceptions.ProtocolError):
        next(stream)


@pytest.mark.parametrize("kind", ["refuse_watch"])
def test_the_watch_of_the_python_client_raises_when_it_is_not_opened_again(
    fakeapi: FakeAPI, core: client.CoreV1Api, kind: str
) -> None:
    version = make(core, "a").metadata.resource_version
    make(core, "b")
    getattr(fakeapi.faults, kind)("configmaps", code=500, first=2)
    fakeapi.faults.end_watch("configmaps", after=1)
    stream = watch.Watch().stream(core.list_namespaced_config_map, "default", resource_version=version)
    assert next(stream)["object"].metadata.name == "b"
    with pytest.raises(ApiException) as caught:
        next(stream)
    assert caught.value.status == 500


@pytest.mark.parametrize("kind", ["expire", "end_watch", "cut_watch"])
def test_an_operator_of_kopf_goes_on_after_its_watch_has_failed(kopf_server: FakeAPI, kind: str) -> None:
    with Operator(kopf_server) as operator:
        kopf_server.request("POST", WIDGETS, widget("w", spec={"size": 3}))
        operator.wait("create")
        fault = getattr(kopf_server.faults, kind)("watch widgets")
        patch = {"spec": {"size": 7}}
        kopf_server.request("PATCH", f"{WIDGETS}/w", patch, content_type="application/merge-patch+json")
        with operator.changed:
            assert operator.changed.wait_for(lambda: "update 3 to 7" in operator.seen, 20)
        assert fault.fired == 1
