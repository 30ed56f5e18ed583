"""Reads recorded results of kube-apiserver 1.30 to 1.33 for some 1,800 CEL expressions, from this folder.

- `devices.jsonl` and `costs.jsonl`: expressions that the recorder sent as selectors of DeviceClasses
- `named_resources.jsonl`: expressions that it sent as selectors of 1.30's ResourceClaimParameters

All requests were dry runs. The recorded messages omit the lines that quote the expression.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fakeapi.machinery.cel.compiler import Invalid, TooComplex, Unchecked, Unplannable, Verdict

HERE = Path(__file__).parent

DEVICE_RELEASES = ("1.31", "1.32", "1.33")
COST_RELEASES = ("1.32", "1.33")

Fact = list[str] | None
"""A recorded result of compiling a CEL expression: (error class, message); None if it is valid."""

DEEP = "it nests deeper than cel-expr-python goes, 32"
LIBRARY = "the library's parser says less, or says it otherwise"

DIFFERENT = {
    "(" * 40 + "true" + ")" * 40: DEEP,
    "[" * 40 + "]" * 40 + "==[]": DEEP,
    "1+" * 120 + "1 == 1": DEEP,
    "a." * 50 + "b": DEEP,
    "[1]" * 50: DEEP,
    "device.attributes" + '["x"]' * 60: DEEP,
    '"\\ud800" == "a"': "a surrogate is no character here; Kubernetes refuses it from 1.33 on",
    "[1].all(__result__, true)": "the accumulator is called otherwise here, and cannot be overwritten",
    "\x00": LIBRARY,
    "true \x00": LIBRARY,
    "`x`": LIBRARY,
    "device.attributes.all(k, k, true)": LIBRARY,
    "[1].exists_one(x, x == 1, true)": LIBRARY,
    "device.attributes.exists_one(k, v, true)": "exists_one has one variable here; existsOne has two",
    "google.protobuf.Empty{}": "messages other than the well-known ones are not declared",
    "string{a: 1}": "a type that is no message has no fields to speak of here",
    "optional_type": "its parameter shows",
    "optional_type == type(optional.of(1))": "1.30 does not declare it",
    "false ||\nfor == 1": "1.31 counts the lines of faults in the text itself otherwise, too",
}
"""Expressions for which fakeapi's results differ from the recorded results, and the reasons."""


def rows(name: str) -> Iterator[dict[str, Any]]:
    with (HERE / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def device_facts(release: str) -> Iterator[tuple[str, Fact]]:
    for row in rows("devices.jsonl"):
        verdict = row["verdicts"][DEVICE_RELEASES.index(release)] if "verdicts" in row else row["verdict"]
        yield row["expression"], verdict


def shortened(verdict: Verdict) -> Fact:
    """Converts the compiler's result for a CEL expression to the form of the recorded tables.

    Drops the lines of the message that quote the expression.
    """
    match verdict:
        case None:
            return None
        case TooComplex():
            return ["TooComplex"]
        case Invalid(detail) | Unplannable(detail) | Unchecked(detail):
            lines = [line for line in detail.split("\n") if not line.startswith(" | ")]
            return [type(verdict).__name__, "\n".join(lines)]
