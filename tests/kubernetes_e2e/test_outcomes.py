"""Outcomes are read from ginkgo's report, and the page about the e2e suite shows them."""

from pathlib import Path
from typing import Any

import pytest

from tests.kubernetes_e2e import areas, outcomes, page
from tests.kubernetes_e2e.needs import need_of
from tests.kubernetes_e2e.outcomes import Outcome
from tests.kubernetes_e2e.page import Release

DAY = "2026-01-31"


def spec(text: str, state: str, message: str = "", kind: str = "It") -> dict[str, Any]:
    found = {"LeafNodeType": kind, "LeafNodeText": text, "ContainerHierarchyTexts": ["[sig-auth] A"]}
    return {**found, "State": state, **({"Failure": {"Message": message}} if message else {})}


def outcome(name: str, state: str = "passed", why: str = "") -> Outcome:
    return Outcome(spec=name, state=state, why=why, day=DAY)


def test_a_report_tells_what_was_run_and_how_it_ended() -> None:
    specs = [
        spec("works", "passed"),
        spec("breaks", "panicked", "Unexpected error:\n    <*errors.StatusError | 0xc0>:\n  not found"),
        spec("needs more", "skipped", "no such provider"),
        spec("left out", "skipped"),
        spec("cut off", "timedout", "A suite timeout occurred"),
        spec("", "passed", kind="BeforeSuite"),
    ]
    assert outcomes.from_report([{"SpecReports": specs}], DAY) == [
        outcome("[sig-auth] A works"),
        outcome("[sig-auth] A breaks", "failed", "not found"),
        outcome("[sig-auth] A needs more", "skipped", "no such provider"),
    ]


def test_a_reason_has_nothing_in_it_that_differs_from_run_to_run() -> None:
    message = 'pod "pod-secrets-6f0e2b1c-7d1a-4c55-9f65-2b0c6a1d3e4f" in ns-4711\nwas late by 12.5s'
    assert outcomes.one_line(message) == 'pod "pod-secrets-…" in … was late by …'
    assert len(outcomes.one_line("long " * 100)) == outcomes.WHY_LENGTH


def test_outcomes_of_other_specs_stay_when_some_are_run_again(tmp_path: Path) -> None:
    outcomes.write("1.33", [outcome("b"), outcome("a", "failed", "x")], tmp_path)
    found = outcomes.merged(outcomes.read("1.33", tmp_path), [outcome("a")])
    assert sorted(found, key=lambda each: each.spec) == [outcome("a"), outcome("b")]
    assert outcomes.read("1.37", tmp_path) == []


@pytest.mark.parametrize(
    ("name", "area"),
    [
        ("[sig-node] [DRA] control plane works", areas.DRA),
        ("[sig-node] DRA [Feature:DynamicResourceAllocation] kubelet registers plugin", areas.DRA),
        ("[sig-api-machinery] Watchers work", "api-machinery"),
    ],
)
def test_specs_of_claims_are_an_area_of_their_own(name: str, area: str) -> None:
    assert areas.area_of(name) == area


def test_the_page_counts_what_passes_of_what_can_and_names_the_rest() -> None:
    needy = "[sig-api-machinery] AdmissionWebhook works"
    assert need_of(needy)
    specs = frozenset({"[sig-auth] a", "[sig-auth] b|c", "[sig-auth] d", needy})
    known = [outcome("[sig-auth] a"), outcome("[sig-auth] b|c", "failed", "it <broke>")]
    releases = [Release("1.33", specs, {each.spec: each for each in known})]
    text = page.page("Head\n<!-- rows -->old<!-- /rows -->\nTail", releases)
    assert text.startswith("Head\n<!-- rows -->\n\nRun with 1.33 on 2026-01-31.")
    assert text.endswith("<!-- /rows -->\nTail")
    assert "| 1.33 | auth | 3 | 1 | 2 | 33.3 % | 0 | 0 |" in text
    assert "| 1.33 | `b\\|c` | fails: it \\<broke> |" in text
    assert "passes" not in text
    text = page.specs(releases)
    assert "| `a` | passes |" in text
    assert "| `b\\|c` | fails: it \\<broke> |" in text
    assert "| `d` | not run |" in text
    assert f"| `AdmissionWebhook works` | needs {need_of(needy)} |" in text


def test_an_area_that_was_not_run_in_a_release_is_left_out_of_its_counts() -> None:
    ran, other = "[sig-auth] a", "[sig-apps] b"
    release = Release("1.33", frozenset({ran, other}), {ran: outcome(ran)})
    text = "\n".join((*page.summary([release]), *page.failures([release])))
    assert "| 1.33 | auth | 1 | 1 | 0 | 100.0 % |" in text
    assert "| 1.33 | all except DRA | 1 | 1 | 0 |" in text
    assert "apps" not in text
    assert "`b`" not in text


@pytest.mark.parametrize("release", page.RELEASES)
def test_every_spec_of_a_recorded_run_is_one_that_the_suite_has(release: str) -> None:
    listed = areas.read_listed(release)
    assert {each.spec for each in outcomes.read(release)} <= listed.names
    assert all(need_of(f"[sig-storage] {name}") for name in listed.families)


def test_the_documents_are_made_of_the_recorded_outcomes() -> None:
    releases = page.recorded()
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.page(text, releases) == text
    assert page.SPECS.read_text(encoding="utf-8") == page.specs(releases)
