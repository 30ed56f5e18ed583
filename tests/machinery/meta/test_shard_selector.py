"""Shard selectors are parsed and matched. They select a part of the objects by the hash of a field."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.meta.shard_selector import SELECTOR_MAX, hash_of, parse

FIELDS = "object.metadata.uid, object.metadata.namespace"
BOTH = '"object.metadata.uid" and "object.metadata.namespace"'
NO_PATH = "expected field path (e.g. object.metadata.uid)"
MEANT = '(did you mean "0x0000000000000000"?)'
HALF = "0x8000000000000000"
LOWER = f"shardRange(object.metadata.uid, '0x0000000000000000', '{HALF}')"
UPPER = f"shardRange(object.metadata.uid, '{HALF}', '0x10000000000000000')"


def test_the_hash_is_fnv_1a() -> None:
    assert hash_of("") == 0xCBF29CE484222325
    assert hash_of("a") == 0xAF63DC4C8601EC8C
    assert hash_of("foobar") == 0x85944171F73967E8


@given(st.text())
def test_of_two_halves_each_object_is_in_one(uid: str) -> None:
    assert parse(LOWER).matches({"uid": uid}) != parse(UPPER).matches({"uid": uid})
    assert parse(f"{LOWER} || ({UPPER})").matches({"uid": uid})


def test_a_selector_is_shown_as_the_server_spells_it() -> None:
    assert str(parse(f" ( {UPPER.replace(' ', '')} )||{LOWER} ")) == f"{UPPER} || {LOWER}"


def test_namespaces_are_hashed_too() -> None:
    whole = "shardRange(object.metadata.namespace, '0x0000000000000000', '0x10000000000000000')"
    assert parse(whole).matches({"namespace": "a"})
    assert parse(whole).matches({})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" ", "empty shard selector is not allowed; omit the parameter for unfiltered lists"),
        ("f(1)", 'unsupported function "f"; only shardRange() and || are allowed'),
        ("object", "unexpected expression kind 3; expected shardRange() call or || operator"),
        ("shardRange()", "shardRange() requires exactly 3 arguments, got 0"),
        (
            "shardRange('a', 'b', 'c')",
            f"shardRange() first argument: {NO_PATH}, got expression kind 4",
        ),
        (
            "shardRange(object.metadata.name, 'b', 'c')",
            f'unsupported field path "object.metadata.name"; supported: {FIELDS}',
        ),
        ("shardRange(object.metadata.uid, 1, 'c')", "hexStart must be a string literal, got int64"),
        ("shardRange(object.metadata.uid, 'b', 'c')", "hexStart must have '0x' prefix, got \"b\""),
        ("shardRange(object.metadata.uid, '0x', 'c')", "hexStart: hex value is required after '0x'"),
        (
            "shardRange(object.metadata.uid, '0x0', 'c')",
            f'hexStart must be a 0x-prefixed 16-digit hex value, got "0x0" {MEANT}',
        ),
        (
            f"shardRange(object.metadata.uid, '{HALF}', '0x80000000000000g0')",
            'hexEnd: invalid hex character "g" in "0x80000000000000g0"',
        ),
        (
            f"shardRange(object.metadata.uid, '{HALF}', '0x20000000000000000')",
            "hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got \"0x20000000000000000\"",
        ),
        (
            f"shardRange(object.metadata.uid, '{HALF}', '{HALF}')",
            f"shard range start {HALF} must be less than end {HALF}",
        ),
        (
            f"{LOWER} || shardRange(object.metadata.namespace, '0x0000000000000000', '{HALF}')",
            f"all shard ranges must use the same field, got {BOTH}",
        ),
    ],
)
def test_what_is_wrong_with_a_selector_is_said(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse(text)


@pytest.mark.parametrize("text", ["(", ")", "||", LOWER * 2, f"({LOWER}", f"{LOWER})", "a && b", "a(b", "'"])
def test_what_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"CEL parse error|unexpected expression"):
        parse(text)


def test_a_selector_that_is_too_long_does_not_parse() -> None:
    spaces = " " * (SELECTOR_MAX - len(LOWER))
    assert parse(LOWER.replace("(", f"({spaces}"))
    with pytest.raises(ValueError, match="the expression is too long"):
        parse(LOWER.replace("(", f"( {spaces}"))
