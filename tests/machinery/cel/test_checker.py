"""CEL type errors have the messages of cel-go. test_facts compares more expressions with released servers."""

import pytest

from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.checker import Checked, check
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.types import INT, STRING, read

pytest.importorskip("cel_expr_python", reason="expressions are parsed with the extra cel alone")

STANDARD = frozenset({"standard"})
ENVIRONMENT = Environment({"n": INT, "m": read("map(string, int)")}, STANDARD, structs={"S": {"f": STRING}})


def checked(text: str) -> Checked:
    return check(library.parse(text, STANDARD).root, ENVIRONMENT)


@pytest.mark.parametrize(
    ("expression", "of"),
    [
        ("n + 1", "int"),
        ("m.anything", "int"),
        ("has(m.anything)", "bool"),
        ("[1, 2]", "list(int)"),
        ("[1, 'a']", "list(dyn)"),
        ("{'a': n}", "map(string, int)"),
        ("S{f: 'a'}.f", "string"),
        ("[n].map(x, x > 1)", "list(bool)"),
    ],
)
def test_an_expression_has_a_type(expression: str, of: str) -> None:
    found = checked(expression)
    assert found.faults == []
    assert found.type(found.root) == read(of)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("x", "undeclared reference to 'x' (in container '')"),
        ("n + 'a'", "found no matching overload for '_+_' applied to '(int, string)'"),
        ("n.f", "type 'int' does not support field selection"),
        ("S{g: 1}", "undefined field 'g'"),
        ("n && true", "expected type 'bool' but found 'int'"),
        ("n.all(x, true)", "expression of type 'int' cannot be range of a comprehension"),
    ],
)
def test_a_fault_has_cel_gos_words(expression: str, message: str) -> None:
    assert checked(expression).faults[0].message.startswith(message)
