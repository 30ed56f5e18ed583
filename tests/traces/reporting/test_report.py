"""Reports of a replay as text, JSON, JUnit XML, and an HTML page with a time line."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import fakeapi
from fakeapi.traces.comparing.differences import Difference, DifferenceKind
from fakeapi.traces.comparing.reasons import Explanation, Reason
from fakeapi.traces.model import Exchange
from fakeapi.traces.reporting.junit import junit
from fakeapi.traces.reporting.report import Report
from fakeapi.traces.reporting.results import DIVERGENCES_MAX, Divergence, Mark, Outcome
from fakeapi.traces.reporting.text import summary, text
from fakeapi.traces.reporting.timeline import page
from tests.control import chromium
from tests.traces.sessions import changed, method, record, with_answer

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
BROWSER_SECONDS = 60


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Returns the report of a replay with divergences, in which client names have special characters."""
    folder = tmp_path_factory.mktemp("report")

    def odd(exchange: Exchange) -> Exchange:
        exchange = replace(exchange, actor=f"{exchange.actor} </script><b>&")
        if method(exchange) == "PATCH":
            return with_answer(exchange, lambda value: value["metadata"].update(labels={"x": "</script>"}))
        return exchange

    return fakeapi.replay(changed(record(folder / "a.jsonl"), folder / "b.jsonl", odd), marks=True)


EXPLANATION = Explanation(Reason.FOREIGN, "version 7")


def divergence(place: int, explanation: Explanation | None = None) -> Divergence:
    difference = Difference(DifferenceKind.VALUE, "spec.x\x00", '"a"', '"\x1b"')
    return Divergence(
        place, place, place / 10, "me", "GET /x", "f:1", "200", "200", (difference,), "get x", explanation
    )


def report(*divergences: Divergence, strict: bool = False) -> Report:
    own_report = Report("t.jsonl", "1.31", "http://x", "recorded", strict)
    for each in divergences:
        own_report.add(each)
    own_report.finish()
    return own_report


def test_the_first_divergence_is_told_with_its_context(found: Report) -> None:
    told = text(found)
    lines = told.splitlines()
    begin = lines.index("First divergence:")
    assert "PATCH /apis/resource.k8s.io/" in lines[begin + 2]
    assert 'metadata.labels: field missing: recorded {"x":"</script>"}, now nothing' in told
    assert "before that:" in told
    assert lines[-1] == "3 divergences have no explanation."


def test_the_kinds_of_difference_are_counted(found: Report) -> None:
    assert found.kinds == {"field missing": 3}
    assert "3  field missing" in text(found)


def test_the_report_as_json_says_the_same_every_time_and_nothing_of_the_clock(found: Report) -> None:
    value = found.to_dict()
    assert json.loads(json.dumps(value)) == value
    assert value["first"]["context"]
    assert not value["ok"]
    assert "seconds" not in value


def test_a_reason_makes_a_divergence_acceptable_unless_strict() -> None:
    assert report(divergence(1, EXPLANATION)).ok
    assert not report(divergence(1, EXPLANATION), strict=True).ok
    assert not report(divergence(1, EXPLANATION), divergence(2)).ok


def test_explanations_are_counted_by_reason() -> None:
    own_report = report(divergence(1, EXPLANATION))
    assert own_report.explanations == {"changed by a request that is not in the trace": 1}
    assert own_report.to_dict()["divergences"][0]["explanation"].endswith("(version 7)")


def test_the_first_divergence_is_the_first_without_a_reason() -> None:
    first = report(divergence(3), divergence(1, EXPLANATION), divergence(2)).first
    assert first is not None
    assert first.place == 2


def test_the_earliest_divergences_are_kept_and_all_are_counted() -> None:
    count = 3 * DIVERGENCES_MAX
    own_report = report(*(divergence(place) for place in reversed(range(count))))
    assert own_report.divergent == count
    assert [each.place for each in own_report.divergences] == list(range(DIVERGENCES_MAX))


def test_a_report_without_divergences_is_short() -> None:
    assert text(report()).splitlines()[-1] == "No divergence."
    assert summary(report()) == "0 of 0 exchanges replayed, 0 as recorded"


def test_the_numbers_of_the_outcomes_add_up_to_the_exchanges() -> None:
    own_report = report(divergence(1), divergence(2, EXPLANATION))
    own_report.exchanges, own_report.replayed, own_report.same = 10, 7, 3
    own_report.uncompared["discovery"] = 2
    own_report.unserved["pods"] = 3
    assert summary(own_report) == (
        "7 of 10 exchanges replayed, 3 as recorded, 1 diverge, 1 diverge for a known reason, "
        "2 not compared in full, 3 not served here"
    )


def test_the_fields_that_differ_often_are_counted_with_a_hint_at_ignore() -> None:
    paths = (
        "ADDED a/b: object.metadata.generation",
        "items[3].metadata.generation",
        "spec.c[0].d",
        "spec.c[1].d",
    )
    own_report = report(*map(with_paths, paths), with_paths("spec.e"))
    assert own_report.to_dict()["fields"] == {"metadata.generation": 2, "spec.c.d": 2, "spec.e": 1}
    lines = text(own_report).splitlines()
    begin = lines.index("Fields that differ in several exchanges (4):")
    assert lines[begin + 1 : begin + 4] == [
        "  2  metadata.generation",
        "  2  spec.c.d",
        "  --ignore FIELD leaves a field out of the comparison, such as --ignore 'metadata.generation'.",
    ]


def with_paths(*paths: str) -> Divergence:
    """Returns a divergence in which these fields are missing."""
    missing = tuple(Difference(DifferenceKind.FIELD_MISSING, path, "1") for path in paths)
    return replace(divergence(1), differences=missing)


@pytest.mark.skipif(bool(chromium.missing()), reason=chromium.missing())
def test_a_long_hash_does_not_scroll_the_page_sideways_or_break_words(tmp_path: Path) -> None:
    hashed = "/openapi/v3/apis/apps/v1?hash=" + 40 * "ABCDEF0123456789"
    long = replace(divergence(1), request=f"GET {hashed}", recorded=hashed, now="301")
    differing = Difference(DifferenceKind.VALUE, "spec.hash", f'"{hashed}"', '"b"')
    own_report = report(replace(long, differences=(differing,)))
    own_report.marks = [Mark(1, 1, 0.1, 0.0, "me", "get", hashed, 200, Outcome.DIVERGENCE)]
    path = tmp_path / "page.html"
    path.write_text(page(own_report))
    with chromium.window(tmp_path / "profile") as browser:
        browser.open(path.as_uri())
        for width in (1280, 500):
            browser.command(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
            )
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
            headings = "[...document.querySelectorAll('tr:not(:has(td)) th')]"
            heights = browser.run(f"return {headings}.map((each) => each.clientHeight)")
            assert max(heights) < 50, "the headings of columns have one line"


def test_junit_has_a_case_for_each_kind_of_request(found: Report) -> None:
    suite = ET.fromstring(junit(found)).find("testsuite")
    assert suite is not None
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert {"create resourceclaims", "patch resourceclaims", "watch resourceclaims"} <= cases.keys()
    failure = cases["patch resourceclaims"].find("failure")
    assert failure is not None
    assert "metadata.labels" in (failure.text or "")
    assert suite.get("failures") == "1"
    assert suite.get("tests") == str(len(cases))


def test_junit_holds_what_xml_cannot() -> None:
    own_report = report(divergence(1))
    own_report.groups["get x"] = own_report.kinds.__class__(divergence=1)
    assert b"\x1b" not in junit(own_report)
    assert ET.fromstring(junit(own_report)) is not None


def test_what_is_not_served_is_skipped_in_junit() -> None:
    own_report = report()
    own_report.groups["get pods"] = own_report.kinds.__class__(unserved=2)
    case = ET.fromstring(junit(own_report)).find("testsuite/testcase")
    assert case is not None
    assert case.find("skipped") is not None


def test_the_page_needs_nothing_but_itself(found: Report) -> None:
    html = page(found)
    assert "http://" not in html.replace("http://127.0.0.1", "")
    assert "src=" not in html
    assert html.count("</script>") == 2
    assert "</script><b>" not in html


@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")
def test_a_browser_draws_the_page_without_an_error(found: Report, tmp_path: Path) -> None:
    assert BROWSER is not None
    path = tmp_path / "page.html"
    # Errors in the page are written into its DOM.
    guard = "<script>addEventListener('error', (e) => { document.body.dataset.error = e.message; });</script>"
    path.write_text(page(found).replace("<body>", f"<body>{guard}"))
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'user'}"]
    finished = subprocess.run(
        [*command, "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=BROWSER_SECONDS,
        check=True,
    )
    dom = finished.stdout
    assert "data-error" not in dom
    assert f'data-ready="{found.exchanges} marks"' in dom
    assert dom.count("<li") == 3
    assert "Divergences (3)" in dom
    assert "&lt;/script&gt;" in dom
    assert "before that" in dom.lower()


def test_a_time_line_has_a_number_of_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.traces.reporting.builder.MARKS_MAX", 3)
    report = fakeapi.replay(record(tmp_path / "a.jsonl"), marks=True)
    assert report.exchanges > 3
    assert len(report.marks or ()) == 3
