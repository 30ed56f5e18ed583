"""Pods and explanations leave no objects behind that only Python's garbage collector can free."""

import gc
from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from fakeapi.machinery.json_types import Object

TEMPLATE: Object = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "gpu"},
    "spec": {
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu.example.com"}}]}}
    },
}


def pod(name: str) -> Object:
    """Returns a pod with one claim of the template."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}]}}],
            "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "gpu"}],
        },
    }


@pytest.fixture
def unfreed() -> Iterator[list[object]]:
    """Turns automatic garbage collection off. The list has what `gc.collect` finds with DEBUG_SAVEALL."""
    gc.disable()
    try:
        yield gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def left_by(unfreed: list[object], module: str) -> list[object]:
    """Returns the unfreed objects whose types a module of fakeapi, or a package, defines."""
    return [value for value in unfreed if type(value).__module__.startswith(module)]


def test_a_scheduled_pod_leaves_no_reference_cycles(unfreed: list[object]) -> None:
    with FakeAPI(release="1.34", controllers="all", drivers={"gpu.example.com": 4}) as api:
        api.create(TEMPLATE)
        api.create(pod("warm-up"))
        api.settle()
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        for number in range(3):
            api.create(pod(f"p{number}"))
        api.settle()
        gc.collect()
        assert api.get("pods", "p2", namespace="default")["status"]["phase"] == "Running"
    assert left_by(unfreed, "fakeapi") == []


@pytest.mark.parametrize(
    "expression",
    ['device.driver == "other.example.com"', 'device.attributes["other.example.com"].model == "a"'],
)
def test_an_explanation_of_a_pending_pod_leaves_no_reference_cycles(
    unfreed: list[object], expression: str
) -> None:
    with FakeAPI(release="1.34", controllers="all", drivers={"gpu.example.com": 4}) as api:
        request = TEMPLATE["spec"]["spec"]["devices"]["requests"][0]["exactly"]
        selecting = {**request, "selectors": [{"cel": {"expression": expression}}]}
        devices = {"requests": [{"name": "r", "exactly": selecting}]}
        api.create({**TEMPLATE, "spec": {"spec": {"devices": devices}}})
        api.create(pod("pending"))
        api.settle()
        assert api.explain("pod", "default/pending").verdict == "pending"
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        api.explain("pod", "default/pending")
        gc.collect()
    assert left_by(unfreed, "fakeapi.explaining") == []
    assert left_by(unfreed, "fakeapi.controllers") == []
