"""The decoder can return numbers and other scalars as their literal text in the body."""

from fakeapi.machinery.patch.json_literals import decode_literals


def test_scalars_can_be_had_as_their_text() -> None:
    body = b' {"a" : [1.0, 1e2, "\\u0061", true, null, {}], "\\u0062": -0 }'
    assert decode_literals(body) == {
        "a": [b"1.0", b"1e2", b'"\\u0061"', b"true", None, {}],
        "b": b"-0",
    }
