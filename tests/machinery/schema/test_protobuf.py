"""Objects in protobuf: the envelope with apiVersion and kind, fields of every type, and invalid bytes."""

import base64
import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.schema import protobuf
from fakeapi.machinery.schema.decoding import decode
from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.machinery.schema.protobuf import ProtobufError
from fakeapi.machinery.schema.protobuf_encoding import encode, wrap
from fakeapi.machinery.schema.protobuf_wire import WireError, fields_of, packed, signed, varint
from fakeapi.machinery.schema.raw_extension import as_written
from fakeapi.releases import KNOWN_RELEASES, load_release
from fakeapi.releases.release import kinds_of_release
from tests.go_modules import modules_of, needs_go
from tests.machinery.schema.protobuf_fields import blob, integer, number

STRING = Scalar(ScalarKind.STRING, "string")
INTEGER = Scalar(ScalarKind.INTEGER, "int64")


def of_one(node: Node, data: bytes) -> Any:
    """Decodes a protobuf message whose field 1 has the type `node`.

    Returns the field's value, or None if the field is missing.
    """
    return protobuf.decode(data, Struct("v1.One", {"one": Field("one", node, protobuf_path=(1,))})).get("one")


def samples_of(name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the folder of sample objects that k8s.io/api publishes with a release.

    Skips the test if the modules of the release cannot be downloaded.
    """
    return modules_of(name, monkeypatch).api / "testdata"


WITHOUT_SAMPLES = {"apiextensions.k8s.io", "apiregistration.k8s.io"}
"""API groups whose Go types are in other modules than k8s.io/api; those modules publish no samples."""


@needs_go
@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_every_kind_is_read_and_written_as_kubernetes_own_samples_have_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads and writes the k8s.io/api sample of each kind; protobuf and JSON must equal the sample files."""
    folders = [each for each in samples_of(name, monkeypatch).iterdir() if each.is_dir()]
    sampled = set()
    for kind in load_release(name).kinds:
        for folder in folders:
            sample = folder / f"{kind.group or 'core'}.{kind.version}.{kind.kind}.pb"
            if not sample.exists():
                continue
            sampled.add(kind)
            stated, api_version, raw = protobuf.unwrap(sample.read_bytes())
            assert (stated, api_version) == (kind.kind, kind.api_version)
            wanted, _ = decode(json.loads(sample.with_suffix(".json").read_bytes()), kind.schema)
            obj, _ = decode(protobuf.decode(raw, kind.schema), kind.schema)
            assert {"kind": stated, "apiVersion": api_version, **obj} == wanted
            changed = sample.with_suffix(".after_roundtrip.pb")
            expected = (changed if changed.exists() else sample).read_bytes()
            assert wrap(stated, api_version, encode(wanted, kind.schema)) == expected, sample
    missing = {kind for kind in load_release(name).kinds if kind.group not in WITHOUT_SAMPLES} - sampled
    assert {kind.kind for kind in missing} <= {"SelfSubjectReview"}


OWN_SAMPLES = Path(__file__).parent / "protobuf_samples.json"


@pytest.mark.parametrize("name", sorted(json.loads(OWN_SAMPLES.read_bytes())))
def test_objects_with_little_in_them_are_written_as_a_server_writes_them(name: str) -> None:
    """Reads and writes recorded objects with zero values, empty lists, negative numbers and early times.

    The protobuf must equal the bytes of a Kubernetes server.
    """
    sample = json.loads(OWN_SAMPLES.read_bytes())[name]
    kinds = kinds_of_release("1.33")
    text = sample["json"].encode()
    obj = json.loads(text)
    schema = kinds.type_of(obj["apiVersion"], obj["kind"])
    assert schema is not None
    canonical = as_written(decode(obj, schema)[0], text, schema)
    written = wrap(obj["kind"], obj["apiVersion"], encode(canonical, schema))
    assert base64.b64encode(written).decode() == sample["protobuf"]
    again, _ = decode(protobuf.decode(protobuf.unwrap(written)[2], schema), schema)
    assert encode(again, schema) == encode(canonical, schema)


@pytest.mark.parametrize(
    ("node", "data", "expected"),
    [
        (STRING, blob(1, "é".encode()), "é"),
        (STRING, blob(1, b"a") + blob(1, b"b"), "b"),
        (INTEGER, integer(1, -2), -2),
        (Scalar(ScalarKind.INTEGER, "int32", 32), integer(1, -3), -3),
        (Scalar(ScalarKind.BOOLEAN, "bool"), integer(1, 1), True),
        (Scalar(ScalarKind.BOOLEAN, "bool"), integer(1, 0), False),
        (Scalar(ScalarKind.NUMBER, "float64"), b"\x09\0\0\0\0\0\0\xf8\x3f", 1.5),
        (Scalar(ScalarKind.BYTES, "[]uint8"), blob(1, b"\xff\0"), "/wA="),
        (Scalar(ScalarKind.QUANTITY, "resource.Quantity"), blob(1, blob(1, b"10Gi")), "10Gi"),
        (Scalar(ScalarKind.TIME, "v1.Time"), blob(1, integer(1, 86_400)), "1970-01-02T00:00:00Z"),
        (
            Scalar(ScalarKind.TIME, "v1.Time"),
            blob(1, integer(1, -62_000_000_000)),
            "0005-04-19T09:46:40Z",
        ),
        (Scalar(ScalarKind.TIME, "v1.Time"), blob(1, b""), None),
        (
            Scalar(ScalarKind.MICRO_TIME, "v1.MicroTime"),
            blob(1, integer(2, 1_500)),
            "1970-01-01T00:00:00.000001Z",
        ),
        (Scalar(ScalarKind.INT_OR_STRING, "intstr.IntOrString"), blob(1, integer(2, 7)), 7),
        (
            Scalar(ScalarKind.INT_OR_STRING, "i.I"),
            blob(1, integer(1, 1) + blob(3, b"7%")),
            "7%",
        ),
        (
            AnyValue("runtime.RawExtension"),
            blob(1, blob(1, b'{"a":[1,null]}')),
            {"a": [1, None]},
        ),
        (AnyValue("runtime.RawExtension"), blob(1, b""), None),
        (List(STRING, "[]string"), blob(1, b"a") + blob(1, b""), ["a", ""]),
        (List(INTEGER, "[]int64"), blob(1, number(1) + number(300)) + integer(1, 2), [1, 300, 2]),
        (
            Map(STRING, "map[string]string"),
            blob(1, blob(1, b"a") + blob(2, b"b")),
            {"a": "b"},
        ),
        (Map(STRING, "map[string]string"), blob(1, blob(1, b"a")), {"a": ""}),
        (Map(INTEGER, "map[string]int64"), blob(1, blob(1, b"a")), {"a": 0}),
        (Map(STRING, "map[string]string"), blob(1, b""), {"": ""}),
    ],
)
def test_each_kind_of_field_is_read_as_json_has_it(node: Node, data: bytes, expected: Any) -> None:
    assert of_one(node, data) == expected


def test_what_json_inlines_is_a_message_of_its_own() -> None:
    inlining = Struct(
        "v1.Outer",
        {
            "source": Field("source", STRING, protobuf_path=(1,)),
            "driver": Field("driver", STRING, protobuf_path=(3, 1)),
            "pool": Field("pool", STRING, protobuf_path=(3, 2)),
            "kind": Field("kind", STRING),
        },
    )
    data = blob(1, b"FromClaim") + blob(3, blob(1, b"d")) + blob(3, blob(2, b"p"))
    assert protobuf.decode(data, inlining) == {"source": "FromClaim", "driver": "d", "pool": "p"}


def test_a_message_in_pieces_is_one_and_unknown_fields_are_left_out() -> None:
    fields = {name: Field(name, STRING, protobuf_path=(place,)) for place, name in [(1, "a"), (2, "b")]}
    pieces = blob(1, blob(1, b"x")) + blob(9, b"?") + blob(1, blob(2, b"y"))
    assert of_one(Struct("v1.Inner", fields), pieces) == {"a": "x", "b": "y"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "empty data"),
        (
            b'{"kind":"Namespace"}',
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
        ),
        (b"k8s\0", "empty body"),
        (b"k8s\0\x0a\x0f", "unexpected EOF"),
        (b"k8s\0\x08\x01", "proto: wrong wireType = 0 for field TypeMeta"),
        (b"k8s\0\x0b", "proto: wrong wireType = 3 for field TypeMeta"),
        (b"k8s\0" + b"\xff" * 11, "proto: integer overflow"),
    ],
)
def test_what_is_no_envelope_is_refused_in_upstreams_words(body: bytes, expected: str) -> None:
    with pytest.raises(ProtobufError) as caught:
        protobuf.unwrap(body)
    assert str(caught.value) == expected


def test_an_envelope_need_not_say_what_is_in_it() -> None:
    assert protobuf.unwrap(b"k8s\0" + blob(2, b"raw")) == ("", "", b"raw")
    typed = blob(1, blob(1, b"v1") + blob(2, b"Namespace"))
    assert protobuf.unwrap(b"k8s\0" + typed) == ("Namespace", "v1", b"")


@pytest.mark.parametrize(
    ("node", "data"),
    [
        (STRING, integer(1, 1)),
        (INTEGER, blob(1, b"1")),
        (STRING, b"\x0a\x09a"),
        (AnyValue("runtime.RawExtension"), blob(1, blob(1, b"{"))),
        (Scalar(ScalarKind.TIME, "v1.Time"), blob(1, integer(1, 1 << 62))),
        (Scalar(ScalarKind.NUMBER, "float64"), blob(1, b"1")),
    ],
)
def test_a_field_that_is_not_of_its_type_is_an_error(node: Node, data: bytes) -> None:
    with pytest.raises(ProtobufError):
        of_one(node, data)


@given(st.binary(max_size=60))
def test_no_bytes_end_in_anything_but_an_object_or_an_error(data: bytes) -> None:
    schema = load_release("1.33").kind("resource.k8s.io", "v1beta2", "resourceclaims").schema
    with contextlib.suppress(ProtobufError):
        assert isinstance(protobuf.decode(data, schema), dict)


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1)))
def test_numbers_survive_the_wire(values: list[int]) -> None:
    together = b"".join(map(number, values))
    assert [signed(value) for value in packed([together])] == values
    alone = fields_of(b"".join(integer(1, value) for value in values)).get(1, [])
    assert [signed(value) for value in alone if isinstance(value, int)] == values


def test_a_number_that_stops_in_the_middle_is_an_error() -> None:
    with pytest.raises(WireError, match="unexpected EOF"):
        varint(b"\x80", 0)
