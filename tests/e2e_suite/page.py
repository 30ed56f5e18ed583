"""The page about the suite, made from `results`: `python -m tests.e2e_suite.page`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.e2e_suite import areas, outcomes
from tests.e2e_suite.areas import AREAS, DRA, area_of, family, is_of_matrix, short
from tests.e2e_suite.needs import need_of
from tests.e2e_suite.outcomes import FAILED, PASSED, SKIPPED, Outcome
from tests.e2e_suite.reasons import reason_of

PAGE = Path(__file__).parents[2] / "docs" / "e2e.md"
RELEASES = ("1.33", "1.37")
NEEDS, MISSING = "needs", "missing"
"""States of a spec beside those of an outcome: it needs what is not there, or it was not run."""

_BEGIN, _END = "<!-- rows -->", "<!-- /rows -->"


@dataclass(frozen=True)
class Release:
    """What is known of a release's specs."""

    name: str
    specs: frozenset[str]
    outcomes: dict[str, Outcome]

    @property
    def day(self) -> str:
        return max((each.day for each in self.outcomes.values()), default="")

    def state(self, spec: str) -> str:
        """An outcome's state; a spec that needs what is not there has passed where it passed all the same."""
        found = self.outcomes.get(spec)
        if found is not None and found.state == PASSED:
            return PASSED
        if need_of(spec) is not None:
            return NEEDS
        return found.state if found is not None else MISSING

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
    found = outcomes.read(name)
    specs = frozenset(areas.read_listed(name)) | {each.spec for each in found}
    return Release(name, specs, {each.spec: each for each in found})


def summary(releases: Iterable[Release]) -> Iterator[str]:
    """How many specs of each area ended how."""
    yield "| release | area | specs | pass | fail | pass of those | skip themselves | need more |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for release in releases:
        for area in AREAS:
            yield _summed(release, area, [area])
        yield _summed(release, f"all but {DRA}", [each for each in AREAS if each != DRA])


def _summed(release: Release, title: str, of: list[str]) -> str:
    counts = Counter(release.state(spec) for spec in release.specs if area_of(spec) in of)
    passed, failed = counts[PASSED], counts[FAILED] + counts[MISSING]
    share = f"{100 * passed / (passed + failed):.1f} %" if passed + failed else ""
    figures = (sum(counts.values()), passed, failed, share, counts[SKIPPED], counts[NEEDS])
    return f"| {release.name} | {title} | {' | '.join(map(str, figures))} |"


def tables(releases: list[Release]) -> Iterator[str]:
    """Each spec, by area."""
    names = [release.name for release in releases]
    for area in AREAS:
        specs = sorted({spec for each in releases for spec in each.specs if area_of(spec) == area})
        yield from ("", f"## {area}", "", f"| spec | {' | '.join(names)} |", f"|---|{'---|' * len(names)}")
        for spec in specs:
            if not is_of_matrix(spec):
                cells = (f"`{_escaped(short(spec))}`", *(_escaped(each.cell(spec)) for each in releases))
                yield f"| {' | '.join(cells)} |"
        yield from _matrices([spec for spec in specs if is_of_matrix(spec)], releases)


def _matrices(specs: list[str], releases: list[Release]) -> Iterator[str]:
    """A line for each family of specs."""
    for name in sorted({family(spec) for spec in specs}):
        members = [spec for spec in specs if family(spec) == name]
        cells = [_counted(members, release) for release in releases]
        yield f"| `{_escaped(name)}` … | {' | '.join(cells)} |"


def _counted(specs: list[str], release: Release) -> str:
    found: Counter[str] = Counter()
    for spec in specs:
        cell = release.cell(spec)
        if cell:
            found[cell if cell.startswith(NEEDS) else cell.partition(":")[0]] += 1
    return ", ".join(f"{number} {what}" for what, number in sorted(found.items()))


def _escaped(text: str) -> str:
    return re.sub(r"([|<])", r"\\\1", text.replace("`", "'"))


def page(text: str, releases: list[Release]) -> str:
    """The page with what is between its marks made again."""
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    days = ", ".join(f"{each.name} on {each.day}" for each in releases if each.day)
    lines = [f"Run with {days}.", "", *summary(releases), *tables(releases)]
    body = "\n".join(lines)
    return f"{before}{_BEGIN}\n\n{body}\n\n{_END}{after}"


def write() -> None:
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page(text, [read(name) for name in RELEASES]), encoding="utf-8")


if __name__ == "__main__":
    write()
