"""Reads the outcomes of the e2e specs from ginkgo's report; stores them in `results/RELEASE.jsonl`."""

import datetime as dt
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results")
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
WHY_LENGTH = 160

_STATES = {"passed": PASSED, "skipped": SKIPPED, "pending": SKIPPED}
"""The outcome for each state in ginkgo's report. Every other state, such as panicked, is a failure."""

_CUT_OFF = "A suite timeout occurred"
_CHANGING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b\S*-\d{2,}\b|\d+\.\d+s|0x[0-9a-f]+|\b\d\d:\d\d:\d\d\S*")
_INNER = re.compile(r"^\s*(?:Unexpected error:|<\*?[\w.]+.*>:?|\{|\[)\s*$")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one e2e spec that ginkgo has run."""

    spec: str
    """The full name of the e2e spec, which ginkgo's option `--focus` matches."""
    state: str
    """PASSED, FAILED, or SKIPPED; a skipped spec has inspected the cluster and then skipped itself."""
    why: str
    """The message of the e2e spec about its failure or skip, in one line; "" if the spec passed."""
    day: str


def from_report(reports: list[dict[str, Any]], day: str | None = None) -> list[Outcome]:
    """Returns the outcomes of the e2e specs in ginkgo's report.

    Leaves out specs that the option `--focus` excluded, and specs that the time limit interrupted.
    `day`: the date of the report in ISO format; None means today.
    """
    day = day or dt.datetime.now(dt.UTC).date().isoformat()
    outcomes = []
    for report in reports:
        for spec in report["SpecReports"] or ():
            state, failure = spec["State"], spec.get("Failure") or {}
            if spec["LeafNodeType"] != "It" or (state == "skipped" and not failure):
                continue
            if failure.get("Message", "").startswith(_CUT_OFF):
                continue
            why = "" if state == "passed" else one_line(failure.get("Message", state))
            name = name_of(spec)
            outcomes.append(Outcome(spec=name, state=_STATES.get(state, FAILED), why=why, day=day))
    return outcomes


def name_of(spec: dict[str, Any]) -> str:
    return " ".join([*(spec.get("ContainerHierarchyTexts") or ()), spec["LeafNodeText"]])


def one_line(message: str) -> str:
    """Shortens a failure message to one line without uids, times and generated names."""
    lines = [line.strip() for line in message.splitlines() if line.strip() and not _INNER.match(line)]
    text = _CHANGING.sub("…", " ".join(lines))
    text = re.sub(r"\s+", " ", text)
    return text if len(text) <= WHY_LENGTH else f"{text[: WHY_LENGTH - 1]}…"


def name_of_process_runs(release: str) -> str:
    """Returns the name under which the outcomes of runs with the option `--real` are recorded."""
    return f"{release}-real"


def read(release: str, folder: Path = RESULTS) -> list[Outcome]:
    path = folder / f"{release}.jsonl"
    if not path.exists():
        return []
    return [Outcome(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def write(release: str, outcomes: Iterable[Outcome], folder: Path = RESULTS) -> None:
    lines = [json.dumps(asdict(each), ensure_ascii=False) for each in sorted(outcomes, key=lambda o: o.spec)]
    folder.mkdir(exist_ok=True)
    (folder / f"{release}.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")


def merged(known: Iterable[Outcome], fresh: Iterable[Outcome]) -> list[Outcome]:
    """Merges recorded outcomes (`known`) with new outcomes (`fresh`), which replace recorded outcomes."""
    by_spec = {each.spec: each for each in known} | {each.spec: each for each in fresh}
    return list(by_spec.values())
