"""In headless Chromium, each control of the live page has a name, and axe-core finds nothing serious."""

import pytest

from fakeapi import FakeAPI, StatusError
from tests.control import axe
from tests.control import chromium as browsers
from tests.control.chromium import Chromium
from tests.control.page_objects import ALLOCATION, CLAIM, CONSUMER, VIEWS, new_pod, new_slice, node

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

CLAIM_PAGE = "object/resource.k8s.io/resourceclaims/default/gpu"
PLACES = (
    *VIEWS,
    "object/-/pods/default/trainer",
    "object/-/pods/default/trainer?tab=time",
    *(f"{CLAIM_PAGE}?tab={tab}" for tab in ("history", "why")),
)
PANELS = {
    "devices": ".pool",
    "requests": "button.time",
    CLAIM_PAGE: ".actions button:nth-last-of-type(2)",
}
"""For each view with a panel, a CSS selector of the element that opens the panel."""

NAMELESS = """
    return [...document.querySelectorAll('input, select, textarea, button, a')]
        .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
        .map((e) => e.outerHTML)
"""


@pytest.fixture
def api(api: FakeAPI) -> FakeAPI:
    waiting = {**CLAIM, "metadata": {"name": "waiting"}}
    api.create_all([node("node-1"), new_pod("trainer"), new_slice({"name": "gpu-0"}), waiting])
    status = {"allocation": ALLOCATION, "reservedFor": [CONSUMER]}
    api.update_status({**api.create(CLAIM), "status": status})
    api.faults.conflict("pods")
    with pytest.raises(StatusError):
        api.get("ConfigMap", "missing")
    return api


def skip_without(source: str) -> None:
    if not source:
        pytest.skip("axe-core is not installed")


def open_panel(browser: Chromium, opener: str) -> None:
    """Waits for the element that opens a panel, and clicks it. `opener`: the CSS selector of the element."""
    click = f"const e = document.querySelector({opener!r}); if (e) e.click(); return Boolean(e)"
    browser.wait(lambda: browser.run(click), opener)
    browser.wait(lambda: browser.text("dialog .panel-body"), f"the panel of {opener}")


def check(browser: Chromium, source: str, where: str) -> None:
    assert browser.run(NAMELESS) == [], where
    if source:
        assert axe.serious(browser, source) == [], where


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_view_is_accessible(browser: Chromium, api: FakeAPI, theme: str) -> None:
    source = axe.source()
    for place in PLACES:
        browser.open(f"{api.page}#/{place}")
        browser.run(f"document.documentElement.dataset.theme = '{theme}'")
        browser.wait(lambda: browser.text("main h1, main h2"), f"the view {place}")
        check(browser, source, place)
    skip_without(source)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_panel_is_accessible(browser: Chromium, api: FakeAPI, theme: str) -> None:
    source = axe.source()
    for place, opener in PANELS.items():
        browser.open("about:blank")
        browser.open(f"{api.page}#/{place}")
        browser.run(f"document.documentElement.dataset.theme = '{theme}'")
        open_panel(browser, opener)
        check(browser, source, f"the panel of {place}")
    skip_without(source)


def test_cards_are_accessible(browser: Chromium, api: FakeAPI) -> None:
    source = axe.source()
    size = {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.command("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.open("about:blank")
        for place in ("claims", "requests"):
            browser.open(f"{api.page}#/{place}")
            browser.wait(lambda: browser.text(".cards td"), f"the cards of {place}")
            check(browser, source, place)
    finally:
        browser.command("Emulation.clearDeviceMetricsOverride", {})
    skip_without(source)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_notes_and_counts_are_accessible(browser: Chromium, theme: str) -> None:
    with FakeAPI(release="1.36") as api:
        condition = {"type": "Ready", "status": "Unknown", "message": "silent"}
        api.update_status({**api.create(node("node-1")), "status": {"conditions": [condition]}})
        api.create(new_pod("trainer", node="node-1"))
        api.create_all([{**CLAIM, "metadata": {"name": f"c-{number}"}} for number in range(3)])
        for view, text in (("pending", "1 pod on nodes that are not ready"), ("claims", "c-2")):
            browser.open(f"{api.page}#/{view}")
            browser.run(f"document.documentElement.dataset.theme = '{theme}'")
            browser.see(text)
            check(browser, axe.source(), view)
    skip_without(axe.source())
