import pytest

from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.declarations import LIBRARIES
from fakeapi.machinery.cel.syntax import (
    Call,
    Comprehension,
    Entry,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
    StructLiteral,
    children,
    qualified_name,
    walk,
)

pytest.importorskip("cel_expr_python", reason="parsing takes the extra cel")


def parsed(text: str) -> Node:
    return library.parse(text, LIBRARIES).root


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("null", "null", None),
        ("false", "bool", False),
        ("-9223372036854775808", "int", -(1 << 63)),
        ("18446744073709551615u", "uint", (1 << 64) - 1),
        ("-1.5e3", "double", -1500.0),
        ("''", "string", ""),
        ("'é日😀'", "string", "é日😀"),
        ("b'\\xff\\x00'", "bytes", b"\xff\x00"),
    ],
)
def test_a_constant_is_read_with_its_kind_and_value(text: str, kind: str, value: object) -> None:
    node = parsed(text)
    assert isinstance(node, Literal)
    assert (node.kind, node.value) == (kind, value)


def test_each_kind_of_expression_is_read() -> None:
    assert parsed("has(a.b) && c.d([1, ?e], {'k': f, ?'o': g}, N{h: i})") == Call(
        20,
        "_&&_",
        None,
        [
            Select(4, Ident(2, "a"), "b", test_only=True),
            Call(
                6,
                "d",
                Ident(5, "c"),
                [
                    ListLiteral(7, [Literal(8, "int", 1), Ident(9, "e")], frozenset({1})),
                    MapLiteral(
                        10,
                        [
                            Entry(11, Literal(12, "string", "k"), "", Ident(13, "f"), optional=False),
                            Entry(14, Literal(15, "string", "o"), "", Ident(16, "g"), optional=True),
                        ],
                    ),
                    StructLiteral(17, "N", [Entry(18, None, "h", Ident(19, "i"), optional=False)]),
                ],
            ),
        ],
    )


def test_a_comprehension_of_two_variables_is_read_with_both() -> None:
    node = parsed("[1].all(i, v, v)")
    assert isinstance(node, Comprehension)
    assert (node.variable, node.second, node.accumulator) == ("i", "v", "@result")
    assert [type(child).__name__ for child in children(node)] == [
        "ListLiteral",
        "Literal",
        "Call",
        "Call",
        "Ident",
    ]


def test_a_walk_meets_every_node_once_each_before_its_children() -> None:
    ids = [node.id for node in walk(parsed("a.b[c] == {d: [e]}.f(g)"))]
    assert len(ids) == len(set(ids)) == 11


def test_a_chain_of_selections_has_a_qualified_name_and_nothing_else_has() -> None:
    assert qualified_name(parsed("a.b.c")) == "a.b.c"
    assert [qualified_name(parsed(text)) for text in ("a().b", "has(a.b)", "a[0].b", "1")] == [""] * 4


def test_places_are_counted_in_code_points() -> None:
    found = library.parse("'é😀' == x", LIBRARIES)
    assert isinstance(found.root, Call)
    assert found.offsets[found.root.arguments[1].id] == 8


@pytest.mark.parametrize(
    ("library_name", "text"),
    [
        ("bindings", "cel.bind(x, 1, x)"),
        ("two variables", "[1].all(i, v, v)"),
        ("optionals", "a.optMap(x, x)"),
    ],
)
def test_a_macro_is_expanded_where_its_library_is_asked_for_and_a_call_elsewhere(
    library_name: str, text: str
) -> None:
    def names(libraries: frozenset[str]) -> set[str]:
        return {node.function for node in walk(library.parse(text, libraries).root) if isinstance(node, Call)}

    macro = text.split("(", maxsplit=1)[0].rsplit(".", 1)[1]
    assert macro not in names(LIBRARIES)
    assert macro in names(LIBRARIES - {library_name})


def test_what_is_no_expression_is_a_fault_with_its_place() -> None:
    with pytest.raises(
        library.SyntaxFault, match=r"\AERROR: <input>:1:4: Syntax error: .*\n \| 1 \+\n \| \.\.\.\^\Z"
    ):
        parsed("1 +")


def test_what_nests_too_deep_is_told_from_what_is_wrong() -> None:
    for text in ("(" * 40 + "1" + ")" * 40, "1" + "+1" * 40, "a" + ".b" * 40):
        with pytest.raises(library.DeeperThanLibrary):
            parsed(text)


@pytest.mark.parametrize(
    ("function", "right", "wrong"),
    [("matches", "a+", "("), ("duration", "1h", "1d"), ("timestamp", "2024-01-01T00:00:00Z", "2024-01-01")],
)
def test_a_call_on_a_constant_is_judged_by_making_it(function: str, right: str, wrong: str) -> None:
    assert library.fault_in(function, right) == ""
    assert library.fault_in(function, wrong) != ""
