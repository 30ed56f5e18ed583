"""In headless Firefox, the views of the live page work as in Chromium, and write no errors to the console."""

from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.control import firefox as browsers
from tests.control.firefox import Firefox
from tests.control.page_objects import ALLOCATION, CLAIM, CONSUMER, VIEWS, new_pod, new_slice, node

CLAIM_PAGE = "object/resource.k8s.io/resourceclaims/default/gpu"
WIDTHS = (400, 1400)

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]


@pytest.fixture
def api(api: FakeAPI) -> FakeAPI:
    claim = api.create(CLAIM)
    api.create_all([node("node-1"), new_slice({"name": "gpu-0"}, {"name": "gpu-1"}), new_pod("trainer")])
    status: dict[str, Any] = {"allocation": ALLOCATION, "reservedFor": [CONSUMER]}
    api.update_status({**claim, "status": status})
    return api


def test_firefox_shows_every_view_without_errors_and_without_scrolling_sideways(
    browser: Firefox, api: FakeAPI
) -> None:
    tabs = [f"{CLAIM_PAGE}?tab={tab}" for tab in ("yaml", "history", "time", "why")]
    for view in (*VIEWS, *tabs, "objects/-/pods"):
        for width in WIDTHS:
            browser.resize(width, 900)
            browser.open("about:blank")
            browser.open(f"{api.page}#/{view}")
            browser.wait(lambda: browser.text("main h1"), f"the view {view}")
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), (view, width)
    assert browser.errors == []


def test_firefox_follows_the_keys_opens_a_pool_and_sorts_and_edits(browser: Firefox, api: FakeAPI) -> None:
    browser.resize(1400, 900)
    browser.open(f"{api.page}#/devices")
    browser.see("1 of 2 free", ".pool")
    browser.run("document.querySelector('.pool').click()")
    browser.see("default/gpu \N{RIGHTWARDS ARROW} trainer", "dialog")
    browser.click("Close")
    browser.press("g", "c")
    browser.see("node-1/gpu-0", "main table")
    browser.click("Name")
    browser.see("Name", "th[aria-sort=ascending]")
    browser.open(f"{api.page}#/{CLAIM_PAGE}?tab=time")
    browser.see("reserved for pod trainer", ".steps-list")
    browser.click("Edit")
    focus = "return document.activeElement.tagName"
    browser.wait(lambda: browser.run(focus) == "TEXTAREA", "the focus in the editor")
    browser.click("Check with a dry run")
    browser.see("The server accepts this", "dialog")
    assert browser.errors == []
