"""In headless Chromium, the web page shows the state of the server and reacts to clicks."""

import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError

import pytest

from fakeapi import FakeAPI, StatusError
from fakeapi.clients.control import ControlClient
from tests.control import browser as browsers
from tests.control.browser import Browser

CLAIM = {
    "apiVersion": "resource.k8s.io/v1beta1",
    "kind": "ResourceClaim",
    "metadata": {"name": "gpu"},
    "spec": {"devices": {"requests": [{"name": "a", "deviceClassName": "gpu"}]}},
}
ALLOCATION = {
    "devices": {"results": [{"request": "a", "driver": "d.example.com", "pool": "n", "device": "gpu-0"}]}
}

needs_browser = pytest.mark.skipif(bool(browsers.missing()), reason=browsers.missing() or "never")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsers.browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as server:
        yield server


@needs_browser
@pytest.mark.timeout(300)
def test_objects_are_listed_by_kind_and_new_ones_appear(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/objects/-/namespaces")
    browser.see("kube-system")
    api.create_namespace("appears-by-itself")
    browser.see("appears-by-itself")
    browser.fill("#search", "kube-")
    browser.see("3 shown")


@needs_browser
@pytest.mark.timeout(300)
def test_a_claims_life_stands_on_one_line_and_its_versions_differ(browser: Browser, api: FakeAPI) -> None:
    claim = api.create(CLAIM)
    browser.open(f"{api.page}#/claims")
    browser.see("created", ".life")
    consumer = {"resource": "pods", "name": "trainer", "uid": "1"}
    claim = api.update_status({**claim, "status": {"allocation": ALLOCATION, "reservedFor": [consumer]}})
    browser.see("allocated: n/gpu-0", ".life")
    browser.see("reserved by pods trainer", ".life")
    api.update_status({**claim, "status": {"allocation": ALLOCATION}})
    browser.see("released by pods trainer", ".life")
    browser.click("gpu")
    browser.see("status.reservedFor")
    browser.see("MODIFIED at")


@needs_browser
@pytest.mark.timeout(300)
def test_an_object_is_shown_as_it_was_at_a_version(browser: Browser, api: FakeAPI) -> None:
    created = api.create(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "first"}}
    )
    version = created["metadata"]["resourceVersion"]
    api.create_namespace("other")
    api.update({**created, "data": {"x": "second"}})
    place = f"{api.page}#/object/-/configmaps/default/a"
    for at in (version, str(int(version) + 1)):
        browser.open(f"{place}/{at}")
        browser.see(f"The object at version {at}")
        browser.see(f"ADDED at {version}", "[aria-current=true]")
        assert '"x": "first"' in browser.text("main > div > pre")
    browser.open(f"{place}/1")
    browser.see("The object as it was at version 1 is not kept")
    browser.see('"x": "second"')


@needs_browser
@pytest.mark.timeout(300)
def test_requests_come_with_code_and_actor(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/requests")
    browser.see("The last requests")
    with pytest.raises(Exception, match="404"):
        api.get("Namespace", "nobody")
    browser.see('namespaces "nobody" not found')


@needs_browser
@pytest.mark.timeout(300)
def test_requests_that_come_too_fast_are_sampled_which_is_said(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/requests")
    browser.see("The last requests")

    def burst_is_said() -> bool:
        for _ in range(100):
            api.request("GET", "/api/v1/namespaces")
        return "came too fast and are not shown" in browser.text("main")

    browser.wait(burst_is_said, "the number of requests that are not shown")
    rows = browser.run("return document.querySelector('main tbody').rows.length")
    assert 0 < rows <= 200
    assert "-" not in browser.text("main [role=status]").partition("since")[0]


@needs_browser
@pytest.mark.timeout(300)
def test_a_snapshot_is_taken_and_restored_with_a_click(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/time")
    browser.click("Take a snapshot")
    browser.see("1 snapshot")
    api.create_namespace("goes-again")
    browser.click("Compare with now: base")
    browser.see("added namespaces goes-again")
    browser.click("Restore: base")
    browser.wait(lambda: len(api.list("Namespace")) == 4, "the restored state")


@needs_browser
@pytest.mark.timeout(300)
def test_the_clock_is_frozen_and_advanced_with_a_click(browser: Browser, api: FakeAPI) -> None:
    browser.open(f"{api.page}#/time")
    browser.click("Freeze")
    browser.see("frozen", "#now")
    before = api.clock.now()
    browser.click("Advance")
    browser.wait(lambda: api.clock.now() == before + 60, "the advanced clock")


@needs_browser
@pytest.mark.timeout(300)
def test_a_server_with_a_token_asks_for_it(browser: Browser) -> None:
    with FakeAPI(token="let-me-in") as api:
        browser.open(f"{api.page}#/objects/-/namespaces")
        browser.see("This server asks for its token", "body")
        browser.fill("#token-value", "let-me-in")
        browser.click("Continue")
        browser.see("kube-system")


@needs_browser
@pytest.mark.timeout(300)
def test_ten_thousand_objects_are_shown_by_the_page(browser: Browser, api: FakeAPI) -> None:
    snapshot = api.snapshot()
    api.create_all(
        [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n{n:05}"}} for n in range(10_000)]
    )
    browser.open(f"{api.page}#/objects/-/namespaces")
    browser.see("200 shown, 9,804 more")
    browser.fill("#search", "n09999")
    browser.see("1 shown")
    api.restore(snapshot)


@needs_browser
@pytest.mark.timeout(300)
def test_what_objects_say_stays_text(browser: Browser, api: FakeAPI) -> None:
    text = "<img src=x onerror=document.title='taken'>"
    api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": text}})
    browser.open(f"{api.page}#/object/-/configmaps/default/a")
    browser.see(text)
    assert browser.run("return document.querySelectorAll('img').length") == 0


@needs_browser
@pytest.mark.timeout(300)
def test_every_control_of_the_page_has_a_name(browser: Browser, api: FakeAPI) -> None:
    script = """
        return [...document.querySelectorAll('input, select, textarea, button, a')]
            .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
            .map((e) => e.outerHTML)
    """
    for view in ("objects", "claims", "requests", "watches", "faults", "time"):
        browser.open(f"{api.page}#/{view}")
        browser.wait(lambda: browser.text("main h2"), f"the view {view}")
        assert browser.run(script) == []


@needs_browser
@pytest.mark.timeout(300)
def test_the_keyboard_is_not_lost_when_a_view_is_drawn_anew(browser: Browser, api: FakeAPI) -> None:
    api.faults.conflict("pods", called="mine")
    fault = api.faults.forbidden("list namespaces", called="other")
    browser.open(f"{api.page}#/faults")
    browser.wait(
        lambda: browser.run(
            "const e = [...document.querySelectorAll('button')].find((b) => b.textContent == 'Disarm mine');"
            "if (e) e.focus(); return Boolean(e)"
        ),
        "the button",
    )
    with pytest.raises(StatusError):
        api.list("Namespace")
    browser.wait(lambda: f"other\t1\t{fault.fired}" in browser.text("main table"), "the fault that acted")
    assert browser.run("return document.activeElement.textContent") == "Disarm mine"


def test_the_files_of_the_page_need_no_token_and_everything_else_does() -> None:
    with FakeAPI(token="secret") as api:
        for path in ("ui/", "ui/main.js", "ui/style.css"):
            with urllib.request.urlopen(f"{api.url}/_fakeapi/{path}") as response:
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        for path in ("state", "ui/../state", "ui/%2e%2e/state", "ui/../../state", "uistate"):
            with pytest.raises(HTTPError) as refusal:
                urllib.request.urlopen(f"{api.url}/_fakeapi/{path}")
            refusal.value.close()
            assert refusal.value.code == 401, path


@pytest.mark.parametrize("name", ["none.js", "..%2fpage.py", "page.py", "static"])
def test_a_file_that_the_page_does_not_have_is_not_found(name: str) -> None:
    with FakeAPI() as api, pytest.raises(HTTPError) as refusal:
        urllib.request.urlopen(f"{api.url}/_fakeapi/ui/{name}")
    refusal.value.close()
    assert refusal.value.code == 404


def test_no_file_of_the_page_names_another_host() -> None:
    import fakeapi.control.ui

    for file in (Path(fakeapi.control.ui.__file__).parent / "static").iterdir():
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text, file.name
        assert "https:" not in text, file.name


def test_the_history_of_an_object_has_its_versions_and_its_deletion() -> None:
    with FakeAPI() as api, ControlClient(api.url) as client:
        created = api.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "1"}}
        )
        api.update({**created, "data": {"a": "2"}})
        api.delete("ConfigMap", "a")
        answer = client.get("/history", resource="configmaps", namespace="default", name="a")
    assert [each["change"] for each in answer["versions"]] == ["ADDED", "MODIFIED", "DELETED"]
    assert answer["versions"][0]["object"]["data"] == {"a": "1"}
    assert answer["forgotten"] is False


def test_what_is_older_than_the_history_is_told_as_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.control.handlers.objects.VERSIONS_MAX", 2)
    with FakeAPI() as api, ControlClient(api.url) as client:
        created = api.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "1"}}
        )
        client.post("/compaction")
        query = {"resource": "configmaps", "namespace": "default", "name": "a"}
        answer = client.get("/history", **query)
        assert ([each["change"] for each in answer["versions"]], answer["forgotten"]) == (["STORED"], True)
        for value in ("2", "3"):
            created = api.update({**created, "data": {"a": value}})
        answer = client.get("/history", **query)
    assert [each["object"]["data"]["a"] for each in answer["versions"]] == ["2", "3"]


def test_objects_are_found_by_a_part_of_their_place_and_come_in_pages() -> None:
    with FakeAPI() as api, ControlClient(api.url) as client:
        for name in ("a1", "a2", "b1"):
            api.create_namespace(name)
        first = client.get("/objects", resource="namespaces", search="a", limit=1)
        assert ([each["name"] for each in first["objects"]], first["more"] > 0) == (["a1"], True)
        rest = client.get("/objects", resource="namespaces", search="a", after="a1", limit=1)
        assert [each["name"] for each in rest["objects"]] == ["a2"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/objects?resource=none", "none is not served"),
        ("/objects?resource=none&group=g", "none.g is not served"),
        ("/objects?resource=namespaces&limit=0", "limit: 0 is not from 1 to 500"),
        ("/objects", "resource"),
        ("/history?resource=namespaces&name=none", "does not exist"),
        ("/history?resource=namespaces&name=none&version=v9", "not served"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_line(path: str, message: str) -> None:
    with FakeAPI() as api, ControlClient(api.url) as client:
        with pytest.raises(Exception, match=message) as refusal:
            client.get(path)
        assert "\n" not in str(refusal.value)


def test_a_search_looks_at_so_many_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.control.handlers.objects.SEARCHED_MAX", 2)
    with FakeAPI() as api, ControlClient(api.url) as client:
        answer = client.get("/objects", resource="namespaces", search="kube-system")
    assert (answer["objects"], answer["more"]) == ([], 2)


@needs_browser
@pytest.mark.timeout(300)
def test_a_fault_is_armed_with_a_click_and_a_client_meets_it(browser: Browser, api: FakeAPI) -> None:
    claim = api.create(CLAIM)
    browser.open(f"{api.page}#/faults")
    browser.see("No fault is armed")
    browser.run("document.querySelector('#ready-made').value = 'conflict'")
    browser.fill("#target", "resourceclaims/status")
    browser.fill("#times", "1")
    browser.click("Arm")
    browser.see("1 armed")
    with pytest.raises(StatusError, match="409"):
        api.update_status({**claim, "status": {"allocation": ALLOCATION}})
    api.update_status({**claim, "status": {"allocation": ALLOCATION}})
    fired = "return document.querySelector('tbody td:nth-child(3)').textContent"
    browser.wait(lambda: browser.run(fired) == "1", "the number of times that it acted")
    browser.click("Disarm conflict")
    browser.see("No fault is armed")
