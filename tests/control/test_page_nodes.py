"""In headless Chromium, the page orders and folds many nodes, and marks pods of nodes that are not ready."""

from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.control import chromium as browsers
from tests.control.chromium import Chromium
from tests.control.page_objects import CLAIM, CONSUMER, DRIVER, GROUP, new_pod, node

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

SECTIONS = "return [...document.querySelectorAll('.node-group')].map((e) => e.ariaLabel)"
CARDS = "return [...document.querySelectorAll('.node header a')].map((e) => e.textContent)"
REASON = "Kubelet stopped posting node status."


def slice_of(name: str, devices: int = 1) -> dict[str, Any]:
    """Returns the slice of a node."""
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    published = [{"name": f"gpu-{number}"} for number in range(devices)]
    spec = {"driver": DRIVER, "nodeName": name, "pool": pool, "devices": published}
    return {"apiVersion": GROUP, "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}


def allocate(api: FakeAPI, name: str) -> None:
    """Allocates the first device of a node to a claim of the same name, for a pod of the same name."""
    claim = api.create({**CLAIM, "metadata": {"name": name}})
    result = {"request": "a", "driver": DRIVER, "pool": name, "device": "gpu-0"}
    status = {"allocation": {"devices": {"results": [result]}}, "reservedFor": [{**CONSUMER, "name": name}]}
    api.update_status({**claim, "status": status})


def silence(api: FakeAPI, name: str) -> None:
    """Creates a node whose kubelet is silent."""
    condition = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": REASON}
    api.update_status({**api.create(node(name)), "status": {"conditions": [condition]}})


def run_on(api: FakeAPI, name: str, on: str) -> None:
    """Creates a running pod on a node."""
    pod = new_pod(name, name)
    created = api.create({**pod, "spec": {**pod["spec"], "nodeName": on}})
    api.update_status({**created, "status": {"phase": "Running"}})


def test_nodes_with_the_most_free_devices_come_first(browser: Chromium, api: FakeAPI) -> None:
    names = [f"node-{number}" for number in (1, 2, 9, 10)]
    api.create_all([node(name) for name in names])
    api.create_all([slice_of(name, devices) for name, devices in zip(names, (1, 2, 2, 3), strict=True)])
    allocate(api, "node-1")
    browser.open(f"{api.page}#/devices")
    browser.see("4 nodes, 8 devices of 1 driver: 1 in use, 7 free")
    assert browser.run(SECTIONS) == ["With free devices", "Without free devices"]
    assert browser.run(CARDS) == ["node-10", "node-2", "node-9", "node-1"]
    browser.fill("#order", "name")
    browser.wait(lambda: browser.run(CARDS) == names, "the nodes in the natural order of their names")


def test_problems_come_first_unless_the_user_wants_free_devices_first(
    browser: Chromium, api: FakeAPI
) -> None:
    api.create_all([{**node("bad"), "spec": {"unschedulable": True}}, node("good")])
    api.create_all([slice_of("bad"), slice_of("good")])
    browser.open("about:blank")
    browser.open(f"{api.page}#/devices")
    browser.wait(lambda: browser.run(CARDS) == ["bad", "good"], "the node with a problem first")
    browser.fill("#order", "free")
    browser.wait(lambda: browser.run(CARDS) == ["good", "bad"], "the node with a free device first")


def test_many_nodes_that_look_the_same_are_one_line(browser: Chromium, api: FakeAPI) -> None:
    names = [f"node-{number}" for number in range(30)]
    api.create_all([node(name) for name in names])
    api.create_all([slice_of(name, 2) for name in names])
    allocate(api, "node-7")
    browser.open("about:blank")
    browser.open(f"{api.page}#/devices")
    browser.see("29 nodes node-0 … node-29", ".node-set summary")
    browser.see("2 of 2 free each", ".node-set summary")
    assert browser.run(CARDS) == ["node-7"]
    browser.run("document.querySelector('.node-set summary').click()")
    browser.wait(lambda: len(browser.run(CARDS)) == 30, "the cards of all nodes")


def test_free_devices_of_nodes_that_take_no_pods_are_counted_apart(browser: Chromium, api: FakeAPI) -> None:
    api.create_all([node("a"), {**node("b"), "spec": {"unschedulable": True}}])
    silence(api, "c")
    api.create_all([slice_of("a", 4), slice_of("b", 2), slice_of("c", 1)])
    browser.open(f"{api.page}#/devices")
    browser.see("0 in use, 7 free (3 of them on nodes that take no pods)", ".lead")
    browser.see("3 of the free are on nodes that take no pods", ".drivers")


def test_pods_of_a_silent_node_are_marked_wherever_their_status_is_shown(
    browser: Chromium, api: FakeAPI
) -> None:
    silence(api, "dead")
    api.create_all([node("alive"), slice_of("dead"), slice_of("alive")])
    run_on(api, "dead", on="dead")
    run_on(api, "alive", on="alive")
    allocate(api, "dead")
    browser.open(f"{api.page}#/devices")
    browser.see("Its kubelet is silent: pods and claims keep their last state", ".node")
    browser.open(f"{api.page}#/objects/-/pods")
    browser.see("Running, node not ready", "main table")
    assert browser.text("main table").count("node not ready") == 1
    browser.open(f"{api.page}#/claims")
    browser.see("dead not ready", "main table")
    browser.open(f"{api.page}#/object/-/pods/default/dead")
    browser.see("The kubelet of dead is silent (Kubelet stopped posting node status): the pod keeps its last")
    browser.open(f"{api.page}#/object/-/nodes/-/dead")
    browser.see("The node is not ready: its pod keeps its last status")
    browser.open(f"{api.page}#/pending")
    browser.see("1 pod on nodes that are not ready keeps its last status: dead")
