"""Patches with integers outside int64 or float64 give the results of Go's untyped JSON decoding."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.patch import json_patch, merge_patch, strategic_merge

LONG = "1" + "0" * 400
VALUE_OF = "json: cannot unmarshal number {} into Go {} of type float64"


def of_fields(number: str) -> bytes:
    return b'{"metadata": {"generation": %s}}' % number.encode()


def of_an_operation(number: str) -> bytes:
    return b'[{"op": "add", "path": "/metadata/generation", "value": [%s]}]' % number.encode()


@pytest.mark.parametrize(
    ("decode", "body", "before", "target"),
    [
        (strategic_merge.decode_patch, of_fields, "", "value"),
        (merge_patch.decode_patch, of_fields, "error decoding patch: ", "value"),
        (
            json_patch.decode_operations,
            of_an_operation,
            "error decoding patch: ",
            "struct field jsonPatchOp.value",
        ),
    ],
)
@pytest.mark.parametrize("number", [LONG, "-" + LONG, "1e400"])
def test_one_beyond_float64_is_answered_400(
    decode: Callable[[bytes], Any], body: Callable[[str], bytes], before: str, target: str, number: str
) -> None:
    with pytest.raises(ApiError) as caught:
        decode(body(number))
    assert caught.value == ApiError(400, "BadRequest", before + VALUE_OF.format(number, target))


@pytest.mark.parametrize("digits", ["9" * 306, "9223372036854775808", "-9223372036854775809"])
def test_one_beyond_int64_is_a_float_in_a_strategic_merge_patch(digits: str) -> None:
    number = strategic_merge.decode_patch(of_fields(digits))["metadata"]["generation"]
    assert isinstance(number, float)
    assert number == float(digits)


@pytest.mark.parametrize("digits", ["9223372036854775807", "-9223372036854775808"])
def test_one_of_int64_stays_exact(digits: str) -> None:
    number = strategic_merge.decode_patch(of_fields(digits))["metadata"]["generation"]
    assert isinstance(number, int)
    assert number == int(digits)


def test_one_that_is_text_may_be_long() -> None:
    body = b'{"data": {"%s": "%s"}}' % (LONG.encode(), LONG.encode())
    expected = {"data": {LONG: LONG}}
    assert strategic_merge.decode_patch(body) == expected
    assert merge_patch.decode_patch(body) == expected


def test_without_validation_it_is_found_when_the_patched_object_is_read() -> None:
    assert merge_patch.decode_patch(of_fields(LONG), checked=False) == {"metadata": {"generation": int(LONG)}}
    (operation,) = json_patch.decode_operations(of_an_operation(LONG), checked=False)
    assert operation.value == [int(LONG)]
