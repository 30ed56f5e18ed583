"""fakeapi estimates the cost of CEL expressions as Kubernetes does.

test_facts compares generated expressions with released servers.
"""

import pytest

from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.checker import check
from fakeapi.machinery.cel.cost import cost_by_path, cost_traced
from fakeapi.machinery.cel.environment import Environment, Extent
from fakeapi.machinery.cel.types import read

pytest.importorskip("cel_expr_python", reason="expressions are parsed with the extra cel alone")

EXTENTS = {"l": Extent(10, elements=Extent(100))}
STANDARD = frozenset({"standard"})
ENVIRONMENT = Environment({"l": read("list(string)")}, STANDARD)


def costs(expression: str) -> tuple[int, int]:
    checked = check(library.parse(expression, STANDARD).root, ENVIRONMENT)
    return cost_by_path(checked, EXTENTS), cost_traced(checked, EXTENTS)


def test_a_constant_costs_nothing_and_a_variable_one() -> None:
    assert costs("true") == (0, 0)
    assert costs("l") == (1, 1)


def test_a_loop_costs_its_body_for_each_element() -> None:
    one, all_ = costs("l[0] == 'a'"), costs("l.all(x, x == 'a')")
    assert all(loop > 10 * (single - 2) for single, loop in zip(one, all_, strict=True))


def test_a_nested_loop_costs_the_product() -> None:
    single, nested = costs("l.all(x, true)"), costs("l.all(x, l.all(y, true))")
    assert all(inner >= 10 * outer for outer, inner in zip(single, nested, strict=True))
