import pytest

from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.checker import check
from fakeapi.machinery.cel.declarations import LIBRARIES
from fakeapi.machinery.cel.environment import Environment
from fakeapi.machinery.cel.formatting import format_fault
from fakeapi.machinery.cel.syntax import Call

pytest.importorskip("cel_expr_python", reason="expressions are parsed with the extra cel alone")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("'%s and 100%%'.format(['a'])", None),
        ("'%s'.format([])", "index 0 out of range"),
        ("'%d'.format([1, 2])", "too many arguments supplied to string.format (expected 1, got 2)"),
        ("'%'.format([])", "unexpected end of string"),
        ("'%z'.format([1])", 'could not parse formatting clause: unrecognized formatting clause "z"'),
        (
            "'%d'.format(['a'])",
            "error during formatting: decimal clause can only be used on integers, was given string",
        ),
    ],
)
def test_constant_arguments_of_format_are_checked(expression: str, message: str | None) -> None:
    environment = Environment({}, LIBRARIES)
    root = library.parse(expression, LIBRARIES).root
    assert isinstance(root, Call)
    fault = format_fault(root, check(root, environment).types)
    assert (fault.message if fault else None) == message
