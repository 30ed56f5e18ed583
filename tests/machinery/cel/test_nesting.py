"""CEL expressions have the same maximum nesting depth as in cel-go 0.17 to 0.29, measured with its parser."""

from collections.abc import Callable

import pytest

from fakeapi.machinery.cel.nesting import NESTING_MAX, nesting_of

REFUSED_FROM: list[tuple[Callable[[int], str], int]] = [
    (lambda n: "(" * n + "1" + ")" * n, 250),
    (lambda n: "[" * n + "1" + "]" * n, 250),
    (lambda n: "{1:" * n + "1" + "}" * n, 250),
    (lambda n: "f(" * n + "1" + ")" * n, 250),
    (lambda n: "[1].all(x," * n + "true" + ")" * n, 250),
    (lambda n: "true?1:" * n + "1", 250),
    (lambda n: "1+" * n + "1", 251),
    (lambda n: "1*" * n + "1", 251),
    (lambda n: "1*1+" * n + "1", 250),
    (lambda n: "1+" + "1*" * n + "1", 250),
    (lambda n: "1+" * 100 + "1*" * n + "1", 250),
    (lambda n: "1*" * 100 + "1" + "+1" * n, 151),
    (lambda n: "1<" * n + "1", 251),
    (lambda n: "1 in " * n + "1", 251),
    (lambda n: "1<" * 100 + "1+" * n + "1", 250),
    (lambda n: "1+" * n + "1 == 1 && " + "1+" * n + "1 == 1", 250),
    (lambda n: "d" + ".a" * n, 251),
    (lambda n: "d" + ".?a" * n, 251),
    (lambda n: "d" + "[0]" * n, 251),
    (lambda n: "d" + ".f()" * n, 251),
    (lambda n: "d" + ".a[0]" * n, 126),
    (lambda n: "(" + "1+" * n + "1)", 251),
    (lambda n: "1+(" * n + "1" + ")" * n, 125),
    (lambda n: "1+" * 100 + "(" * n + "1" + ")" * n, 249),
    (lambda n: "1+" * 100 + "d" + ".a" * n, 250),
    (lambda n: "(" * 100 + "d" + ".a" * n + ")" * 100, 251),
    (lambda n: "(" * n + "d" + ")" * n + ".a" * 100, 250),
    (lambda n: "(" * n + "d" + ")" * n + "+1" * 100, 250),
]


def is_refused(text: str) -> bool:
    nesting = nesting_of(text)
    return nesting.grammar > NESTING_MAX or nesting.operations > NESTING_MAX


@pytest.mark.parametrize(("shape", "depth"), REFUSED_FROM, ids=[shape(1) for shape, _ in REFUSED_FROM])
def test_depth_is_measured_as_cel_go_measures_it(shape: Callable[[int], str], depth: int) -> None:
    assert not is_refused(shape(depth - 1))
    assert is_refused(shape(depth))


@pytest.mark.parametrize("text", ["true&&" * 3000 + "true", "-" * 3000 + "1", "!" * 3000 + "true"])
def test_what_stands_side_by_side_does_not_nest(text: str) -> None:
    assert not is_refused(text)


@pytest.mark.parametrize("text", ["'(((((' + \"[[[[\"", "1 // ((((((", r"r'\' + '(('", "'''(\n((''' + b'(('"])
def test_brackets_in_strings_and_comments_do_not_nest(text: str) -> None:
    assert nesting_of(text).grammar <= 2


@pytest.mark.parametrize(
    "text", ["", ")", ")))(((", "?:", ":::", ",,,", "in in in", "+ * /", "'", '"""', "a ? b", "}{"]
)
def test_any_text_at_all_is_measured(text: str) -> None:
    assert nesting_of(text).grammar >= 1
