"""Renders the results of a replay as JUnit XML, with a test case for each verb and resource."""

from xml.etree import ElementTree as ET

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.traces.comparing.differences import DifferenceKind
from fakeapi.traces.reporting.results import Divergence, Outcome, Results
from fakeapi.traces.reporting.text import summary

_NOT_XML = lazy_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Results) -> bytes:
    """Returns the results of a replay as JUnit XML. Equal results give equal bytes."""
    suite = ET.Element("testsuite", name=_clean(f"replay {report.trace}"))
    failures = skipped = 0
    of_group: dict[str, list[Divergence]] = {}
    for divergence in report.divergences:
        of_group.setdefault(divergence.group, []).append(divergence)
    for name, outcomes in sorted(report.groups.items()):
        case = ET.SubElement(suite, "testcase", classname=_clean(report.trace), name=_clean(name))
        failing = outcomes[Outcome.DIVERGENCE] + (outcomes[Outcome.EXPLAINED] if report.strict else 0)
        if failing:
            failures += 1
            failure = ET.SubElement(case, "failure", type="divergence")
            failure.set("message", f"{failing} of {outcomes.total()} answers are not as recorded")
            failure.text = _clean("\n".join(_text_of(divergence) for divergence in of_group.get(name, ())))
        elif outcomes[Outcome.UNSERVED] == outcomes.total():
            skipped += 1
            ET.SubElement(case, "skipped", message="not sent, because the target does not serve it")
        elif outcomes[Outcome.EXPLAINED]:
            lines = (
                f"{_text_of(divergence)}\n  reason: {divergence.explanation}"
                for divergence in of_group.get(name, ())
            )
            ET.SubElement(case, "system-out").text = _clean("\n".join(lines))
    suite.set("tests", str(len(report.groups)))
    suite.set("failures", str(failures))
    suite.set("errors", "0")
    suite.set("skipped", str(skipped))
    ET.SubElement(suite, "system-out").text = _clean(summary(report))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    body: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'.encode()


def _text_of(divergence: Divergence) -> str:
    lines = [f"#{divergence.id} {divergence.where}: {divergence.request}"]
    if divergence.recorded != divergence.now:
        lines.append(f"  recorded {divergence.recorded}, now {divergence.now}")
    lines += [
        f"  {difference}"
        for difference in divergence.differences
        if difference.kind is not DifferenceKind.STATUS_CODE
    ]
    return "\n".join(lines)


def _clean(text: str) -> str:
    """Returns text with U+FFFD in place of characters that XML does not allow."""
    return _NOT_XML.sub("�", text)
