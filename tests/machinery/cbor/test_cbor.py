"""CBOR is encoded and decoded as in Kubernetes' own serializer."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery import codec
from fakeapi.machinery.cbor import CborError
from fakeapi.machinery.cbor.decoding import ELEMENTS_MAX, LEVELS_MAX, PAIRS_MAX, decode, split
from fakeapi.machinery.cbor.encoding import encode
from fakeapi.releases.release import kinds_of_release

SAMPLES: dict[str, Any] = json.loads((Path(__file__).parent / "samples.json").read_text())
PREFIX = "unable to determine group/version/kind: "
OF_TYPES = ("into Go", "strict decoding", "base64 data")
"""Parts of error messages about Go types. fakeapi's CBOR decoder does not make these checks."""
MALFORMED = [
    (each["hex"], each["error"])
    for each in SAMPLES["decoded"]
    if each["error"] and not any(words in each["error"] for words in OF_TYPES)
]
READ = [each for each in SAMPLES["decoded"] if not each["error"]]


@pytest.mark.parametrize(
    "sample", SAMPLES["encoded"], ids=[each["json"]["kind"] for each in SAMPLES["encoded"]]
)
def test_an_object_is_encoded_byte_for_byte_as_kubernetes_does(sample: dict[str, Any]) -> None:
    obj = codec.decode(json.dumps(sample["json"]).encode())
    schema = kinds_of_release("1.33").type_of(obj["apiVersion"], obj["kind"])
    encoded = encode(obj, schema)
    assert encoded.hex() == sample["cbor"]
    assert decode(encoded) == rounded(obj)


def rounded(value: Any) -> Any:
    """Returns a JSON value in which integers outside int64 are floats, as Go decodes them."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(value) if type(value) is int and abs(value) >= 1 << 63 else value


@pytest.mark.parametrize(("text", "error"), MALFORMED, ids=[f"{text[:40]}-" for text, _ in MALFORMED])
def test_what_kubernetes_refuses_is_refused_in_its_words(text: str, error: str) -> None:
    with pytest.raises(CborError) as refused:
        decode(bytes.fromhex(text))
    assert str(refused.value) == error.removeprefix(PREFIX)
    assert (refused.value.level <= 1) is error.startswith(PREFIX)


@pytest.mark.parametrize("sample", READ, ids=[each["hex"] or "empty" for each in READ])
def test_what_kubernetes_reads_is_read_to_the_same_values(sample: dict[str, Any]) -> None:
    value = decode(bytes.fromhex(sample["hex"])) or {}
    wanted = {name: each for name, each in sample["object"].items() if name in ("kind", "data", "immutable")}
    assert {name: each for name, each in value.items() if name != "binaryData"} == wanted


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
)


@given(VALUES)
def test_what_is_encoded_is_decoded_to_itself(value: Any) -> None:
    assert decode(encode(value)) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        value = decode(data)
    except CborError:
        return
    assert codec.encode(value)


@given(st.lists(VALUES, max_size=4))
def test_the_items_of_a_sequence_are_told_apart(values: list[Any]) -> None:
    items = [encode(value) for value in values]
    assert split(b"".join(items)) == items


def test_levels_elements_and_pairs_have_limits() -> None:
    for inside, limit in ((b"\x81", LEVELS_MAX), (b"\xa1\x41a", LEVELS_MAX)):
        decode(inside * limit + b"\x01")
        with pytest.raises(CborError, match="exceeded max nested level 64"):
            decode(inside * (limit + 1) + b"\x01")
    decode(b"\x99" + ELEMENTS_MAX.to_bytes(2, "big") + b"\x01" * ELEMENTS_MAX)
    pairs = b"".join(b"\x42" + number.to_bytes(2, "big") + b"\x01" for number in range(PAIRS_MAX + 1))
    assert pairs
    for endless, count, words in (
        (b"\x9f", ELEMENTS_MAX, "elements 1024"),
        (b"\xbf", PAIRS_MAX, "pairs 1024"),
    ):
        content = pairs if endless == b"\xbf" else b"\x01" * (count + 1)
        with pytest.raises(CborError, match=words):
            decode(endless + content + b"\xff")
