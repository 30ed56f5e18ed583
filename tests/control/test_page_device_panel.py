"""In headless Chromium, the panel of a pool shows the attributes, capacity and taints of its devices."""

import pytest

from fakeapi import FakeAPI
from tests.control import chromium as browsers
from tests.control.browser import Browser
from tests.control.page_objects import DRIVER, new_slice, node

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

DEVICE = {
    "name": "gpu-1",
    "attributes": {"model": {"string": "A100"}, "index": {"int": 1}},
    "capacity": {"memory": {"value": "80Gi"}},
}


def test_a_device_has_an_address_and_shows_its_attributes_and_capacity(
    browser: Browser, api: FakeAPI
) -> None:
    api.create_all([node("node-1"), new_slice({"name": "gpu-0"}, DEVICE)])
    browser.open(f"{api.page}#/devices")
    browser.wait(lambda: browser.run("return Boolean(document.querySelector('.pool'))"), "the pool")
    browser.run("document.querySelector('.pool').click()")
    browser.see("2 attributes, 1 capacity", "dialog")
    browser.click("gpu-1")
    browser.see("gpu-1", "dialog li[aria-current]")
    address = browser.run("return location.href")
    browser.open("about:blank")
    browser.open(address)
    browser.see("gpu-1", "dialog li[aria-current]")
    browser.see("2 attributes, 1 capacity", "dialog")
    browser.run("document.querySelector('dialog .values summary').click()")
    values = "return [...document.querySelectorAll('dialog .values dd')].map((e) => e.textContent)"
    assert sorted(browser.run(values)) == ["1", "80Gi", "A100"]
    browser.click("Close")
    browser.wait(lambda: browser.run("return location.hash") == "#/devices", "the address of the view")


def test_the_panel_says_that_the_taint_of_a_rule_stays(browser: Browser) -> None:
    with FakeAPI(release="1.37", controllers="kubelet", nodes="node-1", drivers={DRIVER: 1}) as api:
        create_rule(api)
        browser.open("about:blank")
        browser.open(f"{api.page}#/devices?pool=node-1%2F{DRIVER}%2Fnode-1")
        browser.see("DeviceTaintRule recall stays until the rule is deleted", "dialog")
        assert "Remove taints" not in browser.text("dialog")
        browser.click("DeviceTaintRule recall")
        browser.see("DeviceTaintRule recall", "main h1")


def create_rule(api: FakeAPI) -> None:
    taint = {"key": "example.com/recall", "effect": "NoSchedule"}
    spec = {"deviceSelector": {"driver": DRIVER}, "taint": taint}
    version = "resource.k8s.io/v1beta2"
    api.create(
        {"apiVersion": version, "kind": "DeviceTaintRule", "metadata": {"name": "recall"}, "spec": spec}
    )
