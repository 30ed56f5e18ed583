"""In headless Chromium, the panel of a pool shows the attributes, capacity and taints of its devices."""

import itertools
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.control import chromium as browsers
from tests.control.browser import Browser
from tests.control.page_objects import CLAIM, CONSUMER, DRIVER, new_slice, node

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


CONTRAST = """
    const luminance = (text) => {
        const [r, g, b] = text.match(/\\d+/g).map((e) => Number(e) / 255)
            .map((e) => (e <= 0.03928 ? e / 12.92 : ((e + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    document.documentElement.dataset.theme = arguments[0];
    const back = luminance(getComputedStyle(document.querySelector('.node')).backgroundColor);
    return [...document.querySelectorAll('.node .square')].map((e) => {
        const style = getComputedStyle(e);
        const colour = parseFloat(style.borderTopWidth) ? style.borderTopColor : style.backgroundColor;
        const front = luminance(colour);
        return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    });
"""
"""Returns the contrast of each square of the map with the card of its node, in the theme of the argument."""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_squares_have_a_contrast_of_three(browser: Browser, api: FakeAPI, theme: str) -> None:
    taint = {"key": "broken", "effect": "NoSchedule"}
    names = [f"gpu-{number}" for number in range(4)]
    api.create_all(
        [node("node-1"), new_slice(*({"name": each} for each in names), {"name": "bad", "taints": [taint]})]
    )
    for number, state in enumerate(("allocated", "reserved", "prepared")):
        claim = api.create({**CLAIM, "metadata": {"name": state}})
        result = {"request": "a", "driver": DRIVER, "pool": "node-1", "device": names[number]}
        status: dict[str, Any] = {"allocation": {"devices": {"results": [result]}}}
        if state != "allocated":
            status["reservedFor"] = [CONSUMER]
        if state == "prepared":
            status["devices"] = [{name: result[name] for name in ("driver", "pool", "device")}]
        api.update_status({**claim, "status": status})
    browser.open(f"{api.page}#/devices")
    squares = "return [...document.querySelectorAll('.node .square')].map((e) => e.classList[1])"
    states = ["allocated", "reserved", "prepared", "free", "tainted"]
    browser.wait(lambda: browser.run(squares) == states, "the states of the devices")
    contrasts = browser.run(CONTRAST, theme)
    assert min(contrasts) >= 3, dict(zip(states, contrasts, strict=True))


HUES = """
    document.documentElement.dataset.theme = arguments[0];
    return ['allocated', 'reserved', 'prepared'].map((state) => {
        const dot = document.querySelector(`.choice .dot.${state}`);
        const [r, g, b] = getComputedStyle(dot).backgroundColor.match(/\\d+/g).map(Number);
        return (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180 / Math.PI + 360) % 360;
    });
"""
"""Returns the hues of the states of devices in degrees, in the theme of the argument."""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_hues_of_the_states_are_at_least_60_degrees_apart(
    browser: Browser, api: FakeAPI, theme: str
) -> None:
    api.create_all([node("node-1"), new_slice({"name": "gpu-0"})])
    browser.open(f"{api.page}#/devices")
    browser.see("gpu.example.com", ".drivers")
    hues = browser.run(HUES, theme)
    distances = [abs(a - b) for a, b in itertools.combinations(hues, 2)]
    assert min(min(each, 360 - each) for each in distances) >= 60, hues


def test_a_shared_device_shows_each_state_of_its_claims_and_is_found_by_each(
    browser: Browser, api: FakeAPI
) -> None:
    capacity = {"bandwidth": {"value": "100G"}}
    shared = {"name": "nic-0", "allowMultipleAllocations": True, "capacity": capacity}
    api.create_all([node("node-1"), new_slice(shared)])
    for number, state in enumerate(("allocated", "reserved")):
        claim = api.create({**CLAIM, "metadata": {"name": state}})
        share = {
            "shareID": f"6ba7b810-9dad-11d1-80b4-00c04fd4300{number}",
            "consumedCapacity": {"bandwidth": "2G"},
        }
        result = {"request": "a", "driver": DRIVER, "pool": "node-1", "device": "nic-0", **share}
        consumers = [CONSUMER] * number
        allocation = {"devices": {"results": [result]}}
        api.update_status({**claim, "status": {"allocation": allocation, "reservedFor": consumers}})
    for state in ("allocated", "reserved"):
        browser.open(f"{api.page}#/devices?state={state}")
        browser.see("0 of 1 free", ".node")
        look = browser.run("return document.querySelector('.node .square').style.cssText")
        assert "--share: 30%" in look
        assert look.index("--device-reserved") < look.index("50%") < look.index("--device-allocated")
    browser.see("1 in use", ".lead")
    assert "1 reserved" in browser.text(".driver")
    assert "1 allocated" in browser.text(".driver")


def test_the_map_explains_partitions_and_counters(browser: Browser, api: FakeAPI) -> None:
    counters = {"name": "set", "counters": {"memory": {"value": "80Gi"}}}
    taken = [{"counterSet": "set", "counters": {"memory": {"value": "10Gi"}}}]
    devices = new_slice({"name": "part", "consumesCounters": taken})
    shared = new_slice()
    for number, each in enumerate((devices, shared)):
        each["metadata"] = {"name": f"slice-{number}"}
        each["spec"]["pool"] = {**each["spec"]["pool"], "resourceSliceCount": 2}
    shared["spec"] = {**shared["spec"], "sharedCounters": [counters]}
    del shared["spec"]["devices"]
    api.create_all([node("node-1"), devices, shared])
    browser.open(f"{api.page}#/devices")
    browser.see("counter that partitions share", ".legend")
    title = "return document.querySelector('.pool .counter').title"
    assert browser.run(title) == "set memory: 0 of 80Gi used"
