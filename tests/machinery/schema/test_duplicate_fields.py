"""Repeated keys of JSON objects are decoded as in Go; test_decoding has more cases."""

from typing import Any

import pytest

from fakeapi.machinery.golang.json_decoding import decode_marking_duplicates
from fakeapi.machinery.schema.duplicate_fields import merge_duplicates
from fakeapi.machinery.schema.nodes import AnyValue, Field, Struct

ANY = AnyValue("runtime.RawExtension")


@pytest.mark.parametrize(
    ("pointer", "body", "comes_to"),
    [
        (False, b'{"any":{"a":1},"any":null}', {"a": 1}),
        (True, b'{"any":{"a":1},"any":null}', None),
        (False, b'{"any":{"a":1},"any":{"b":2}}', {"b": 2}),
    ],
)
def test_null_is_passed_over_by_a_value_of_any_shape_that_is_no_pointer(
    *, pointer: bool, body: bytes, comes_to: Any
) -> None:
    holder = Struct("v1.Holder", {"any": Field("any", ANY, pointer=pointer)})
    assert merge_duplicates(decode_marking_duplicates(body), holder) == {"any": comes_to}
