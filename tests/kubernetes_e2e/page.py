"""Writes the documents about the e2e suite from recorded outcomes: `python -m tests.kubernetes_e2e.page`.

docs/e2e.md has the summary and the failures, results/specs.md a row for each spec.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.kubernetes_e2e import areas, outcomes
from tests.kubernetes_e2e.areas import AREAS, DRA, area_of, short
from tests.kubernetes_e2e.needs import need_of
from tests.kubernetes_e2e.outcomes import FAILED, PASSED, SKIPPED, Outcome
from tests.kubernetes_e2e.reasons import reason_of

PAGE = Path(__file__).parents[2] / "docs" / "e2e.md"
SPECS = Path(__file__).parent / "results" / "specs.md"
SPECS_HEAD = """\
# Each spec of the end-to-end suite

`python -m tests.kubernetes_e2e.page` writes this file from the recorded outcomes.
[docs/e2e.md](../../../docs/e2e.md) says what they mean.
"""
RELEASES = ("1.33", "1.34", "1.36", "1.37")
NEEDS, MISSING = "needs", "missing"
"""States of e2e specs without an outcome: the spec needs a missing feature, or it was not run."""

_BEGIN, _END = "<!-- rows -->", "<!-- /rows -->"


@dataclass(frozen=True)
class Release:
    """The e2e specs of one Kubernetes release, and their outcomes."""

    name: str
    specs: frozenset[str]
    outcomes: dict[str, Outcome]
    families: dict[str, int] = field(default_factory=dict)
    """The number of specs in each group of volume driver specs. All of these need a missing feature."""

    @property
    def areas(self) -> list[str]:
        """Returns the areas in which this release has outcomes of e2e specs."""
        ran = {area_of(spec) for spec in self.specs if spec in self.outcomes}
        return [area for area in AREAS if area in ran]

    @property
    def day(self) -> str:
        return max((each.day for each in self.outcomes.values()), default="")

    def days(self, specs: Iterable[str]) -> str:
        """Returns the first and the last day on which these e2e specs were run: DAY, or FIRST to LAST."""
        days = {self.outcomes[spec].day for spec in specs if self.state(spec) in (PASSED, FAILED, SKIPPED)}
        return " to ".join(sorted({min(days), max(days)})) if days else ""

    def state(self, spec: str) -> str:
        """Returns the state of an e2e spec: PASSED, FAILED, SKIPPED, NEEDS or MISSING.

        A spec that needs a missing feature is NEEDS, unless it has passed.
        """
        outcome = self.outcomes.get(spec)
        if outcome is not None and outcome.state == PASSED:
            return PASSED
        if need_of(spec) is not None:
            return NEEDS
        return outcome.state if outcome is not None else MISSING

    def cell(self, spec: str) -> str:
        if spec not in self.specs:
            return ""
        state = self.state(spec)
        if state == PASSED:
            return "passes"
        if state == NEEDS:
            return f"needs {need_of(spec)}"
        if state == MISSING:
            return "not run"
        why = self.outcomes[spec].why
        if state == SKIPPED:
            return f"skips itself: {why}"
        return f"fails: {reason_of(spec, self.name) or why}"


def read(name: str) -> Release:
    known_outcomes, listed = outcomes.read(name), areas.read_listed(name)
    return Release(name, listed.names, {each.spec: each for each in known_outcomes}, listed.families)


def summary(releases: Iterable[Release]) -> Iterator[str]:
    """Yields the lines of a Markdown table that counts the specs of each outcome by release and area.

    Leaves out the areas that were not run in a release.
    """
    yield "| release | area | specs | pass | fail | pass of those | skip themselves | need more | run on |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|---|"
    for release in releases:
        for area in release.areas:
            yield _summed(release, area, [area])
        others = [each for each in release.areas if each != DRA]
        if others:
            yield _summed(release, f"all except {DRA}", others)


def _summed(release: Release, title: str, of: list[str]) -> str:
    counts = Counter(release.state(spec) for spec in release.specs if area_of(spec) in of)
    if "storage" in of:
        counts[NEEDS] += sum(release.families.values())
    passed, failed = counts[PASSED], counts[FAILED] + counts[MISSING]
    share = f"{100 * passed / (passed + failed):.1f} %" if passed + failed else ""
    days = release.days(spec for spec in release.specs if area_of(spec) in of)
    figures = (sum(counts.values()), passed, failed, share, counts[SKIPPED], counts[NEEDS], days)
    return f"| {release.name} | {title} | {' | '.join(map(str, figures))} |"


def failures(releases: list[Release]) -> Iterator[str]:
    """Yields the lines of a Markdown table with the specs that fail or were not run."""
    yield from ("## Specs that fail", "", "| release | spec | why |", "|---|---|---|")
    for release in releases:
        for spec in sorted(release.specs):
            if area_of(spec) in release.areas and release.state(spec) in (FAILED, MISSING):
                yield f"| {release.name} | `{_escaped(short(spec))}` | {_escaped(release.cell(spec))} |"


def process_runs() -> Iterator[str]:
    """Yields the lines of a Markdown table about specs whose containers run as local processes."""
    yield from (
        "## Containers as local processes",
        "",
        "| release | specs run | pass | fail |",
        "|---|--:|--:|--:|",
    )
    failed: list[str] = []
    for release in RELEASES:
        known = outcomes.read(outcomes.name_of_process_runs(release))
        if not known:
            continue
        counts = Counter(each.state for each in known)
        yield f"| {release} | {len(known)} | {counts[PASSED]} | {counts[FAILED]} |"
        for each in known:
            if each.state == FAILED:
                why = reason_of(each.spec, release) or each.why
                failed.append(f"| {release} | `{_escaped(short(each.spec))}` | {_escaped(why)} |")
    yield from ("", "Those that fail:", "", "| release | spec | why |", "|---|---|---|", *failed)


def tables(releases: list[Release]) -> Iterator[str]:
    """Yields the lines of a Markdown table for each area, with a row for each e2e spec."""
    names = [release.name for release in releases]
    for area in AREAS:
        specs = sorted({spec for each in releases for spec in each.specs if area_of(spec) == area})
        yield from ("", f"## {area}", "", f"| spec | {' | '.join(names)} |", f"|---|{'---|' * len(names)}")
        for spec in specs:
            cells = (f"`{_escaped(short(spec))}`", *(_escaped(each.cell(spec)) for each in releases))
            yield f"| {' | '.join(cells)} |"
        if area == "storage":
            yield from _matrices(releases)


def _matrices(releases: list[Release]) -> Iterator[str]:
    """Yields a row of the Markdown table for each group of volume driver specs."""
    for name in sorted({name for each in releases for name in each.families}):
        needed = need_of(f"[sig-storage] {name}")
        counts = (each.families.get(name) for each in releases)
        cells = [f"{count} need {needed}" if count else "" for count in counts]
        yield f"| `{_escaped(name)}` … | {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return re.sub(r"([|<])", r"\\\1", text.replace("`", "'"))


def page(text: str, releases: list[Release]) -> str:
    """Replaces the tables between the markers in the page's text; returns the new text."""
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    days = ", ".join(f"{each.name} on {each.day}" for each in releases if each.day)
    lines = [f"Run with {days}.", "", *summary(releases), "", *failures(releases), "", *process_runs()]
    body = "\n".join(lines)
    return f"{before}{_BEGIN}\n\n{body}\n\n{_END}{after}"


def specs(releases: list[Release]) -> str:
    """Returns the document with the outcome of each spec."""
    return "\n".join([SPECS_HEAD.rstrip(), *tables(releases)]) + "\n"


def recorded() -> list[Release]:
    """Returns the releases that have outcomes of e2e specs."""
    return [each for each in map(read, RELEASES) if each.outcomes]


def write() -> None:
    releases = recorded()
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page(text, releases), encoding="utf-8")
    SPECS.write_text(specs(releases), encoding="utf-8")


if __name__ == "__main__":
    write()
