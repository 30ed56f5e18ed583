"""In headless Chromium, a timeline shows only changes that the history has, and marks dry runs."""

from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError
from tests.control import chromium as browsers
from tests.control.browser import Browser
from tests.control.page_objects import ALLOCATION, CLAIM, CONSUMER, DRIVER, new_pod

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

STEPS = "return [...document.querySelectorAll('.step strong')].map((e) => e.textContent)"
TIMELINE = "#/object/-/pods/default/trainer?tab=time"
PATCH = """
    const [path, body] = arguments;
    const headers = {'Content-Type': 'application/merge-patch+json'};
    window.patched = 0;
    fetch(path, {method: 'PATCH', headers, body}).then((answer) => { window.patched = answer.status; });
"""


def create_running_pod(api: FakeAPI) -> dict[str, Any]:
    created = api.create(new_pod("trainer", claim="", node="node-1"))
    return api.update_status({**created, "status": {"phase": "Running"}})


def test_a_timeline_derives_no_changes_from_a_restored_object(browser: Browser, api: FakeAPI) -> None:
    create_running_pod(api)
    api.restore(api.snapshot())
    browser.open(f"{api.page}{TIMELINE}")
    browser.see("history starts here", ".steps-list")
    assert browser.run(STEPS) == ["created", "history starts here"]
    browser.see("The pod was Running on node-1", ".steps-list")
    api.patch("Pod", "trainer", {"metadata": {"labels": {"a": "b"}}})
    browser.wait(
        lambda: browser.run(STEPS) == ["created", "history starts here", "changed"], "the later change"
    )


def test_a_refused_dry_run_is_not_a_refused_write(browser: Browser, api: FakeAPI) -> None:
    api.create(CLAIM)
    path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/gpu?dryRun=All"
    with pytest.raises(StatusError, match="422"):
        api.request("PUT", path, body={**api.get("ResourceClaim", "gpu"), "spec": {}})
    browser.open(f"{api.page}#/object/resource.k8s.io/resourceclaims/default/gpu?tab=time")
    browser.see("dry run of update refused: 422 Invalid", ".steps-list")
    assert "refused write" not in browser.text("main")


def test_a_write_of_the_page_is_by_this_page(browser: Browser, api: FakeAPI) -> None:
    create_running_pod(api)
    browser.open(f"{api.page}{TIMELINE}")
    browser.see("created", ".steps-list")
    path = "/api/v1/namespaces/default/pods/trainer"
    browser.run(PATCH, path, '{"metadata": {"labels": {"a": "b"}}}')
    browser.wait(lambda: browser.run("return window.patched") == 200, "the response")
    browser.see("changed by this page", ".steps-list")
    assert "Mozilla" not in browser.text("main")


def test_a_normal_event_has_another_colour_than_a_warning(browser: Browser, api: FakeAPI) -> None:
    create_running_pod(api)
    reference = {"kind": "Pod", "namespace": "default", "name": "trainer"}
    for name, kind in (("a", "Normal"), ("b", "Warning")):
        event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "type": kind}
        api.create({**event, "involvedObject": reference, "reason": f"Is{kind}", "message": "m"})
    browser.open(f"{api.page}{TIMELINE}")
    browser.see("IsWarning", ".steps-list")
    script = """
        const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
        const box = document.createElement('i');
        document.body.append(box);
        const shown = ['--ink-3', '--device-unhealthy'].map((name) => {
            box.style.background = colour(name);
            return getComputedStyle(box).backgroundColor;
        });
        const dot = (kind) => getComputedStyle(document.querySelector(`.step.${kind}`), '::before');
        return [dot('event').backgroundColor === shown[0], dot('warning').backgroundColor === shown[1]];
    """
    assert browser.run(script) == [True, True]


def test_a_timeline_has_the_phases_of_a_claim_and_its_pod_with_durations(
    browser: Browser, api: FakeAPI
) -> None:
    api.clock.freeze("2090-01-01T00:00:00Z")
    claim = api.create(CLAIM)
    pod = api.create(new_pod("trainer"))
    consumer = {"resource": "pods", "name": "trainer", "uid": pod["metadata"]["uid"]}
    for seconds, status in (
        (5, {"allocation": ALLOCATION}),
        (7, {"allocation": ALLOCATION, "reservedFor": [consumer]}),
    ):
        api.clock.advance(seconds)
        claim = api.update_status({**claim, "status": status})
    api.clock.advance(30)
    api.update_status({**pod, "status": {"phase": "Running"}})
    api.clock.advance(9)
    browser.open(f"{api.page}#/object/resource.k8s.io/resourceclaims/default/gpu?tab=time")
    browser.see("for 9 s", ".phases")
    rows = "return [...document.querySelectorAll('.phases > div')].map((e) => e.textContent)"
    assert browser.run(rows) == [
        "claimpending 5 s→allocated 7 s→reserved 30 s→prepared for 9 s",
        "pod trainerpending 42 s→running for 9 s",
    ]
    browser.see("allocated", ".steps-list")
    api.clock.resume()


BAR = """
    const canvas = document.querySelector('.lanes canvas');
    const ratio = canvas.width / canvas.clientWidth;
    const line = canvas.getContext('2d').getImageData(0, Math.round((26 + 7) * ratio), canvas.width, 1).data;
    const seen = new Set();
    for (let at = 0; at < line.length; at += 4) seen.add([line[at], line[at + 1], line[at + 2]].join(', '));
    const colour = (name) => {
        const box = document.createElement('i');
        document.body.append(box);
        box.style.background = `var(--device-${name})`;
        return getComputedStyle(box).backgroundColor.match(/\\d+/g).join(', ');
    };
    return ['tainted', 'allocated', 'reserved', 'prepared'].map((name) => seen.has(colour(name)));
"""
"""Whether the first lane has bars in the colours of pending, allocated, reserved and prepared."""


def test_the_drawing_of_a_timeline_has_bars_for_the_phases(browser: Browser, api: FakeAPI) -> None:
    api.clock.freeze("2090-01-01T00:00:00Z")
    claim = api.create(CLAIM)
    prepared = [{"driver": DRIVER, "pool": "node-1", "device": "gpu-0"}]
    for status in (
        {"allocation": ALLOCATION},
        {"allocation": ALLOCATION, "reservedFor": [CONSUMER]},
        {"allocation": ALLOCATION, "reservedFor": [CONSUMER], "devices": prepared},
    ):
        api.clock.advance(10)
        claim = api.update_status({**claim, "status": status})
    browser.open(f"{api.page}#/object/resource.k8s.io/resourceclaims/default/gpu?tab=time")
    browser.see("prepared", ".phases")
    browser.wait(lambda: browser.run(BAR) == [True, True, True, True], "the bars")
    api.clock.resume()
