"""In headless Chromium, the editor of the live page helps to write objects, and links to them afterwards."""

import pytest

from fakeapi import FakeAPI
from tests.control import chromium as browsers
from tests.control.browser import Browser
from tests.control.page_objects import CLAIM, new_pod

pytestmark = [
    pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never"),
    pytest.mark.timeout(300),
]

TEXT = "return document.querySelector('dialog textarea')?.value ?? ''"


def open_editor(browser: Browser, api: FakeAPI, place: str, text: str) -> None:
    """Opens the editor with a new object. `text`: a part of its template."""
    browser.open("about:blank")
    browser.open(f"{api.page}#/objects/{place}")
    browser.click("Create")
    browser.wait(lambda: text in browser.run(TEXT), "the template")


def test_a_written_object_has_a_link(browser: Browser, api: FakeAPI) -> None:
    open_editor(browser, api, "-/configmaps", "name: example")
    browser.click("Check with a dry run")
    browser.see("The server accepts this", "dialog")
    browser.run("[...document.querySelectorAll('dialog button.main')].at(-1).click()")
    browser.see("Created ConfigMap default/example")
    browser.click("ConfigMap default/example")
    browser.see("key: value", ".yaml")


def test_an_unknown_field_has_the_number_of_its_line(browser: Browser, api: FakeAPI) -> None:
    open_editor(browser, api, "-/configmaps", "name: example")
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labelled: {}\n"
    browser.fill("dialog textarea", text)
    browser.click("Check with a dry run")
    browser.see("Line 5", "dialog .problem li")
    browser.click("Server-side apply")
    browser.click("Check with a dry run")
    browser.see("Line 5", "dialog .problem li")
    assert browser.run("return document.querySelectorAll('.gutter .bad').length") == 1


def test_the_template_of_a_pod_names_an_existing_claim_of_the_namespace(
    browser: Browser, api: FakeAPI
) -> None:
    api.create_namespace("team")
    open_editor(browser, api, "-/pods?namespace=team", "namespace: team")
    assert "resourceClaimName" not in browser.run(TEXT)
    api.create({**CLAIM, "metadata": {"name": "mine", "namespace": "team"}})
    api.create(CLAIM)
    open_editor(browser, api, "-/pods?namespace=team", "resourceClaimName: mine")


def test_a_new_line_is_indented(browser: Browser, api: FakeAPI) -> None:
    open_editor(browser, api, "-/configmaps", "name: example")
    script = """
        const area = document.querySelector('dialog textarea');
        area.focus();
        area.setSelectionRange(area.value.length - 1, area.value.length - 1);
        for (const text of arguments) {
            area.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}));
            document.execCommand('insertText', false, text);
        }
    """
    browser.run(script, "other: x", "more:", "- a: 1", "b: 2")
    assert browser.run(TEXT).endswith("  key: value\n  other: x\n  more:\n    - a: 1\n      b: 2\n")


def test_the_editor_opens_at_its_top(browser: Browser, api: FakeAPI) -> None:
    data = {f"key-{number}": "value" for number in range(150)}
    api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "long"}, "data": data})
    browser.open(f"{api.page}#/object/-/configmaps/default/long")
    browser.click("Edit")
    browser.wait(lambda: "key-149" in browser.run(TEXT), "the editor")
    tops = "return ['.editor', 'dialog', '.panel-body'].map((e) => document.querySelector(e).scrollTop)"
    browser.wait(lambda: browser.run(tops) == [0, 0, 0], "the first line")


def test_a_pod_with_a_scheduling_gate_is_marked_and_sorted_as_waiting(browser: Browser, api: FakeAPI) -> None:
    api.create(new_pod("b"))
    gated = new_pod("a")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/review"}]
    api.create(gated)
    running = api.create(new_pod("c"))
    api.update_status({**running, "status": {"phase": "Running"}})
    browser.open(f"{api.page}#/objects/-/pods")
    browser.see("SchedulingGated", "main .status.warn")
    browser.click("Status")
    names = "return [...document.querySelectorAll('tbody td.name')].map((e) => e.textContent)"
    browser.wait(lambda: browser.run(names) == ["b", "a", "c"], "the waiting pods first")


def test_the_row_of_pending_that_was_open_is_open_after_going_back(browser: Browser, api: FakeAPI) -> None:
    api.create_all([new_pod("a"), new_pod("b")])
    browser.open(f"{api.page}#/pending")
    browser.see("default/b")
    script = """
        const rows = [...document.querySelectorAll('.one-waiting')];
        rows.find((row) => row.textContent.includes('default/b')).querySelector('summary').click();
    """
    browser.run(script)
    browser.click("Open the pod")
    browser.see("Pod b", "main h1")
    browser.run("history.back()")
    browser.see("default/b", ".one-waiting[open]")
