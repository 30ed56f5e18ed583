"""In a narrow window of headless Chromium, the live page cuts nothing and does not scroll sideways."""

import pytest

from fakeapi import FakeAPI, StatusError
from tests.control import chromium as browsers
from tests.control.chromium import Chromium, as_wide_as
from tests.control.page_objects import ALLOCATION, CLAIM, CONSUMER, GROUP, VIEWS, new_pod, new_slice, node

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

LONG = "a-claim-with-a-very-long-name-for-a-narrow-window"
TRAINER = "a-trainer-with-a-very-long-name-for-a-narrow-window"
SIDEWAYS = "const e = document.querySelector('.table'); return e.scrollWidth > e.clientWidth"
CUT = """
    return [...document.querySelectorAll('tbody tr')].flatMap((row) => {
        const box = row.getBoundingClientRect();
        const cells = [...row.cells].map((e) => [e.innerText, e.getBoundingClientRect()]);
        return cells.filter(([, e]) => e.bottom > box.bottom || e.right > box.right);
    })
"""
"""The cells of a table that are outside their rows."""
SHORTENED = """
    const names = [...document.querySelectorAll('td.name')];
    return names.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)
"""
"""The names in a table that end with an ellipsis."""


def test_no_view_scrolls_sideways_and_tables_name_hidden_columns(browser: Chromium, api: FakeAPI) -> None:
    api.create_all([CLAIM, new_pod(TRAINER), node("node-1"), new_slice({"name": "gpu-0"})])
    with as_wide_as(browser, 400):
        for view in (*VIEWS, f"object/-/pods/default/{TRAINER}"):
            browser.open(f"{api.page}#/{view}")
            browser.wait(lambda: browser.text("main h1, main h2"), f"the view {view}")
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), view
            links = (
                "return [...document.querySelectorAll('nav a')].every((e) => e.offsetLeft + 9 < innerWidth)"
            )
            assert browser.run(links), view
    with as_wide_as(browser, 620):
        browser.open(f"{api.page}#/objects/-/pods")
        browser.click("Wide")
        browser.see("→", ".beyond")


@pytest.mark.parametrize("width", [360, 400])
def test_pods_are_cards_with_their_status_node_and_age(browser: Chromium, api: FakeAPI, width: int) -> None:
    api.create_all([node("node-1"), new_pod("trainer", node="node-1")])
    with as_wide_as(browser, width):
        browser.open(f"{api.page}#/objects/-/pods")
        for text in ("trainer", "0/1", "Pending", "node-1", "default"):
            browser.see(text, "tbody tr")
        assert browser.run("return document.querySelector('td.of-age').textContent").endswith("s")
        assert browser.run(SIDEWAYS) is False
        assert browser.run(CUT) == []


@pytest.mark.parametrize("resource", ["deviceclasses", "resourceslices", "resourceclaims", "nodes"])
def test_objects_are_cards_that_cut_nothing(browser: Chromium, api: FakeAPI, resource: str) -> None:
    device_class = {"apiVersion": GROUP, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
    api.create_all([device_class, CLAIM, node("node-1"), new_slice({"name": "gpu-0"})])
    group = "-" if resource == "nodes" else "resource.k8s.io"
    with as_wide_as(browser, 400):
        browser.open(f"{api.page}#/objects/{group}/{resource}")
        browser.wait(lambda: browser.text("tbody tr"), "a card")
        assert browser.run(SIDEWAYS) is False
        assert browser.run(CUT) == []


def test_a_title_breaks_only_between_words(browser: Chromium, api: FakeAPI) -> None:
    api.create(CLAIM)
    lines = "return document.querySelector('h1 .soft').getClientRects().length"
    with as_wide_as(browser, 400):
        browser.open(f"{api.page}#/object/resource.k8s.io/resourceclaims/default/{CLAIM['metadata']['name']}")
        browser.see("ResourceClaim", "h1")
        assert browser.run(lines) == 1
        browser.open(f"{api.page}#/objects/resource.k8s.io/resourceclaimtemplates")
        browser.see("ResourceClaimTemplate", "h1")
        assert browser.run("return document.querySelector('h1').offsetHeight") < 40


@pytest.mark.parametrize("width", [360, 400, 560])
def test_claims_are_cards(browser: Chromium, api: FakeAPI, width: int) -> None:
    api.create_all([{**CLAIM, "metadata": {"name": LONG}}, {**CLAIM, "metadata": {"name": "used"}}])
    api.update_status(
        {**api.get("ResourceClaim", "used"), "status": {"allocation": ALLOCATION, "reservedFor": [CONSUMER]}}
    )
    pod = api.create(new_pod(TRAINER, LONG))
    reason = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}
    api.update_status({**pod, "status": {"phase": "Pending", "conditions": [reason]}})
    with as_wide_as(browser, width):
        browser.open(f"{api.page}#/claims")
        browser.see("the cluster has no nodes", "main table")
        assert browser.run(SIDEWAYS) is False
        assert "Scroll sideways" not in browser.text("main")
        for text in ("pending", "reserved", "used", "node-1/gpu-0", "default", "trainer"):
            browser.see(text, "main table")
        assert browser.run(CUT) == []
        heights = "return [...document.querySelectorAll('tbody tr')].map((e) => e.offsetHeight)"
        assert set(browser.run(heights)) == {112}
        names = "return [...document.querySelectorAll('tbody td.name')].map((e) => e.textContent)"
        browser.fill(".sort-by select", "Name")
        browser.wait(lambda: browser.run(names) == [LONG, "used"], "the claims in the order of their names")
        browser.click("Ascending: sort in descending order")
        browser.wait(lambda: browser.run(names) == ["used", LONG], "the claims in reverse order")
        assert browser.run("return document.querySelector('.sort-by').offsetHeight") < 40


def test_a_long_reason_of_a_claim_has_up_to_three_lines(browser: Chromium, api: FakeAPI) -> None:
    device_class = {"apiVersion": GROUP, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
    api.create_all([device_class, node("node-1"), new_slice({"name": "gpu-0"}), CLAIM])
    with as_wide_as(browser, 400):
        browser.open(f"{api.page}#/claims")
        browser.see("node node-1 has the devices, but is refused: too many pods", "main table")
        height = "return document.querySelector('td.of-reason').offsetHeight"
        assert browser.run(height) == 38


@pytest.mark.parametrize("width", [360, 400])
def test_requests_are_cards_with_their_objects_and_messages(
    browser: Chromium, api: FakeAPI, width: int
) -> None:
    api.create(CLAIM)
    with pytest.raises(StatusError):
        api.get("ResourceClaim", "missing")
    with as_wide_as(browser, width):
        browser.open(f"{api.page}#/requests?name=missing")
        browser.see("404", "tbody")
        assert browser.run(SIDEWAYS) is False
        assert browser.run(CUT) == []
        for text in ("get", "resourceclaims default/missing", "fakeapi", "not found"):
            browser.see(text, "tbody")
        browser.run("document.querySelector('button.time').click()")
        browser.see("Send it again", "dialog")


def test_watches_and_controllers_are_cards_with_their_numbers(browser: Chromium) -> None:
    with FakeAPI(release="1.36", controllers="scheduler,resourceclaim") as api, as_wide_as(browser, 400):
        api.settle()
        for view, texts in (
            ("watches", ("resourceclaimtemplates", "all", "shared-informers")),
            ("controllers", ("resourceclaim", "idle")),
        ):
            browser.open(f"{api.page}#/{view}")
            for text in texts:
                browser.see(text, "tbody")
            assert browser.run(SIDEWAYS) is False
            assert browser.run(CUT) == []
            assert browser.run(SHORTENED) == []


def test_armed_faults_are_cards_with_their_effects(browser: Chromium, api: FakeAPI) -> None:
    api.faults.conflict("resourceclaims/status", times=2)
    api.faults.throttle("list pods", retry_after=5)
    with as_wide_as(browser, 400):
        browser.open(f"{api.page}#/faults")
        for text in ("resourceclaims/status", "refused with 429", "the first 2 times", "Disarm"):
            browser.see(text, "tbody")
        assert browser.run(SIDEWAYS) is False
        assert browser.run(CUT) == []


def test_a_narrow_window_scrolls_only_the_page(browser: Chromium, api: FakeAPI) -> None:
    for number in range(150):
        request = {"name": "a", "exactly": {"deviceClassName": f"gpu-{number}"}}
        spec = {"devices": {"requests": [request]}}
        api.create({**CLAIM, "metadata": {"name": f"c-{number:03}"}, "spec": spec})
    with as_wide_as(browser, 400):
        browser.open(f"{api.page}#/claims")
        browser.see("c-000", "main table")
        assert "c-149" not in browser.text("main table")
        inner = "const e = document.querySelector('.table'); return e.scrollHeight > e.clientHeight + 1"
        assert browser.run(inner) is False
        browser.run("scrollTo(0, document.documentElement.scrollHeight)")
        browser.see("c-149", "main table")


def test_the_first_requests_are_on_the_first_screen(browser: Chromium, api: FakeAPI) -> None:
    api.create(CLAIM)
    with as_wide_as(browser, 400):
        browser.open(f"{api.page}#/requests?resource=resourceclaims")
        browser.see("create", "tbody")
        top = "return document.querySelector('tbody tr').getBoundingClientRect().top"
        assert browser.run(top) < 450
        browser.click("More filters (1 set)")
        browser.fill("#agent", "nobody")
        browser.see("No request matches")
        browser.see("Fewer filters (2 set)")


def test_the_lines_of_the_editor_are_beside_their_numbers(browser: Chromium, api: FakeAPI) -> None:
    api.create({**CLAIM, "metadata": {"name": "gpu", "annotations": {"note": "long " * 50}}})
    with as_wide_as(browser, 400):
        browser.open(f"{api.page}#/object/resource.k8s.io/resourceclaims/default/gpu?tab=yaml")
        browser.click("Edit")
        area = """
            const e = document.querySelector('dialog textarea');
            return e ? [e.scrollWidth > e.clientWidth, e.scrollHeight > e.clientHeight] : []
        """
        browser.wait(lambda: browser.run(area), "the editor")
        assert browser.run(area) == [True, False]
