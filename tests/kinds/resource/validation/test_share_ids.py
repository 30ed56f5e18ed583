"""Validation of `shareID`, the UUID of a share of an allocated device."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.kinds.resource.validation.share_ids import validate_share_id
from tests.kinds.resource.builders import triples

ID = "8e2a3c9c-7b0f-4c36-9d7e-0c1d2e3f4001"
NORMAL = (
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase "
    "hexadecimal characters"
)


@given(st.uuids())
def test_every_uuid_in_its_normal_form_is_good(value: uuid.UUID) -> None:
    assert validate_share_id(str(value), "id") == []


@given(st.uuids().map(str).filter(lambda text: text != text.upper()))
def test_no_other_spelling_is(text: str) -> None:
    for spelling in (text.upper(), f"{{{text}}}", f"urn:uuid:{text}", text.replace("-", "")):
        assert triples(validate_share_id(spelling, "id")) == [
            ("id", "Invalid", f'Invalid value: "{spelling}": {NORMAL}')
        ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nonsense", "invalid UUID length: 8"),
        ("", "invalid UUID length: 0"),
        ("\u00e9" * 18, "invalid UUID format"),
        (ID.replace("-", "_"), "invalid UUID format"),
        (ID.replace("a", "g"), "invalid UUID format"),
        (f"({ID})", "invalid bracketed UUID format"),
        (f"urn-uuid:{ID}", 'invalid urn prefix: "urn-uuid:"'),
        ("x" * 32, "invalid UUID format"),
    ],
)
def test_what_is_no_uuid_says_why(text: str, problem: str) -> None:
    [(_, _, message)] = triples(validate_share_id(text, "id"))
    assert message.endswith(f": error validating uid: {problem}")
