"""In headless Chromium, the page marks pending pods, armed faults and a frozen clock in its navigation."""

import http.client
import json

import pytest

from fakeapi import FakeAPI
from tests.control import chromium as browsers
from tests.control.chromium import Chromium, as_wide_as
from tests.control.page_objects import ALLOCATION, CLAIM, CONSUMER, DRIVER, new_pod, new_slice, node
from tests.control.troubled_objects import CRASH, crash, keep, workload

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

ROW_OF_WATCH = "tbody td:nth-child(7)"
"""The cell "Last event at" of the first watch."""


def test_the_devices_link_to_the_pods_that_wait(browser: Chromium, api: FakeAPI) -> None:
    taint = {"key": "recall", "effect": "NoSchedule"}
    api.create_all([node("node-1"), new_slice({"name": "gpu-0"}, {"name": "gpu-1", "taints": [taint]})])
    api.create(new_pod("waits"))
    browser.open(f"{api.page}#/devices")
    browser.see("2 devices of 1 driver: 0 in use, 1 free, 1 tainted")
    browser.click("1 pod is pending: why?")
    browser.see("Pending", "main h1")
    browser.see("waits", ".one-waiting")


def test_pods_that_crash_or_wait_for_finalizers_and_short_workloads_are_pending(
    browser: Chromium, api: FakeAPI
) -> None:
    api.create(node("node-1"))
    crash(api, "gnu")
    keep(api, "fox", "Succeeded")
    failure = {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota: few"}
    created = api.create(workload("Deployment", "cart", replicas=3))
    api.update_status({**created, "status": {"replicas": 1, "conditions": [failure]}})
    browser.open(f"{api.page}#/devices")
    browser.see("1 pod crashes, 1 Deployment lacks pods, 1 pod is being deleted", "nav")
    browser.click("1 pod crashes, 1 Deployment lacks pods, 1 pod is being deleted: why?")
    browser.see("1 pod crashes, 1 Deployment lacks pods, 1 pod is being deleted", ".lead")
    rows = (
        "return [...document.querySelectorAll('.one-waiting')].map((e) => e.innerText.replace(/\\s+/g, ' '))"
    )
    gnu, cart, fox = browser.run(rows)
    assert gnu.startswith("Pod default/gnu")
    assert gnu.endswith(CRASH)
    assert cart.startswith("Deployment default/cart has 1 of 3 pods, 0 ready")
    assert cart.endswith("exceeded quota: few")
    assert fox.startswith("Pod default/fox being deleted")
    assert fox.endswith("example.com/keep")
    browser.fill("#search", "accel0")
    browser.wait(lambda: len(browser.run(rows)) == 1, "only the pod that crashes")
    browser.open(f"{api.page}#/pending/Deployment/default/cart")
    browser.see("exceeded quota: few", ".one-waiting[aria-current]")
    browser.see("Open the Deployment", ".one-waiting[aria-current]")


def test_a_cordoned_node_needs_attention(browser: Chromium, api: FakeAPI) -> None:
    api.create_all([{**node("node-1"), "spec": {"unschedulable": True}}, node("node-2")])
    browser.open(f"{api.page}#/devices")
    browser.see("node-1", "[aria-label='Needs attention']")
    assert "node-2" not in browser.text("[aria-label='Needs attention']")


def test_a_badge_says_why_a_node_needs_attention(browser: Chromium, api: FakeAPI) -> None:
    taint = {"key": "recall", "effect": "NoSchedule"}
    api.create_all([node("node-1"), node("node-2"), new_slice({"name": "gpu-0", "taints": [taint]})])
    browser.open(f"{api.page}#/devices")
    browser.see("all gpu tainted", "[aria-label='Needs attention'] header")


def test_the_search_for_devices_finds_claims_and_pods_without_devices(
    browser: Chromium, api: FakeAPI
) -> None:
    api.create_all([node("node-1"), new_slice({"name": "gpu-0"}), new_pod("wait-pod", "wait-claim")])
    api.create({**CLAIM, "metadata": {"name": "wait-claim"}})
    claim = api.create(CLAIM)
    api.update_status({**claim, "status": {"allocation": ALLOCATION, "reservedFor": [CONSUMER]}})
    for name in ("trainer", "web"):
        created = api.create(new_pod(name))
        api.update_status({**created, "status": {"phase": "Running"}})
    browser.open(f"{api.page}#/devices?search=wait-")
    browser.see("default/wait-claim", ".elsewhere")
    links = "return [...document.querySelectorAll('.elsewhere a')].map((e) => e.getAttribute('href'))"
    assert browser.run(links) == ["#/pending/pod/default/wait-pod", "#/pending/claim/default/wait-claim"]
    browser.fill("#search", "web")
    browser.wait(lambda: browser.run(links) == ["#/object/-/pods/default/web"], "the pod without a device")
    assert "No device matches" not in browser.text("main")
    browser.fill("#search", "trainer")
    browser.wait(lambda: browser.run(links) == [], "no row for a pod with a device")


@pytest.mark.parametrize("width", [1280, 400])
def test_armed_faults_and_a_frozen_clock_are_marked_in_the_navigation(
    browser: Chromium, api: FakeAPI, width: int
) -> None:
    with as_wide_as(browser, width):
        browser.open(f"{api.page}#/devices")
        browser.see("Faults", "nav")
        assert browser.run("return document.querySelectorAll('nav .mark').length") == 0
        with api.faults.conflict("pods"):
            api.clock.freeze()
            browser.see("armed", "nav a[href='#/faults'] .mark")
            browser.see("frozen", "nav a[href='#/clock'] .mark")
            visible = "return document.querySelector('nav .mark').getBoundingClientRect().right <= innerWidth"
            assert browser.run(visible) is True
        api.clock.resume()
        gone = "return document.querySelectorAll('nav .mark').length"
        browser.wait(lambda: browser.run(gone) == 0, "no marks")


def test_a_moved_clock_is_explained(browser: Chromium, api: FakeAPI) -> None:
    api.clock.advance(7200)
    browser.open(f"{api.page}#/clock")
    browser.see("120m ahead of the clock of this browser")
    browser.see("+120m", "#state")


def test_an_armed_fault_is_described_in_words(browser: Chromium, api: FakeAPI) -> None:
    api.faults.throttle("pods", times=2)
    api.faults.wait("nodes", seconds=3, times=1)
    browser.open(f"{api.page}#/faults")
    browser.see("refused with 429", "main table")
    browser.see("the first 2 times", "main table")
    browser.see("waits 3 seconds", "main table")
    browser.see("once", "main table")
    assert "retryAfter" not in browser.text("main table")


def test_controllers_with_failures_come_first_with_the_names_of_objects(browser: Chromium) -> None:
    with FakeAPI(release="1.36", controllers="namespace,resourceclaim") as api:
        template = {"spec": {"devices": {"requests": CLAIM["spec"]["devices"]["requests"]}}}
        group = CLAIM["apiVersion"]
        metadata = {"name": "gpus"}
        api.create(
            {"apiVersion": group, "kind": "ResourceClaimTemplate", "metadata": metadata, "spec": template}
        )
        pod = new_pod("trainer")
        pod["spec"]["resourceClaims"] = [{"name": "a", "resourceClaimTemplateName": "gpus"}]
        with api.faults.forbidden("create resourceclaims"):
            api.create(pod)
            browser.open(f"{api.page}#/controllers")
            browser.see("Pod default/trainer: 403", "main table")
        first = "return document.querySelector('tbody td.name').textContent"
        assert browser.run(first) == "resourceclaim"
        assert "('pod'" not in browser.text("main table")


def test_a_watch_names_the_version_of_its_last_event(browser: Chromium, api: FakeAPI) -> None:
    with api.watch("ResourceClaim") as watch:
        browser.open(f"{api.page}#/watches")
        browser.see("Last event at", "main table")
        browser.see("—", ROW_OF_WATCH)
        version = api.create(CLAIM)["metadata"]["resourceVersion"]
        next(watch)
        api.create(new_pod("later"))
        browser.wait(lambda: browser.text(ROW_OF_WATCH) == version, "the version of the event")


def test_a_watch_without_events_names_the_version_of_its_bookmark(browser: Chromium, api: FakeAPI) -> None:
    path = "/apis/resource.k8s.io/v1/resourceclaims?watch=true&allowWatchBookmarks=true"
    connection = http.client.HTTPConnection("127.0.0.1", api.port)
    connection.request("GET", f"{path}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
    event = json.loads(connection.getresponse().readline())
    browser.open(f"{api.page}#/watches")
    version = event["object"]["metadata"]["resourceVersion"]
    browser.see(f"bookmark {version}", ROW_OF_WATCH)
    connection.close()


def test_the_list_of_kinds_is_closed_in_a_narrow_window(browser: Chromium, api: FakeAPI) -> None:
    api.create_all([CLAIM, new_pod("trainer"), node("node-1")])
    with as_wide_as(browser, 400):
        browser.open(f"{api.page}#/objects/-/pods")
        browser.see("trainer", "main table")
        assert browser.run("return document.querySelector('.kinds').offsetHeight") < 150
        assert "Pod" in browser.text(".kinds")
        assert "ResourceClaim" not in browser.text(".kinds")
        browser.click("Choose another kind")
        browser.see("ResourceClaim", ".kinds")
        browser.run("document.querySelector('.kinds a[href*=resourceclaims]').click()")
        browser.see("gpu", "main table")
        browser.wait(lambda: "Node" not in browser.text(".kinds"), "the closed list")


def test_claims_name_the_drivers_of_devices_with_equal_names(browser: Chromium, api: FakeAPI) -> None:
    for name, driver in (("gpu", DRIVER), ("nic", "nic.example.com")):
        claim = api.create({**CLAIM, "metadata": {"name": name}})
        result = {"request": "a", "driver": driver, "pool": "n03", "device": "d-0"}
        api.update_status({**claim, "status": {"allocation": {"devices": {"results": [result]}}}})
    browser.open(f"{api.page}#/claims")
    browser.see("gpu: n03/d-0", "main table")
    browser.see("nic: n03/d-0", "main table")
    api.delete("ResourceClaim", "nic")
    browser.wait(lambda: "nic" not in browser.text("main table"), "only the claim for a GPU")
    assert "gpu: n03/d-0" not in browser.text("main table")
