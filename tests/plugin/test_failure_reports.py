"""The report of a failed test shows what its servers know about the failure."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fakeapi.testing import failure_page, failure_report
from tests.plugin.projects import project, write

__all__ = ["project"]

CODE = """
    from fakeapi.testing.client import Client
    from fakeapi.testing.objects import *

    @pytest.fixture
    def driver(fakeapi):
        client = Client(fakeapi.url)
        client._connected._headers["User-Agent"] = "driver/v1"
        yield client
        client.close()
"""


def report_of(project: pytest.Pytester, test: str, *options: str, failed: int = 1) -> str:
    """Returns the output of pytest for one failing test."""
    write(project, CODE + test)
    result = project.runpytest_subprocess(*options)
    result.assert_outcomes(failed=failed)
    return result.stdout.str()


def test_a_conflict_in_the_code_under_test_comes_first(project: pytest.Pytester) -> None:
    output = report_of(
        project,
        """
    def test_saves(fakeapi, driver):
        fakeapi.create(claim("gpu"))
        fakeapi.faults.conflict("resourceclaims", times=1)
        driver.update(driver.get("ResourceClaim", "gpu"))
    """,
    )
    section = output.partition("- fakeapi requests by the code under test -")[2]
    first = section.splitlines()[2]
    assert re.match(r"#3 .*update  resourceclaims default/gpu  409 Conflict .* fault: conflict$", first)
    assert "      Operation cannot be fulfilled" in section
    assert "(1 request of the test itself: api.requests.text() shows them too)" in section
    assert "    conflict: fired 1 time; 1 request matched update,patch,delete resourceclaims" in section
    assert re.search(r"live page: http://127\.0\.0\.1:\d+/_fakeapi/ui/ \(pytest --pdb keeps", section)
    assert "StatusError: update resourceclaims default/gpu was refused: 409 Conflict" in output


def test_a_pod_that_stays_pending_is_explained(project: pytest.Pytester) -> None:
    output = report_of(
        project,
        """
    @pytest.mark.fakeapi(controllers=["scheduler"])
    def test_runs(fakeapi):
        fakeapi.ready_node("a")
        fakeapi.create_all([claim("gpu"), pod("train", claims=["gpu"])])
        fakeapi.wait_for("Pod", "train", until=".status.phase=Running", within=0.5)
    """,
    )
    assert "WaitTimeout: Pod default/train: waited 0.5 s for .status.phase = Running" in output
    assert "pod default/train pending: " in output
    assert "class gpu.example.com does not exist" in output
    assert "FailedScheduling Pod default/train" in output


def test_a_fault_that_never_fired_is_listed(project: pytest.Pytester) -> None:
    output = report_of(
        project,
        """
    def test_retries(fakeapi, driver):
        fakeapi.faults.lose_reply("create pods")
        driver.create(claim("gpu"))
        fakeapi.requests.verify("create resourceclaims", times=2)
    """,
    )
    assert "    lose_reply: never fired; 0 requests matched create pods" in output
    assert "expected exactly 2 of create resourceclaims; there were 1" in output


def test_a_wrong_kind_is_named_without_frames_of_the_library(project: pytest.Pytester) -> None:
    output = report_of(
        project,
        """
    def test_reads(fakeapi):
        fakeapi.get("ResourceClam", "gpu")
    """,
    )
    assert "ValueError: the server has no kind 'ResourceClam'; did you mean ResourceClaim?" in output
    assert "fakeapi/testing" not in output


def test_an_invalid_manifest_is_one_error_without_frames_of_the_library(project: pytest.Pytester) -> None:
    project.makefile(".yaml", claim="kind: A\nmetadata: {name: [}")
    output = report_of(
        project,
        """
    def test_creates(fakeapi):
        fakeapi.create("claim.yaml")

    def test_creates_a_file_that_does_not_exist(fakeapi):
        fakeapi.create("nope.yaml")

    def test_creates_text(fakeapi):
        fakeapi.create("{kind: A, metadata: [}")
    """,
        failed=3,
    )
    assert "DocumentError: claim.yaml: not YAML: " in output
    assert "DocumentError: not YAML: " in output
    assert f"FileNotFoundError: [Errno 2] No such file or directory: '{project.path}/nope.yaml'" in output
    assert "During handling" not in output
    assert "direct cause" not in output
    assert not re.search(r"fakeapi/(testing|machinery|inputfile)", output)


def test_a_server_of_a_wider_scope_is_reported_too(project: pytest.Pytester) -> None:
    output = report_of(
        project,
        """
    def test_fails(fakeapi_session):
        fakeapi_session.create(claim("gpu"))
        assert False
    """,
    )
    assert "create  resourceclaims default/gpu" in output


def test_the_report_as_a_page_has_requests_and_histories(project: pytest.Pytester) -> None:
    output = report_of(
        project,
        """
    def test_saves(fakeapi, driver):
        gpu = claim("gpu")
        gpu["metadata"]["annotations"] = {"a": "<b>"}
        stored = fakeapi.create(gpu)
        stored["metadata"]["annotations"]["a"] = "c"
        driver.update(stored)
        driver.delete("Pod", "missing")
    """,
        "--fakeapi-report=reports",
    )
    page = project.path / "reports" / "test_it.py-test_saves.html"
    assert f"The page of this test is {page}" in output
    text = page.read_text(encoding="utf-8")
    Balanced().feed(text)
    assert "http://" not in text.replace("http://127.0.0.1", "")
    assert "404 NotFound" in text
    assert "metadata.annotations.a: &quot;&lt;b&gt;&quot; -&gt; &quot;c&quot;" in text
    assert "<details><summary>resourceclaims default/gpu: 2 versions</summary>" in text


class Balanced(HTMLParser):
    """Raises AssertionError for a page with tags that are not closed in order, or with foreign files."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {"src", "href"} & dict(attrs).keys()
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_report_is_bounded(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from fakeapi import FakeAPI
    from fakeapi.testing.objects import pod

    for module, name in (
        (failure_report, "REQUESTS_SHOWN"),
        (failure_report, "EVENTS_SHOWN"),
        (failure_report, "WAITING_SHOWN"),
        (failure_report, "WHY_LINES"),
        (failure_page, "REQUESTS_MAX"),
        (failure_page, "OBJECTS_MAX"),
    ):
        monkeypatch.setattr(module, name, 2)
    with FakeAPI() as api:
        for number in range(3):
            event = {"metadata": {"name": f"e{number}", "namespace": "default"}, "message": "no luck"}
            about = {"kind": "Pod", "name": "p", "namespace": "default"}
            api.create({"apiVersion": "v1", "kind": "Event", **event, "involvedObject": about})
            api.create(pod(f"p{number}", claims=[f"c{number}"]))
        (_, requests), (_, state) = failure_report.sections([api])
        assert requests.splitlines()[0] == "(4 earlier requests)"
        assert state.count("no luck") == 2
        assert "and 1 more" in state
        page = failure_page.write_page(tmp_path, "a/b::c[d]", "failed", [api])
        assert page.name == "a-b-c-d.html"
        text = page.read_text(encoding="utf-8")
        assert text.count("<details>") == 2
        assert "(without 4 earlier ones)" in text
