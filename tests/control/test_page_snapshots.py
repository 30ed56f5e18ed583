"""In headless Chromium, the live page asks before it replaces, deletes or restores anything."""

import pytest

from fakeapi import FakeAPI
from tests.control import chromium as browsers
from tests.control.browser import Browser
from tests.control.page_objects import CLAIM, new_pod

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

NAME = "return document.querySelector('#snapshot-name')?.value"


def test_the_proposed_name_of_a_snapshot_is_free(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/clock")
    browser.click("Take a snapshot")
    browser.wait(lambda: browser.run(NAME) == "base-2", "the next name")
    browser.click("Take a snapshot")
    browser.see("2 snapshots")


def test_a_snapshot_is_replaced_and_deleted_only_after_a_question(browser: Browser, api: FakeAPI) -> None:
    api.snapshot("base")
    api.create_namespace("new")
    browser.open(f"{api.page}#/clock")
    browser.see("4 objects")
    browser.fill("#snapshot-name", "base")
    browser.click("Take a snapshot")
    browser.see("Replace base?", "dialog")
    browser.click("Cancel")
    browser.wait(lambda: not browser.text("dialog"), "the closed dialog")
    browser.see("4 objects")
    browser.click("Take a snapshot")
    browser.click("Replace base now")
    browser.see("5 objects")
    browser.click("Delete: base")
    browser.see("Delete the snapshot base?", "dialog")
    browser.see("1 snapshot")
    browser.click("Delete base now")
    browser.see("No snapshot is kept")


def test_the_question_before_a_restore_tells_what_is_lost(browser: Browser, api: FakeAPI) -> None:
    api.snapshot("base")
    api.create_namespace("new")
    browser.open(f"{api.page}#/clock")
    browser.click("Restore: base")
    browser.see("1 object created since the snapshot is deleted", "dialog")
    browser.see("The history of each object is lost", "dialog")
    browser.see("The clock stays as it is", "dialog")
    danger = "return document.querySelector('dialog .danger').ariaLabel"
    assert browser.run(danger) == "Restore base now"


def test_a_comparison_hides_leases_and_events_and_is_read_again_after_a_restore(
    browser: Browser, api: FakeAPI
) -> None:
    api.snapshot("base")
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "heartbeat"}}
    api.create(lease)
    api.create_namespace("new")
    browser.open(f"{api.page}#/clock")
    browser.click("Compare with now: base")
    browser.see("namespaces new")
    assert "heartbeat" not in browser.text("main")
    browser.run("document.querySelector('#noise').click()")
    browser.see("heartbeat")
    last = "return [...document.querySelectorAll('.difference summary')].at(-1).textContent"
    assert "heartbeat" in browser.run(last)
    browser.click("Restore: base")
    browser.click("Restore base now")
    browser.see("No differences.")


def test_the_question_before_a_namespace_is_deleted_counts_its_objects(
    browser: Browser, api: FakeAPI
) -> None:
    api.create_namespace("team")
    for name in ("a", "b"):
        api.create({**new_pod(name), "metadata": {"name": name, "namespace": "team"}})
    api.create({**CLAIM, "metadata": {"name": "gpu", "namespace": "team"}})
    api.create(new_pod("other"))
    browser.open(f"{api.page}#/object/-/namespaces/-/team")
    browser.see("name: team", ".yaml")
    browser.click("Delete")
    browser.see("3 objects in this namespace are deleted with it: 2 Pod, 1 ResourceClaim.", "dialog")
