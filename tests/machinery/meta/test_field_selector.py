"""Field selectors are parsed and matched as in k8s.io/apimachinery `pkg/fields`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.meta.field_selector import (
    NOT_SUPPORTED,
    FieldSelector,
    Requirement,
    check_labels,
    parse,
)


def refusal(text: str) -> str | None:
    try:
        parse(text)
    except ValueError as error:
        return str(error)
    return None


METADATA = ("metadata.name", "metadata.namespace")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        (",,", ""),
        ("x=a,y=b,z=c", "x=a,y=b,z=c"),
        ("z=c,x=a,", "x=a,z=c"),
        ("x!=a,y==b", "x!=a,y=b"),
        ("x=", "x="),
        ("=,x=a,!=", "x=a"),
        ("=a", "=a"),
        ("x= a ", "x= a "),
        (r"x=a\,b\=c\\", r"x=a\,b\=c\\"),
        (r"x=a\,", r"x=a\,"),
        (r"x!=\\,y=\,", r"x!=\\,y=\,"),
        ("a b!=c", "a b!=c"),
        ("x=a!b", "x=a!b"),
    ],
)
def test_a_selector_prints_ordered_by_its_terms(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        ("x=1,b,a", "invalid selector: 'x=1,b,a'; can't understand 'a'"),
        (r"x\,y", r"invalid selector: 'x\,y'; can't understand 'x\,y'"),
        ("x=a=b", "invalid field selector: unescaped character in value: 61"),
        ("x!==a", "invalid field selector: unescaped character in value: 61"),
        (r"x=\a", r"invalid field selector: invalid escape sequence: \a"),
        (r"x=é\é", r"invalid field selector: invalid escape sequence: \é"),
        ("x=a\\", "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_a_term_that_cannot_be_read_says_why(text: str, message: str) -> None:
    assert refusal(text) == message


@pytest.mark.parametrize(
    ("text", "fields", "matches"),
    [
        ("", {}, True),
        ("x=y", {"x": "y"}, True),
        ("x==y", {"x": "z"}, False),
        ("x=", {}, True),
        ("x!=", {}, False),
        ("x!=y", {}, True),
        ("x!=y", {"x": "y"}, False),
        ("x=y,z=w", {"x": "y", "z": "w"}, True),
        ("x=y,z!=w", {"x": "y", "z": "w"}, False),
        ("x=a,x=b", {"x": "a"}, False),
        (r"x=a\,b", {"x": "a,b"}, True),
    ],
)
def test_fields_match_when_every_requirement_holds(text: str, fields: dict[str, str], matches: bool) -> None:  # noqa: FBT001 - a column
    assert parse(text).matches(fields) is matches


def test_only_a_selector_without_requirements_is_empty() -> None:
    assert parse(",").empty
    assert not parse("x=").empty


def test_an_exact_match_is_the_first_equality_of_a_field() -> None:
    selector = parse("metadata.name!=b,metadata.name=a,metadata.name=c,metadata.namespace!=x")
    assert selector.requires_exact_match("metadata.name") == "a"
    assert selector.requires_exact_match("metadata.namespace") is None


def test_an_unknown_field_is_refused_in_the_words_of_its_kind() -> None:
    check_labels(parse("metadata.name=a,metadata.namespace!=b"), METADATA)
    with pytest.raises(ValueError, match="known") as unknown:
        check_labels(parse("metadata.name=a,spec.x=1,status.y=2"), METADATA)
    assert str(unknown.value) == (
        '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'
    )
    with pytest.raises(ValueError, match=r"^field label not supported: {x}$"):
        check_labels(parse("{x}=1"), METADATA, NOT_SUPPORTED)


requirements = st.builds(
    Requirement,
    st.sampled_from(["a", "metadata.name"]),
    st.text(alphabet="ab\\,=!é", max_size=5),
    negated=st.booleans(),
)


@given(st.lists(requirements, max_size=4))
@settings(max_examples=150, derandomize=True, database=None)
def test_the_text_of_a_selector_reads_as_the_same_selector(found: list[Requirement]) -> None:
    selector = FieldSelector(tuple(sorted(found, key=str)))
    assert parse(str(selector)) == selector


@given(st.text(alphabet="ab\\,=!", max_size=10))
@settings(max_examples=300, derandomize=True, database=None)
def test_any_text_is_a_selector_or_a_refusal_with_words(text: str) -> None:
    why = refusal(text)
    if why is None:
        selector = parse(text)
        assert parse(str(selector)).requirements == tuple(sorted(selector.requirements, key=str))
    else:
        assert why.startswith(("invalid selector: '", "invalid field selector: "))
