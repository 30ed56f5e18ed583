"""In headless Chromium, the page folds long texts, counts what it shows, and uses one word for each thing."""

from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient
from tests.control import chromium as browsers
from tests.control.chromium import Chromium, as_wide_as
from tests.control.page_objects import ALLOCATION, CLAIM, GROUP, new_pod
from tests.control.troubled_objects import workload

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

SHOW = """
    const modules = ['explained', 'preact'].map((name) => import(`./${name}.js`));
    return Promise.all(modules).then(([page, preact]) => {
        const box = document.querySelector('main').appendChild(document.createElement('div'));
        box.id = 'shown';
        preact.render(preact.html`<${page.Explained} value=${arguments[0]} />`, box);
    })
"""
"""Shows an explanation in the page."""


def test_long_reasons_and_notes_are_folded(browser: Chromium, api: FakeAPI) -> None:
    facts = [f"node n-{number} has the taint node.kubernetes.io/unreachable:NoExecute" for number in range(9)]
    notes = ["a note that is long " * 10, "another note"]
    reason = {"code": "NodeTaint", "text": "9 nodes are refused", "details": facts}
    browser.open(f"{api.page}#/faults")
    browser.see("No fault is armed")
    browser.run(SHOW, {"verdict": "pending", "summary": "s", "reasons": [reason], "notes": notes})
    browser.see("5 more lines", "#shown")
    browser.see("2 notes: a note that is long", "#shown")
    shown = browser.text("#shown")
    assert ("n-3" in shown, "n-4" in shown, "another note" in shown) == (True, False, False)


def test_the_navigation_counts_the_objects_that_the_view_pending_shows(
    browser: Chromium, api: FakeAPI
) -> None:
    for name in ("a", "b"):
        api.create({**CLAIM, "metadata": {"name": name, "finalizers": ["example.com/keep"]}})
        api.delete("ResourceClaim", name)
    api.create_namespace("old")
    api.delete("Namespace", "old")
    api.create(new_pod("train"))
    text = "1 pod is pending, 2 claims are being deleted, 1 namespace is being deleted"
    browser.open(f"{api.page}#/devices")
    browser.see(text, "nav")
    browser.click(f"{text}: why?")
    browser.see(text, ".lead")
    rows = "return document.querySelectorAll('.one-waiting').length"
    browser.wait(lambda: browser.run(rows) == 4, "four rows")
    assert browser.text("nav .count") == "4"


def test_a_quota_that_refuses_pods_is_one_sentence(browser: Chromium) -> None:
    with FakeAPI(release="1.36", controllers="deployment,replicaset,resourcequota") as api:
        spec = {"hard": {"requests.cpu": "2"}}
        api.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": spec})
        api.settle()
        deployment = workload("Deployment", "web", replicas=3)
        container = {"name": "a", "image": "a", "resources": {"requests": {"cpu": "1500m"}}}
        deployment["spec"]["template"] = {
            **deployment["spec"]["template"],
            "spec": {"containers": [container]},
        }
        api.create(deployment)
        api.settle()
        browser.open(f"{api.page}#/pending")
        sentence = (
            "2 of 3 pods are missing: ResourceQuota few allows requests.cpu 2, 1500m is used, "
            "and a pod needs 1500m"
        )
        browser.see(sentence)
        assert "is forbidden" not in browser.text("main")
        browser.run("[...document.querySelectorAll('.one-waiting summary')].at(-1).click()")
        browser.see("The API server says: pods ")


def test_the_failures_of_a_driver_are_counted_by_controllers(browser: Chromium) -> None:
    with FakeAPI(release="1.36", drivers={"gpu.example.com": 1}) as api, ControlClient(api.url) as client:
        pytest.importorskip("cel_expr_python", reason="allocation takes the extra cel")
        api.driver("gpu.example.com").prepare(error="out of smoke")
        request = {"name": "a", "exactly": {"deviceClassName": "gpu.example.com"}}
        api.create({**CLAIM, "spec": {"devices": {"requests": [request]}}})
        api.create(new_pod("train"))
        api.settle()
        kubelet = next(
            each for each in client.get("/controllers")["controllers"] if each["name"] == "kubelet"
        )
        assert kubelet["failed"] > 0
        assert kubelet["lastError"].startswith("default/train on node node: ")
        browser.open(f"{api.page}#/controllers")
        browser.see("1 of them with errors", ".lead")
        browser.see("the last: prepare default/gpu on node node: out of smoke", ".drivers-card")


def test_pods_on_nodes_without_a_kubelet_say_how_to_start_one(browser: Chromium, api: FakeAPI) -> None:
    api.create_all([new_pod(f"pod-{n}", claim="", node="node-1") for n in range(9)])
    browser.open(f"{api.page}#/pending")
    browser.see("9 pods: no kubelet runs for their nodes, so nothing starts them", ".folded")
    browser.run("document.querySelector('.folded > summary').click()")
    browser.see("fakeapi serve --controllers all --nodes node-1", ".folded")


def test_each_table_names_the_order_of_its_rows(browser: Chromium, api: FakeAPI) -> None:
    api.create(CLAIM)
    api.faults.conflict("resourceclaims")
    expected = {"claims": "pending first, then by name", "requests": "newest first", "faults": "oldest first"}
    with as_wide_as(browser, 400):
        for view, order in expected.items():
            browser.open(f"{api.page}#/{view}")
            browser.see(order, ".sort-by")


def test_only_the_panel_scrolls_while_a_panel_is_open(browser: Chromium, api: FakeAPI) -> None:
    api.create(CLAIM)
    browser.open(f"{api.page}#/requests")
    browser.see("create", "tbody")
    browser.run("document.querySelector('button.time').click()")
    browser.see("Send it again", "dialog")
    overflow = "return getComputedStyle(document.documentElement).overflowY"
    assert browser.run(overflow) == "hidden"
    browser.click("Close")
    browser.wait(lambda: browser.run(overflow) != "hidden", "the scroll bar of the page")


def test_the_state_of_a_deleted_claim_has_the_same_words_everywhere(browser: Chromium, api: FakeAPI) -> None:
    api.create({**CLAIM, "metadata": {"name": "gpu", "finalizers": ["example.com/keep"]}})
    api.delete("ResourceClaim", "gpu")
    browser.open(f"{api.page}#/claims")
    browser.see("being deleted", "tbody")
    browser.open(f"{api.page}#/object/resource.k8s.io/resourceclaims/default/gpu?tab=time")
    browser.see("being deleted", ".heading")
    browser.see("being deleted", ".phases")


def test_requests_and_watches_name_the_user_agent(browser: Chromium) -> None:
    with FakeAPI(release="1.36", controllers="resourceclaim") as api:
        api.settle()
        for view in ("requests", "watches"):
            browser.open(f"{api.page}#/{view}")
            browser.see("User agent", "thead")


def test_a_watch_shows_its_selector(browser: Chromium, api: FakeAPI) -> None:
    query = urlencode({"watch": "true", "fieldSelector": "spec.nodeName=node-1"})
    with urlopen(f"{api.url}/apis/{GROUP}/resourceslices?{query}"):
        browser.open(f"{api.page}#/watches")
        browser.see("spec.nodeName=node-1", "tbody")
        with as_wide_as(browser, 400):
            browser.open(f"{api.page}#/watches")
            browser.see("spec.nodeName=node-1", "tbody")


def test_many_claims_with_the_same_reason_are_one_row_that_opens(browser: Chromium, api: FakeAPI) -> None:
    api.create_all([{**CLAIM, "metadata": {"name": f"c-{number}"}} for number in range(7)])
    browser.open(f"{api.page}#/claims")
    browser.see("7 claims, pending first", ".lead")
    browser.click("▸ 7 claims")
    browser.see("c-6", "main table")
    assert browser.run("return document.querySelectorAll('tbody tr').length") == 8
    browser.click("▾ 7 claims")
    browser.wait(lambda: "c-6" not in browser.text("main table"), "a single row")


def test_the_lead_of_the_claims_counts_the_claims_that_are_shown(browser: Chromium, api: FakeAPI) -> None:
    api.create_all([{**CLAIM, "metadata": {"name": f"c-{number:04}"}} for number in range(1_100)])
    for number in range(1_050):
        name = f"c-{number:04}"
        api.update_status({**api.get("ResourceClaim", name), "status": {"allocation": ALLOCATION}})
    browser.open(f"{api.page}#/claims")
    browser.see("1,100 claims, pending first; 1,049 of 1,100 shown", ".lead")
    browser.click("Show 51 more")
    browser.wait(lambda: "shown" not in browser.text(".lead"), "all claims")


def test_a_narrow_table_of_pods_shows_their_status_before_their_namespaces(
    browser: Chromium, api: FakeAPI
) -> None:
    api.create(new_pod("a-pod-with-a-long-name"))
    heads = "return [...document.querySelectorAll('thead th')].map((e) => e.textContent)"
    for width, first, last in ((1400, "Namespace", "Age"), (400, "Name", "Namespace")):
        with as_wide_as(browser, width):
            browser.open(f"{api.page}#/objects/-/pods")
            browser.see("a-pod-with-a-long-name", "tbody")
            names = browser.run(heads)
            assert (names[0], names[-1]) == (first, last)
