"""In headless Chromium, the live page explains visible rows only, and cancels what nobody sees any more."""

from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.control import chromium as browsers
from tests.control.browser import Browser
from tests.control.explanations import WAIT_SECONDS, EndlessExplanations
from tests.control.page_objects import CLAIM, GROUP, new_pod, node

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

PODS = 39
"""Number of pending pods, each with its own message: more than one window shows."""

READ = """
    const rows = [...document.querySelectorAll('.one-waiting')];
    return rows.map((e) => !e.innerText.includes('Reading the reason'))
"""
VISIBLE = """
    return [...document.querySelectorAll('.one-waiting')].filter((e) => {
        const {top, bottom} = e.querySelector('summary').getBoundingClientRect();
        return bottom > 0 && top < innerHeight;
    }).length
"""
REQUESTED = """
    const names = performance.getEntriesByType('resource').map((e) => e.name);
    return names.filter((name) => name.includes('/explain/')).length
"""


def create_pending_pods(api: FakeAPI, number: int = PODS) -> None:
    for pod in api.create_all([new_pod(f"pod-{n:02}") for n in range(number)]):
        fail(api, pod, f"message of {pod['metadata']['name']}")


def fail(api: FakeAPI, pod: dict[str, Any], message: str) -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    api.update_status({**pod, "status": {"phase": "Pending", "conditions": [condition]}})


def open_pending(browser: Browser, api: FakeAPI) -> int:
    """Opens the view Pending, and waits until the visible rows are explained. Returns their number."""
    browser.open("about:blank")
    browser.open(f"{api.page}#/pending")
    browser.see(f"{PODS} pods are pending")
    browser.wait(lambda: _are_read(browser), "the explanations of the visible rows")
    return int(browser.run(VISIBLE))


def _are_read(browser: Browser) -> bool:
    read, visible = browser.run(READ), browser.run(VISIBLE)
    return bool(visible and all(read[:visible]))


def test_only_visible_rows_are_explained(browser: Browser, api: FakeAPI) -> None:
    create_pending_pods(api)
    visible = open_pending(browser, api)
    assert 3 < visible < PODS - 10
    assert visible <= browser.run(REQUESTED) <= visible + 2
    browser.run("document.querySelectorAll('.one-waiting')[38].scrollIntoView()")
    browser.wait(lambda: browser.run(READ)[-1], "the explanation of the last row")
    assert browser.run(REQUESTED) < PODS


def test_explanations_are_kept_until_their_object_changes(browser: Browser, api: FakeAPI) -> None:
    create_pending_pods(api)
    open_pending(browser, api)
    requested = browser.run(REQUESTED)
    browser.run("location.hash = '#/watches'")
    browser.see("Watches", "main h1")
    browser.run("location.hash = '#/pending'")
    browser.see("message of pod-00")
    browser.wait(lambda: _are_read(browser), "the explanations of the visible rows")
    assert browser.run(REQUESTED) == requested
    fail(api, api.get("Pod", "pod-01"), "another message")
    browser.see("another message")
    browser.wait(lambda: browser.run(REQUESTED) > requested, "the explanation of the changed pod")
    assert browser.run(REQUESTED) == requested + 1


def test_explanations_are_cancelled_when_the_view_is_left(
    browser: Browser, api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    explanations = EndlessExplanations(monkeypatch)
    create_pending_pods(api)
    browser.open("about:blank")
    browser.open(f"{api.page}#/pending")
    started = explanations.started.get(timeout=WAIT_SECONDS)
    browser.run("location.hash = '#/claims'")
    browser.see("There are no claims")
    assert explanations.ended.get(timeout=WAIT_SECONDS) == started


def test_explanations_of_rows_that_scroll_away_are_cancelled(
    browser: Browser, api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    explanations = EndlessExplanations(monkeypatch)
    create_pending_pods(api)
    browser.open("about:blank")
    browser.open(f"{api.page}#/pending")
    assert explanations.started.get(timeout=WAIT_SECONDS) == "pod-00"
    browser.run("document.querySelectorAll('.one-waiting')[38].scrollIntoView()")
    assert explanations.ended.get(timeout=WAIT_SECONDS) == "pod-00"
    while explanations.started.get(timeout=WAIT_SECONDS) < "pod-25":
        pass


def test_an_open_explanation_is_cancelled_when_the_view_is_left(
    browser: Browser, api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    explanations = EndlessExplanations(monkeypatch)
    api.create(new_pod("trainer"))
    browser.open("about:blank")
    browser.open(f"{api.page}#/object/-/pods/default/trainer?tab=why")
    assert explanations.started.get(timeout=WAIT_SECONDS) == "trainer"
    browser.click("YAML")
    assert explanations.ended.get(timeout=WAIT_SECONDS) == "trainer"


def test_the_filter_searches_the_other_explanations_on_request(browser: Browser, api: FakeAPI) -> None:
    create_pending_pods(api)
    open_pending(browser, api)
    browser.fill("#search", "do not exist")
    browser.wait(lambda: "rows are not read yet" in browser.text("main"), "the note about other explanations")
    assert f"The explanations of {PODS - browser.run(REQUESTED)} rows" in browser.text("main")
    browser.click("Read them")
    browser.wait(lambda: browser.run(REQUESTED) == PODS, "all explanations")
    browser.wait(lambda: "are not read yet" not in browser.text("main"), "the end of the reading")


def test_claims_are_explained_only_while_they_are_visible(browser: Browser, api: FakeAPI) -> None:
    api.create_all([{**CLAIM, "metadata": {"name": f"c-{n:03}"}} for n in range(150)])
    browser.open("about:blank")
    browser.open(f"{api.page}#/claims")
    browser.see("150 claims")
    read = """
        const cells = [...document.querySelectorAll('td.grow')];
        return cells.filter((e) => e.innerText != 'no pod uses it').length
    """
    shown = """
        const box = document.querySelector('.table').getBoundingClientRect();
        return [...document.querySelectorAll('td.grow a')].filter((e) => {
            const {top, bottom} = e.getBoundingClientRect();
            return bottom > box.top && top < box.bottom && top < innerHeight;
        }).length
    """
    browser.wait(
        lambda: browser.run(read) >= browser.run(shown) > 0, "the explanations of the visible claims"
    )
    assert browser.run(REQUESTED) <= browser.run(shown) + 2


def test_many_pods_with_the_same_cause_are_one_line_with_one_explanation(
    browser: Browser, api: FakeAPI
) -> None:
    pods = api.create_all([new_pod(f"pod-{n:03}", f"claim-{n:03}") for n in range(120)])
    for number, pod in enumerate(pods):
        fail(api, pod, f"0/{number % 7 + 1} nodes are available: 1 refuses it.")
    fail(api, api.create(new_pod("alone")), "another message")
    browser.open("about:blank")
    browser.open(f"{api.page}#/pending")
    browser.see("120 pods:", ".folded")
    browser.wait(lambda: "Reading the reason" not in browser.text("main"), "the reasons")
    browser.see("does not exist", ".folded summary")
    assert browser.run(REQUESTED) == 2
    rows = "return document.querySelectorAll('.folded .one-waiting').length"
    assert browser.run(rows) == 0
    browser.run("document.querySelector('.folded summary').click()")
    browser.see("pod-011", ".folded")
    assert browser.run(rows) == 12
    browser.click("Show 88 more")
    browser.wait(lambda: browser.run(rows) == 100, "more pods of the group")
    browser.click("Show 20 more")
    browser.wait(lambda: browser.run(rows) == 120, "all pods of the group")
    assert browser.run(REQUESTED) == 2
    browser.fill("#search", "pod-119")
    browser.see("default/pod-119", ".one-waiting")
    assert browser.run("return document.querySelectorAll('.one-waiting').length") == 1
    browser.open("about:blank")
    browser.open(f"{api.page}#/pending/pod/default/pod-119")
    browser.see("default/pod-119", ".folded .one-waiting[aria-current]")


def test_pods_that_only_wait_for_their_kubelets_need_no_explanation(browser: Browser, api: FakeAPI) -> None:
    api.create_all([new_pod(f"pod-{n}", claim="", node="node-1") for n in range(9)])
    browser.open("about:blank")
    browser.open(f"{api.page}#/pending")
    browser.see("9 pods: no kubelet runs for their nodes, so nothing starts them", ".folded")
    browser.fill("#search", "kubelets")
    browser.see("9 pods:", ".folded")
    assert browser.run(REQUESTED) == 0


def test_claims_of_pods_with_the_same_cause_share_one_explanation(browser: Browser, api: FakeAPI) -> None:
    device_class = {"apiVersion": GROUP, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
    names = [f"c-{n:03}" for n in range(9)]
    api.create_all([device_class, node("node-1"), *({**CLAIM, "metadata": {"name": name}} for name in names)])
    api.create_all([new_pod(f"pod-of-{name}", name) for name in names])
    browser.open("about:blank")
    browser.open(f"{api.page}#/claims")
    cells = "return [...document.querySelectorAll('td.grow')].map((e) => e.innerText)"
    browser.see("9 claims", "main table")
    browser.wait(lambda: "reading the reason…" not in browser.run(cells), "the reason of the row")
    browser.click("▸ 9 claims")
    browser.wait(
        lambda: "reading the reason…" not in (shown := browser.run(cells)) and len(shown) == 1 + len(names),
        "the reasons of all claims",
    )
    assert len(set(browser.run(cells))) == 1
    assert browser.run(REQUESTED) == 1


def test_a_namespace_that_waits_for_finalizers_is_among_the_pending_objects(browser: Browser) -> None:
    with FakeAPI(release="1.36", controllers="namespace") as api:
        api.create_namespace("old")
        metadata = {"name": "keep", "namespace": "old", "finalizers": ["example.com/keep"]}
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        api.delete("Namespace", "old")
        api.settle()
        browser.open(f"{api.page}#/pending")
        browser.see("1 namespace is being deleted")
        browser.see("waits for ConfigMap old/keep with finalizer example.com/keep", ".one-waiting .summary")
        browser.see("being deleted for", ".one-waiting")
        browser.see("example.com/keep in 1 resource instances", ".waiting .reason")
        browser.open(f"{api.page}#/pending/namespace/-/old")
        browser.see(
            "remove example.com/keep from metadata.finalizers", ".one-waiting[aria-current] .explained"
        )
        browser.click("Open the namespace")
        browser.see("waits for ConfigMap old/keep", ".explained .answer")
        api.patch("ConfigMap", "keep", {"metadata": {"finalizers": None}}, namespace="old")
        api.settle()
        browser.open(f"{api.page}#/pending")
        browser.see("Nothing is pending")


def test_few_rows_are_all_explained_for_the_filter(browser: Browser, api: FakeAPI) -> None:
    create_pending_pods(api, 30)
    browser.open("about:blank")
    browser.open(f"{api.page}#/pending?search=do+not+exist")
    browser.wait(lambda: browser.run(REQUESTED) == 30, "all explanations")
    browser.open("about:blank")
    browser.open(f"{api.page}#/pending?search=nothing-like-it")
    browser.see("Nothing pending matches")


def test_the_filter_says_that_it_has_not_searched_all_reasons(browser: Browser, api: FakeAPI) -> None:
    create_pending_pods(api)
    browser.open("about:blank")
    browser.open(f"{api.page}#/pending?search=nothing-like-it")
    browser.see("No name or known reason matches")
    browser.see(f"The explanations of {PODS} rows are not read yet: the filter does not search them.")
