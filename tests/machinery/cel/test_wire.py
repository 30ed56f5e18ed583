import pytest

from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.syntax import (
    Call,
    Comprehension,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Select,
    StructLiteral,
)

pytest.importorskip("cel_expr_python", reason="expressions are parsed with the extra cel alone")

STANDARD = frozenset({"standard"})


@pytest.mark.parametrize(
    ("expression", "node", "shown"),
    [
        ("1", Literal, 1),
        ("1u", Literal, 1),
        ("-1.5", Literal, -1.5),
        ("b'a'", Literal, b"a"),
        ("null", Literal, None),
        ("'\\u00e9'", Literal, "é"),
        ("x", Ident, "x"),
    ],
)
def test_leaves_come_out_as_they_are_written(expression: str, node: type, shown: object) -> None:
    root = library.parse(expression, STANDARD).root
    assert isinstance(root, node)
    assert getattr(root, "value", getattr(root, "name", None)) == shown


def test_every_kind_of_node_is_read() -> None:
    kinds = {
        "a.b": Select,
        "f(1)": Call,
        "[1]": ListLiteral,
        "{1: 2}": MapLiteral,
        "S{f: 1}": StructLiteral,
        "[1].all(x, x > 0)": Comprehension,
    }
    assert {text: type(library.parse(text, STANDARD).root) for text in kinds} == kinds


def test_nodes_know_their_places_in_the_text() -> None:
    parsed = library.parse("a + bc", frozenset())
    assert isinstance(parsed.root, Call)
    assert [parsed.offsets[each.id] for each in parsed.root.arguments] == [0, 4]
