"""Label selectors are parsed and matched as in k8s.io/apimachinery `pkg/labels`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.label_selector import Operator, Requirement, Selector, parse


def refusal(text: str) -> str | None:
    try:
        parse(text)
    except ValueError as error:
        return str(error)
    return None


LABEL_VALUE = names.is_valid_label_value("-")[0]
QUALIFIED = names.is_qualified_name("-")[0]
OPERATORS = "in, notin, =, ==, !=, gt, lt"
TWO_BAD_VALUES = (
    f'[values[0][x]: Invalid value: "-a": {LABEL_VALUE}, values[1][x]: Invalid value: "-b": {LABEL_VALUE}]'
)
FOO = {"foo": "bar", "baz": "blah"}
INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        (" \t\r\n", ""),
        ("x=a,y=b,z=c", "x=a,y=b,z=c"),
        ("z=c,x=a", "x=a,z=c"),
        ("x!=a,y==b", "x!=a,y==b"),
        ("x=", "x="),
        ("x= ,z= ", "x=,z="),
        ("!x", "!x"),
        ("! x , y", "!x,y"),
        ("x>1,z<5", "x>1,z<5"),
        ("x > 1", "x>1"),
        ("x in (b, a,b)", "x in (a,b)"),
        ("x in ()", "x in ()"),
        ("x in (,)", "x in ()"),
        ("x in (a,)", "x in (,a)"),
        ("x in (,a)", "x in (,a)"),
        ("x in (a,,b)", "x in (,a,b)"),
        ("x in (a,,,b)", "x in (,a,b)"),
        ("x notin (a)", "x notin (a)"),
        ("x in(a),y", "x in (a),y"),
        ("notin=in", "notin=in"),
        ("in in (in,notin)", "in in (in,notin)"),
        ("x=in", "x=in"),
        ("x notin (a),x=b", "x notin (a),x=b"),
        ("example.com/x=A_b.c", "example.com/x=A_b.c"),
        ("a=b\0,c=\0d\0 ", "a=b,c=d"),
        ("a=b \0,c=d", "a=b"),
    ],
)
def test_a_selector_prints_ordered_by_key_with_its_values_sorted(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("=x", "found '=', expected: !, identifier, or 'end of string'"),
        (",x", "found ',', expected: !, identifier, or 'end of string'"),
        ("(", "found '(', expected: !, identifier, or 'end of string'"),
        ("x,", "found '', expected: identifier after ','"),
        ("x,,y", "found ',', expected: identifier after ','"),
        ("x=a=b", "found '=', expected: ',' or 'end of string'"),
        ("x==a==b", "found '==', expected: ',' or 'end of string'"),
        ("!x=a", "found '=', expected: ',' or 'end of string'"),
        ("x=a b", "found 'b', expected: ',' or 'end of string'"),
        ("x in (a))", "found ')', expected: ',' or 'end of string'"),
    ],
)
def test_what_stands_between_requirements_is_a_comma(text: str, message: str) -> None:
    assert refusal(text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("!", "found '', expected: identifier"),
        ("!!x", "found '!', expected: identifier"),
        ("x y", f"found 'y', expected: {OPERATORS}"),
        ("x||y=b", '<nil>: Invalid value: "x||y": ' + QUALIFIED),
        ("x exists", f"found 'exists', expected: {OPERATORS}"),
        ("x!y", f"found '!', expected: {OPERATORS}"),
        ("x(", f"found '(', expected: {OPERATORS}"),
        ("x=!", "found '!', expected: identifier"),
        ("x>=1", "found '=', expected: identifier"),
        ("x in", "found '' expected: '('"),
        ("x in a", "found 'a' expected: '('"),
        ("x in (", "found '', expected: ',', ')' or identifier"),
        ("x in (=", "found '=', expected: ',', ')' or identifier"),
        ("x in (a", "found '', expected: ',' or ')'"),
        ("x in (a b)", "found 'b', expected: ',' or ')'"),
        ("x in (a,", "found '', expected: ',', or identifier"),
        ("x in (,,", "found '', expected: ',', or identifier"),
        ("x in (a,=)", "found '=', expected: ',', or identifier"),
        ("-x=a", f'<nil>: Invalid value: "-x": {QUALIFIED}'),
        ("/x", '<nil>: Invalid value: "/x": prefix part must be non-empty'),
        ("x<a", f'values[0]: Invalid value: "a": {INTEGER}'),
        ("x>", f'values[0]: Invalid value: "": {INTEGER}'),
        ("x>9223372036854775808", f'values[0]: Invalid value: "9223372036854775808": {INTEGER}'),
        ("x>-1", f'values[0][x]: Invalid value: "-1": {LABEL_VALUE}'),
        (
            "x<-",
            f'[values[0]: Invalid value: "-": {INTEGER}, values[0][x]: Invalid value: "-": {LABEL_VALUE}]',
        ),
        ("x=" + "v" * 64, f'values[0][x]: Invalid value: "{"v" * 64}": must be no more than 63 characters'),
        (
            "x in (ok,-b,-a)",
            TWO_BAD_VALUES,
        ),
    ],
)
def test_a_requirement_that_cannot_be_read_says_what_was_found(text: str, message: str) -> None:
    assert refusal(text) == f"unable to parse requirement: {message}"
    assert refusal(f"first=1,{text}") == f"unable to parse requirement: {message}"


@pytest.mark.parametrize(
    ("text", "labels", "matches"),
    [
        ("", {}, True),
        ("", {"x": "y"}, True),
        ("x=y", {"x": "y"}, True),
        ("x==y", {"x": "z"}, False),
        ("x=y,z=w", {"x": "y", "z": "w"}, True),
        ("x=y,z=w", {"x": "w", "z": "w"}, False),
        ("x=z", {}, False),
        ("x=", {}, False),
        ("x=", {"x": ""}, True),
        ("x!=", {"x": ""}, False),
        ("x!=y,z!=w", {"x": "z", "z": "a"}, True),
        ("x!=y,z!=w", {"x": "z", "z": "w"}, False),
        ("x!=y", {}, True),
        ("notin=in", {"notin": "in"}, True),
        ("x", {"x": "z"}, True),
        ("x", {"y": "z"}, False),
        ("!x", {"y": "z"}, True),
        ("!x", {"x": ""}, False),
        ("x in (a,b)", {"x": "b"}, True),
        ("x in (a,b)", {"x": "c"}, False),
        ("x in (a,b)", {}, False),
        ("x in ()", {"x": ""}, True),
        ("x notin (a,b)", {"x": "b"}, False),
        ("x notin (a,b)", {"x": "c"}, True),
        ("x notin (a,b)", {}, True),
        ("x>1", {"x": "2"}, True),
        ("x>1", {"x": "1"}, False),
        ("x>1", {"x": "0"}, False),
        ("x<1", {"x": "0"}, True),
        ("x<1", {"x": "2"}, False),
        ("x<1", {"x": "-5"}, True),
        ("x>1", {}, False),
        ("x>1", {"x": "two"}, False),
        ("x>1", {"x": "\u0663"}, False),
        ("x>1", {"x": "9223372036854775808"}, False),
        ("x>007", {"x": "08"}, True),
        ("foo=bar,baz=blah", FOO, True),
        ("foo=blah", FOO, False),
        ("foo=bar,foobar=bar,baz=blah", FOO, False),
        ("x=a,x=b", {"x": "a"}, False),
    ],
)
def test_labels_match_when_every_requirement_holds(text: str, labels: dict[str, str], matches: bool) -> None:  # noqa: FBT001 - a column
    assert parse(text).matches(labels) is matches


def test_only_a_selector_without_requirements_is_empty() -> None:
    assert parse(" ").empty
    assert not parse("!x").empty


def test_a_negated_requirement_has_no_values() -> None:
    assert parse("!b,a in (y,x)").requirements == (
        Requirement("a", Operator.IN, ("x", "y")),
        Requirement("b", Operator.DOES_NOT_EXIST),
    )


keys = st.sampled_from(["a", "in", "notin", "example.com/b", "C.d_e"])
values = st.sampled_from(["", "a", "in", "notin", "0", "17", "B.c"])
numbers = st.sampled_from(["0", "5", "42"])
requirements = st.one_of(
    st.builds(
        Requirement,
        keys,
        st.sampled_from([Operator.EQUALS, Operator.DOUBLE_EQUALS, Operator.NOT_EQUALS]),
        st.tuples(values),
    ),
    st.builds(
        Requirement,
        keys,
        st.sampled_from([Operator.GREATER_THAN, Operator.LESS_THAN]),
        st.tuples(numbers),
    ),
    st.builds(
        Requirement,
        keys,
        st.sampled_from([Operator.IN, Operator.NOT_IN]),
        st.sets(values, min_size=1).map(lambda found: tuple(sorted(found))),
    ),
    st.builds(Requirement, keys, st.sampled_from([Operator.EXISTS, Operator.DOES_NOT_EXIST])),
)
selectors = st.lists(requirements, max_size=5).map(
    lambda found: Selector(tuple(sorted(found, key=lambda requirement: requirement.key)))
)


@given(selectors)
@settings(max_examples=150, derandomize=True, database=None)
def test_the_text_of_a_selector_reads_as_the_same_selector(selector: Selector) -> None:
    assert parse(str(selector)) == selector


@given(selectors, st.dictionaries(keys, values))
@settings(max_examples=150, derandomize=True, database=None)
def test_a_selector_matches_what_each_of_its_requirements_matches(
    selector: Selector, labels: dict[str, str]
) -> None:
    alone = [Selector((requirement,)).matches(labels) for requirement in selector.requirements]
    assert selector.matches(labels) is all(alone)


@given(st.text(alphabet="ain (),=!<>\0-1", max_size=12))
@settings(max_examples=300, derandomize=True, database=None)
def test_any_text_is_a_selector_or_a_refusal_with_words(text: str) -> None:
    why = refusal(text)
    if why is None:
        assert parse(str(parse(text))) == parse(text)
    else:
        assert why.startswith(("found '", "unable to parse requirement: "))
