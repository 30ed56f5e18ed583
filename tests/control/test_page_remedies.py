"""In headless Chromium, the live page offers what helps a waiting pod, and shows when the help has worked."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.control import chromium as browsers
from tests.control.chromium import Chromium, as_wide_as
from tests.control.page_objects import CLAIM, DRIVER, GROUP, new_pod

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

QUOTED = f"{DRIVER}.deviceclass.resource.k8s.io/devices"
SCROLLING = """
    const scrolls = (e) => ['auto', 'scroll'].includes(getComputedStyle(e).overflowY);
    const all = [...document.querySelectorAll('main *')];
    return all.filter((e) => scrolls(e) && e.scrollHeight > e.clientHeight + 1).length
"""
"""The number of elements of the view that scroll by themselves."""


@pytest.fixture
def simulated() -> Iterator[FakeAPI]:
    """Yields a server with all controllers, two nodes, and four simulated devices on each node."""
    pytest.importorskip("cel_expr_python", reason="allocation takes the extra cel")
    with FakeAPI(
        release="1.36", controllers="all", nodes=["node-1", "node-2"], drivers={DRIVER: 4}
    ) as server:
        yield server


def _template(name: str, count: int = 1) -> dict[str, Any]:
    request = {"name": "a", "exactly": {"deviceClassName": DRIVER, "count": count}}
    spec = {"spec": {"devices": {"requests": [request]}}}
    return {"apiVersion": GROUP, "kind": "ResourceClaimTemplate", "metadata": {"name": name}, "spec": spec}


def _user(name: str, template: str, **spec: Any) -> dict[str, Any]:
    pod = new_pod(name)
    pod["spec"]["resourceClaims"] = [{"name": "a", "resourceClaimTemplateName": template}]
    return {**pod, "spec": {**pod["spec"], **spec}}


def test_an_open_explanation_follows_the_change_of_a_quota(browser: Chromium, simulated: FakeAPI) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}}
    simulated.create({**quota, "spec": {"hard": {QUOTED: "0"}}})
    simulated.settle()
    simulated.create_all([_template("gpu"), _user("train", "gpu")])
    for _ in range(14):  # now the back-off of the controller is longer than a minute
        simulated.clock.advance(60)
        simulated.settle()
    browser.open(f"{simulated.page}#/why/pod/default/train")
    browser.see("allows 0 devices", ".explained")
    simulated.patch("ResourceQuota", "few", {"spec": {"hard": {QUOTED: "1"}}})
    browser.see("ResourceQuota default/few allows it now (1, 0 used)", ".explained")
    browser.see("fakeapi clock advance ", ".explained")


def test_a_failing_driver_is_repaired_from_the_explanation(browser: Chromium, simulated: FakeAPI) -> None:
    driver = simulated.driver(DRIVER)
    driver.prepare(error="out of smoke")
    simulated.create_all([_template("gpu"), _user("train", "gpu")])
    simulated.settle()
    browser.open(f"{simulated.page}#/object/-/pods/default/train?tab=why")
    browser.see(f"fakeapi drivers prepare {DRIVER}", ".explained")
    browser.click(f"the switch of driver {DRIVER}")
    browser.see("the last: prepare default/train-a", ".drivers-card p.bad")
    browser.fill(".drivers-card select", "works")
    browser.wait(lambda: "fails" not in browser.text(".drivers-card article h2"), "the driver works")
    simulated.clock.advance(600)
    simulated.settle()
    browser.open(f"{simulated.page}#/controllers")
    browser.see("Works again: 1 call succeeded since the last error", ".drivers-card")
    assert "the last: " not in browser.text(".drivers-card p.bad")


def test_scheduling_gates_are_removed_with_a_button(browser: Chromium, simulated: FakeAPI) -> None:
    gates = [{"name": "example.com/quota"}]
    simulated.create_all([_template("gpu"), _user("train", "gpu", schedulingGates=gates)])
    simulated.settle()
    browser.open(f"{simulated.page}#/why/pod/default/train")
    browser.see("no controller of this server removes it", ".explained")
    browser.click("Remove gates of Pod default/train…")
    browser.see("kubectl patch pod train -n default --type=merge", "dialog")
    browser.click("Remove gates of")
    browser.wait(
        lambda: "schedulingGates" not in simulated.get("Pod", "train")["spec"], "the pod without gates"
    )


def test_the_template_of_a_pod_is_linked_and_reasons_that_do_not_help_are_folded(
    browser: Chromium, simulated: FakeAPI
) -> None:
    simulated.patch("Node", "node-2", {"spec": {"unschedulable": True}})
    simulated.create_all([_template("many", 9), _user("train", "many")])
    simulated.settle()
    browser.open(f"{simulated.page}#/object/-/pods/default/train?tab=why")
    browser.see("template default/many and pod default/train again with 4 instead of 9", ".explained")
    link = "#/object/resource.k8s.io/resourceclaimtemplates/default/many"
    has_link = "return document.querySelector(arguments[0]) !== null"
    for place in (".explained", "aside"):
        selector = f'{place} a[href="{link}"]'
        browser.wait(partial(browser.run, has_link, selector), selector)
    browser.see("1 more reason: no change of it is enough by itself", ".explained")
    assert "Uncordon" not in browser.text(".explained")


def test_a_cordoned_node_and_tainted_devices_say_so(browser: Chromium, simulated: FakeAPI) -> None:
    simulated.patch("Node", "node-2", {"spec": {"unschedulable": True}})
    name = simulated.list("ResourceSlice")[0]["spec"]["devices"][0]["name"]
    simulated.driver(DRIVER).device(name, node="node-1").taint("example.com/broken")
    simulated.settle()
    browser.open(f"{simulated.page}#/object/-/nodes/-/node-2")
    browser.see("Ready, SchedulingDisabled", ".heading")
    browser.open(f"{simulated.page}#/devices?search=tainted")
    browser.see("node-1", ".nodes")
    assert browser.run("return document.querySelectorAll('article.node').length") == 1


def test_only_the_page_scrolls_and_edges_meet(browser: Chromium, simulated: FakeAPI) -> None:
    simulated.create(CLAIM)
    browser.open(f"{simulated.page}#/controllers")
    browser.see("replicaset", "main table")
    browser.see("Simulated drivers 1")
    assert browser.run(SCROLLING) == 0
    browser.open(f"{simulated.page}#/objects/resource.k8s.io/resourceclaims")
    browser.click("Create")
    height = "return document.querySelector(arguments[0]).getBoundingClientRect().height"
    browser.wait(lambda: browser.run("return document.querySelector('.gutter') !== null"), "the editor")
    assert browser.run(height, ".gutter") == browser.run(height, ".editor textarea")
    colour = "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor"
    assert browser.run(colour, "html") == browser.run(colour, "dialog.panel")


def test_a_title_breaks_only_between_words(browser: Chromium, simulated: FakeAPI) -> None:
    simulated.create(CLAIM)
    with as_wide_as(browser, 400):
        browser.open(f"{simulated.page}#/objects/resource.k8s.io/resourceclaims")
        browser.see("ResourceClaim", "h1")
        height = "return document.querySelector('h1').offsetHeight"
        line = "return parseFloat(getComputedStyle(document.querySelector('h1')).lineHeight)"
        assert round(browser.run(height) / browser.run(line)) == 1
