"""CEL selectors match the same devices as in k8s.io/dynamic-resource-allocation.

`selections.jsonl.gz` contains that package's results, except results that depend on the order of Go's maps.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from fakeapi.machinery.cel.device_evaluation import Device, DeviceSelector, Selection
from fakeapi.releases.device_selectors import compile_selector
from tests.kinds.resource.builders import RULES

pytest.importorskip("cel_expr_python", reason="selectors are compiled with the extra cel alone")

HERE = Path(__file__).parent


def rows() -> list[dict[str, Any]]:
    with gzip.open(HERE / "selections.jsonl.gz", "rt", encoding="utf-8") as lines:
        return list(map(json.loads, lines))


def selector(text: str, release: str = "1.36") -> DeviceSelector:
    matcher = compile_selector(text, RULES[release])
    assert isinstance(matcher, DeviceSelector)
    return matcher


def said(case: dict[str, Any], release: str) -> dict[str, Any]:
    matcher = compile_selector(case["expr"], RULES[release])
    if not isinstance(matcher, DeviceSelector):
        return {"compile": matcher.detail, "match": False}
    device = Device(case["driver"], case["attributes"], case["capacity"], case.get("multi") is True)
    selection = matcher.matches(device)
    answer: dict[str, Any] = {"match": selection.matches}
    if selection.error:
        answer["error"] = selection.error
    if selection.cost is not None:
        answer["cost"] = selection.cost
    return answer


@pytest.mark.parametrize("release", ["1.34", "1.36", "1.37"])
def test_devices_match_selectors_as_kubernetes_says(release: str) -> None:
    asked = [row for row in rows() if release in row["of"]]
    differing = []
    for row in asked:
        case, fact = row["case"], row["facts"][row["of"][release]]
        if said(case, release) != fact:
            differing.append((case["expr"], case["driver"], said(case, release), fact))
    assert asked
    assert differing == []


def test_an_evaluation_that_costs_more_than_it_may_is_cancelled() -> None:
    costly = selector("[1, 2, 3].all(a, [1, 2, 3].all(b, a + b > 1))")
    found = costly.matches(Device("gpu.example.com", {}, {}), limit=20)
    assert (found.matches, found.error) == (False, "operation cancelled: actual cost limit exceeded")


def test_a_name_without_a_domain_has_the_drivers() -> None:
    one = Device("gpu.example.com", {"model": {"string": "a"}, "example.com/model": {"string": "b"}}, {})
    matcher = selector(
        'device.attributes["gpu.example.com"].model + device.attributes["example.com"].model == "ab"'
    )
    assert matcher.matches(one) == Selection(matches=True, cost=matcher.matches(one).cost)


def test_a_selector_that_makes_more_than_its_memory_is_cancelled() -> None:
    growing = selector("['aa']" + ".map(a, [a, a, a, a].join(a))" * 12 + "[0].size() > 0")
    result = growing.matches(Device("a.b", {}, {}))
    assert (result.matches, result.error) == (False, "operation cancelled: actual cost limit exceeded")
