"""A reset and a baseline return controllers, drivers, nodes and images to their earlier state."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "main", "image": "busybox"}]},
}


def names(api: FakeAPI, kind: str) -> list[str]:
    return [each["metadata"]["name"] for each in api.list(kind)]


def is_bare(api: FakeAPI) -> bool:
    """Whether the server has no node and runs no controller."""
    with pytest.raises(RuntimeError, match="no controllers run"):
        api.settle()
    api.create(POD)
    is_pending = api.get("Pod", "p")["status"]["phase"] == "Pending"
    return is_pending and not any(names(api, kind) for kind in ("Node", "DeviceClass", "ResourceSlice"))


def reset(api: FakeAPI) -> Callable[[], object]:
    return api.reset


def reset_by_control_api(api: FakeAPI) -> Callable[[], object]:
    return lambda: api.request("POST", "/_fakeapi/reset")


def baseline(api: FakeAPI) -> Callable[[], object]:
    taken = api.baseline()
    return lambda: api.return_to(taken)


@pytest.mark.parametrize("prepare", [reset, reset_by_control_api, baseline])
def test_a_reset_or_baseline_removes_an_added_driver_with_its_node_and_controllers(
    fakeapi: FakeAPI, prepare: Callable[[FakeAPI], Callable[[], object]]
) -> None:
    back = prepare(fakeapi)
    for _ in range(2):
        fakeapi.add_driver("gpu.example.com", nodes={"a": 1})
        assert "a" in names(fakeapi, "Node")
        back()
        assert is_bare(fakeapi)
        with pytest.raises(ValueError, match="no simulated driver"):
            fakeapi.driver("gpu.example.com")
        fakeapi.delete("Pod", "p")


@pytest.mark.parametrize("prepare", [reset, baseline])
def test_a_reset_or_baseline_removes_an_added_image_with_its_controllers(
    fakeapi: FakeAPI, prepare: Callable[[FakeAPI], Callable[[], object]], tmp_path: Path
) -> None:
    back = prepare(fakeapi)
    fakeapi.run_image("busybox", tmp_path)
    back()
    assert is_bare(fakeapi)
    assert not fakeapi._running()._cluster.run_images


def test_a_reset_keeps_the_drivers_and_controllers_of_the_options() -> None:
    with FakeAPI(drivers={"name": "gpu.example.com", "nodes": {"a": 1}}) as api:
        api.add_driver("nic.example.com", nodes={"b": 1})
        api.driver("gpu.example.com").add_node("c")
        api.reset()
        api.settle()
        assert api.driver("gpu.example.com").nodes == ["a"]
        assert {"b", "c"}.isdisjoint(names(api, "Node"))
        assert names(api, "DeviceClass") == ["gpu.example.com"]


def test_a_baseline_keeps_its_drivers_and_removes_later_ones() -> None:
    with FakeAPI() as api:
        api.add_driver("gpu.example.com", nodes={"a": 1})
        taken = api.baseline()
        api.add_driver("nic.example.com", nodes={"b": 1})
        api.driver("gpu.example.com").remove()
        api.return_to(taken)
        api.settle()
        assert api.driver("gpu.example.com").nodes == ["a"]
        assert "a" in names(api, "Node")
        assert "b" not in names(api, "Node")
        assert [each["spec"]["driver"] for each in api.list("ResourceSlice")] == ["gpu.example.com"]


def test_behaviours_of_containers_return_to_the_options_after_a_reset() -> None:
    with FakeAPI(controllers="all") as api:
        api.containers.behave(image="busybox", exit_code=1)
        api.reset()
        assert list(api.containers) == []


def test_webhook_services_return_to_the_options_after_a_reset() -> None:
    with FakeAPI(webhook_services=["a/b=http://127.0.0.1:1"]) as api:
        services: Any = api._running()._cluster.service_urls
        services.remove("a/b")
        services.add("c/d:8443=http://127.0.0.1:2")
        api.reset()
        assert services.entries() == {"a/b": "http://127.0.0.1:1"}
