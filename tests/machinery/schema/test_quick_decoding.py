"""The fast JSON decoder in C and the decoder in Python give the same results."""

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeapi.machinery import codec
from fakeapi.machinery.golang.json_decoding import decode_marking_duplicates
from fakeapi.machinery.patch.json_patch import apply, decode_operations
from fakeapi.machinery.schema.decode_errors import DecodeErrors, UnstructuredDecodeErrors
from fakeapi.machinery.schema.decoding import SEMANTICS, decode, walker
from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.machinery.schema.quick_decoding import MADE_AFTER, Reader, reader_of
from fakeapi.releases import load_release
from tests.machinery.schema.outer_type import OUTER

RESOURCES = (
    ("resourceclaims", "v1alpha3"),
    ("resourceslices", "v1beta1"),
    ("configmaps", "v1"),
    ("nodes", "v1"),
    ("services", "v1"),
    ("horizontalpodautoscalers", "v2"),
    ("customresourcedefinitions", "v1"),
)
ZERO_DROPPING = Struct(
    "v1.Odd",
    {
        "plain": Field("plain", Scalar(ScalarKind.INTEGER, "int64"), omitzero=True),
        "pointed": Field("pointed", Scalar(ScalarKind.STRING, "string"), omitempty=False, pointer=True),
        "inner": Field("inner", Struct("v1.Empty"), omitzero=True),
        "share": Field("share", Scalar(ScalarKind.NUMBER, "float64")),
        "must": Field("must", Scalar(ScalarKind.BOOLEAN, "bool"), omitempty=False),
        "lists": Field("lists", List(List(Scalar(ScalarKind.STRING, "string"), "[]string"), "[][]string")),
        "maps": Field("maps", Map(Map(AnyValue("any"), "map[string]any"), "map[string]map[string]any")),
    },
)
ODD_SCALARS: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", "a", 0, 1, 1.0, 1.5, True, False, [], {}, 2**31, 2**63, "1Gi", "0.5"]
)
TIMES = ("2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "late")


@cache
def _types() -> list[Struct]:
    kinds = load_release("1.33").kinds
    return [
        OUTER,
        ZERO_DROPPING,
        *(
            next(kind.schema for kind in kinds if (kind.resource, kind.version) == wanted)
            for wanted in RESOURCES
        ),
    ]


@cache
def _reader(index: int) -> Reader:
    return reader_of(_types()[index], SEMANTICS)


def _values(node: Node, depth: int = 0) -> st.SearchStrategy[Any]:
    """Returns a Hypothesis strategy for JSON values of a schema node.

    Most values have the type of the node, with fields in any order; some have another type.
    """
    fits: st.SearchStrategy[Any]
    match node:
        case Struct():
            names = [*node.fields, "unknown"] if depth > 5 else [*node.fields]
            if not names or depth > 6:
                return st.just({})
            some = st.lists(st.sampled_from(names), max_size=5, unique=True)
            fits = some.flatmap(
                lambda chosen: st.fixed_dictionaries(
                    {
                        name: _values(node.fields[name].node, depth + 1)
                        if name in node.fields
                        else st.just(1)
                        for name in chosen
                    }
                )
            )
        case List():
            fits = st.lists(_values(node.items, depth + 1), max_size=2)
        case Map():
            fits = st.dictionaries(st.sampled_from("bac"), _values(node.values, depth + 1), max_size=3)
        case AnyValue():
            fits = st.sampled_from([{"b": 1, "a": [None, 1.0]}, {}, [], "x", 1, None])
        case Scalar():
            fits = _scalars(node.kind)
    return st.one_of([fits] * 19 + [ODD_SCALARS]) if depth else fits


def _scalars(kind: ScalarKind) -> st.SearchStrategy[Any]:
    match kind:
        case ScalarKind.STRING | ScalarKind.BYTES:
            return st.sampled_from(["", "a", "YQ==", "\ud800"])
        case ScalarKind.BOOLEAN:
            return st.booleans()
        case ScalarKind.TIME | ScalarKind.MICRO_TIME:
            return st.sampled_from(TIMES)
        case ScalarKind.INTEGER:
            return st.integers(-1, 2)
        case _:
            return ODD_SCALARS


@settings(deadline=None, max_examples=150, suppress_health_check=[*HealthCheck])
@given(st.data(), st.sampled_from([DecodeErrors, UnstructuredDecodeErrors]))
def test_an_object_comes_out_as_the_walk_decodes_it_or_is_left_to_the_walk(
    data: st.DataObject, made: type[DecodeErrors]
) -> None:
    index = data.draw(st.integers(0, len(_types()) - 1))
    value = data.draw(_values(_types()[index]))
    errors = made()
    expected = walker(_types()[index])(value, (), "", errors)
    found = _reader(index)(value, made())
    if found is None:
        return
    assert errors.error is None
    assert errors.strict == []
    assert (found, _ordered(found)) == (expected, _ordered(expected))


def _ordered(value: Any) -> Any:
    """Converts a JSON value so that `==` also compares the order of keys and the types of scalars."""
    if isinstance(value, dict):
        return [(key, _ordered(item)) for key, item in value.items()]
    return [_ordered(item) for item in value] if isinstance(value, list) else (type(value), value)


@pytest.mark.parametrize("index", range(2, 2 + len(RESOURCES)))
def test_an_ordinary_object_is_not_left_to_the_walk(index: int) -> None:
    metadata = {"labels": {"b": "1", "a": "2"}, "name": "x", "creationTimestamp": None}
    assert _reader(index)({"metadata": metadata, "kind": "K"}, DecodeErrors()) is not None


@pytest.mark.parametrize(
    "body",
    [
        b'{"metadata":{"labels":{"a":"1","a":"2"}}}',
        b'{"spec":{"devices":{"config":[{"requests":["a"],"requests":["b"]}]}}}',
        b'{"spec":{"devices":{"config":[{"opaque":{"parameters":{"a":1,"a":1}}}]}}}',
    ],
)
def test_repeated_fields_are_noticed_however_often_a_type_is_met(body: bytes) -> None:
    node = _types()[2]
    for _ in range(MADE_AFTER + 1):
        first = decode(decode_marking_duplicates(body), node)
        assert decode(decode_marking_duplicates(body), node) == first
    assert decode(codec.decode(body), node)[0] == first[0]


def test_repeated_fields_in_a_value_of_a_json_patch_are_noticed_however_often_a_type_is_met() -> None:
    node = _types()[2]
    operations = decode_operations(
        b'[{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"}},'
        b'{"op":"add","path":"/metadata/finalizers","value":[]}]'
    )
    for _ in range(MADE_AFTER + 2):
        obj, strict = decode(apply(operations, {"metadata": {"name": "x"}}), node)
        assert obj["metadata"]["labels"] == {"a": "2"}
        assert strict == ['duplicate field "metadata.labels.a"']


def test_a_callers_own_errors_are_noted_however_often_a_type_is_met() -> None:
    node = _types()[2]
    for _ in range(MADE_AFTER + 2):
        errors = DecodeErrors()
        _, strict = decode({"metadata": {"name": "x"}, "foo": 1}, node, errors)
        assert errors.strict == strict == ['unknown field "foo"']
