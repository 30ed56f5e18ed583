import pytest

from fakeapi.kinds.resource.validation.cel_selectors import (
    CelCheck,
    device_compiler,
    named_resources_compiler,
)
from tests.kinds.resource.builders import RULES
from tests.machinery.cel import table

pytest.importorskip("cel_expr_python", reason="expressions are compiled with the extra cel alone")


def devices(release: str) -> CelCheck:
    rules = RULES[release]
    return device_compiler(rules)


@pytest.mark.parametrize("release", table.DEVICE_RELEASES)
def test_expressions_that_select_devices_are_judged_as_kubernetes_judges_them(release: str) -> None:
    check = devices(release)
    facts = dict(table.device_facts(release))
    found = {expression: table.shortened(check(expression)) for expression in facts}
    assert {
        expression: (fact, found[expression])
        for expression, fact in facts.items()
        if fact != found[expression] and expression not in table.DIFFERENT
    } == {}


def test_every_expression_that_is_said_to_differ_differs_in_some_release() -> None:
    differing = {
        expression
        for release in table.DEVICE_RELEASES
        for expression, fact in table.device_facts(release)
        if table.shortened(devices(release)(expression)) != fact
    } | {
        row["expression"]
        for row in table.rows("named_resources.jsonl")
        if table.shortened(named()(row["expression"])) != row["verdict"]
    }
    assert table.DIFFERENT.keys() - differing == set()


def named() -> CelCheck:
    rules = RULES["1.30"]
    return named_resources_compiler(rules.quirks, rules.limits)


def test_expressions_that_select_named_resources_are_judged_as_kubernetes_1_30_judges_them() -> None:
    """Compares errors with those recorded from 1.30, except names of optional types, which 1.30 shortens."""
    check = named()
    different = {}
    for row in table.rows("named_resources.jsonl"):
        fact, found = row["verdict"], table.shortened(check(row["expression"]))
        if row["expression"] in table.DIFFERENT:
            continue
        if found is not None:
            found = [found[0], found[1].replace("optional_type(", "optional(")]
        if fact != found:
            different[row["expression"]] = (fact, found)
    assert different == {}


@pytest.mark.parametrize("release", table.COST_RELEASES)
def test_generated_expressions_are_too_complex_where_kubernetes_finds_them_too_complex(release: str) -> None:
    check = devices(release)
    index = table.COST_RELEASES.index(release)
    different = [
        row["expression"]
        for row in table.rows("costs.jsonl")
        if table.shortened(check(row["expression"]))
        != (["TooComplex"] if row["too_complex"][index] else None)
    ]
    assert different == []
