import pytest

from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.checker import check
from fakeapi.machinery.cel.declarations import LIBRARIES
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.literals import constant_fault, literal_faults, number_faults, regex_fault

pytest.importorskip("cel_expr_python", reason="expressions are parsed with the extra cel alone")

ENVIRONMENT = Environment({}, LIBRARIES)


@pytest.mark.parametrize(
    ("expression", "messages"),
    [
        ("duration('1h')", []),
        ("duration('1 hour')", ["invalid duration argument"]),
        ("timestamp('2024-01-01t00:00:00z')", ["invalid timestamp argument"]),
        ("'a'.matches('(')", ["invalid matches argument"]),
        ("[1, 'a']", ["expected type 'int' but found 'string'"]),
        (
            "{1: 1, 'a': true}",
            ["expected type 'int' but found 'string'", "expected type 'int' but found 'bool'"],
        ),
    ],
)
def test_literals_are_checked_by_what_takes_them(expression: str, messages: list[str]) -> None:
    found = literal_faults(check(library.parse(expression, LIBRARIES).root, ENVIRONMENT), formats=True)
    assert [fault.message for fault in found] == messages


def test_a_double_beyond_all_doubles_is_a_fault() -> None:
    root = library.parse("1e400 > 1.0", LIBRARIES).root
    assert [fault.message for fault in number_faults(root)] == ["invalid double literal"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("a+", ""),
        ("(", "error parsing regexp: missing closing ): `(`"),
        ("a**", "error parsing regexp: invalid nested repetition operator: `**`"),
        (r"\C", r"error parsing regexp: invalid escape sequence: `\C`"),
    ],
)
def test_patterns_are_refused_in_gos_words(pattern: str, message: str) -> None:
    assert regex_fault(pattern) == message


@pytest.mark.parametrize("kind", ["int", "uint"])
def test_a_number_of_thousands_of_digits_cannot_be_converted(kind: str) -> None:
    checked = check(library.parse(f"{kind}('{'1' * 5000}') == {kind}(1)", LIBRARIES).root, ENVIRONMENT)
    assert constant_fault(checked) == f"type conversion error from 'string' to '{kind}'"


def test_a_conversion_that_cannot_succeed_is_a_planning_error() -> None:
    checked = check(library.parse("int('a') == 1", LIBRARIES).root, ENVIRONMENT)
    assert constant_fault(checked) == "type conversion error from 'string' to 'int'"
