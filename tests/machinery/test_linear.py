"""Every parser takes a linear number of steps; each test uses difficult inputs of three sizes.

YAML, durations and CEL have such tests in their own modules.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from fakeapi.machinery.apply import fieldset
from fakeapi.machinery.apply.manager import FieldManager
from fakeapi.machinery.golang import json_decoding, json_syntax, times
from fakeapi.machinery.meta import field_selector, label_selector, names, object_meta, quantity, request_info
from fakeapi.machinery.patch import json_patch, merge_patch, strategic_merge
from fakeapi.machinery.schema import protobuf, raw_extension
from fakeapi.machinery.schema.decoding import decode
from fakeapi.machinery.schema.protobuf_wire import bytes_field
from fakeapi.releases.release import load_release
from tests.machinery.steps import assert_linear

Prepared = Callable[[int], Callable[[], object]]

SCHEMA = next(
    kind.schema
    for kind in load_release("1.33").kinds
    if (kind.resource, kind.version) == ("resourceclaims", "v1beta1")
)
MANAGER = FieldManager(SCHEMA, "resource.k8s.io/v1beta1", "ResourceClaim")
NOW = "2024-01-01T00:00:00Z"


def claim(**meta: Any) -> dict[str, Any]:
    """Returns a ResourceClaim as a client sends it. `meta`: additional metadata."""
    return {
        "apiVersion": "resource.k8s.io/v1beta1",
        "kind": "ResourceClaim",
        "metadata": {"name": "a", **meta},
        "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "c"}]}},
    }


def canonical(**meta: Any) -> dict[str, Any]:
    return decode(claim(**meta), SCHEMA)[0]


def owners(count: int, **members: Any) -> list[dict[str, Any]]:
    return [
        {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": str(index), **members}
        for index in range(count)
    ]


def finalizers(count: int) -> list[str]:
    return [f"a/{index}" for index in range(count)]


def labels(count: int, value: str = "b") -> dict[str, str]:
    return {f"a{index}": value for index in range(count)}


def read(text: Callable[[int], bytes]) -> Prepared:
    """Returns a function that takes a size n, and returns a function that decodes JSON of this size.

    `text`: takes the size n and returns the JSON.
    """
    return lambda n: lambda: decode(json_decoding.decode_marking_duplicates(text(n)), SCHEMA)


def json_patched(operations: Callable[[int], list[Any]], **meta: Callable[[int], Any]) -> Prepared:
    def prepared(n: int) -> Callable[[], object]:
        body = json.dumps(operations(n)).encode()
        document = claim(**{name: value(n) for name, value in meta.items()})
        return lambda: json_patch.apply(json_patch.decode_operations(body), document)

    return prepared


def merged(patch: Callable[[int], Any], **meta: Callable[[int], Any]) -> Prepared:
    def prepared(n: int) -> Callable[[], object]:
        body = json.dumps({"metadata": patch(n)}).encode()
        document = canonical(**{name: value(n) for name, value in meta.items()})
        return lambda: strategic_merge.apply(
            strategic_merge.decode_patch(body), document, SCHEMA, keeps_directives=False
        )

    return prepared


def applied(before: dict[str, Callable[[int], Any]] | None, **meta: Callable[[int], Any]) -> Prepared:
    """Returns a function that takes a size n, and returns a function that applies metadata of this size.

    - `before`: the metadata fields that another field manager applied earlier; None for a new object
    - `meta`: the metadata fields to apply

    The values of both are functions that take the size n and return the value of the field.
    """

    def prepared(n: int) -> Callable[[], object]:
        live = None
        if before is not None:
            sent = claim(**{name: value(n) for name, value in before.items()})
            live = MANAGER.apply(None, sent, "one", NOW)
        patch = claim(**{name: value(n) for name, value in meta.items()})
        return lambda: MANAGER.apply(live, patch, "other", NOW)

    return prepared


def of_text(parse: Callable[[str], object], text: Callable[[int], str]) -> Prepared:
    return lambda n: partial(parse, text(n))


def managed_fields(operation: str) -> Callable[[int], Callable[[], object]]:
    def prepared(n: int) -> Callable[[], object]:
        entries = [
            {
                "manager": f"m{index}",
                "operation": operation,
                "apiVersion": "resource.k8s.io/v1beta1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {f"f:x{index}": {}},
            }
            for index in range(n)
        ]
        obj = canonical(managedFields=entries)
        return lambda: MANAGER.update(None, obj, "m", NOW)

    return prepared


def in_config(n: int) -> bytes:
    one = b'{"opaque":{"driver":"a","parameters":{"a":1.0}}}'
    return b'{"spec":{"devices":{"config":[' + b",".join([one] * n) + b"]}}}"


def written(n: int) -> Callable[[], object]:
    body = in_config(n)
    obj, _ = decode(json.loads(body), SCHEMA)
    return lambda: raw_extension.as_written(obj, body, SCHEMA)


LABELS: dict[str, Callable[[int], str]] = {
    "requirements": lambda n: ",".join(f"a{i}=b" for i in range(n)),
    "the same requirement": lambda n: ",".join(["a!=b"] * n),
    "values": lambda n: "a in (" + ",".join(f"b{i}" for i in range(n)) + ")",
    "commas": lambda n: "a in (" + "," * n + ")",
    "bangs": lambda n: "!" * n + "a",
    "equals": lambda n: "=" * n,
    "a long key": lambda n: "a" * n + "=b",
    "spaces": lambda n: "a" + " " * n + "=b",
    "parentheses": lambda n: "a in " + "(" * n,
    "digits": lambda n: "a>" + "1" * n,
}
FIELDS: dict[str, Callable[[int], str]] = {
    "requirements": lambda n: ",".join(f"metadata.name=a{i}" for i in range(n)),
    "escapes": lambda n: "metadata.name=" + "\\," * n,
    "backslashes": lambda n: "metadata.name=" + "\\" * n,
    "equals": lambda n: "a" + "=" * n,
    "bangs": lambda n: "a" + "!" * n + "=b",
}
QUANTITIES: dict[str, Callable[[int], str]] = {
    "digits": lambda n: "1" * n,
    "binary": lambda n: "1" * n + "Gi",
    "a binary fraction": lambda n: "0." + "1" * n + "Gi",
    "nines": lambda n: "9" * n + "." + "9" * n + "m",
    "zeros": lambda n: "0" * n + "1",
    "a suffix": lambda n: "1" + "k" * n,
    "an exponent": lambda n: "1e" + "9" * n,
    "spaces": lambda n: " " * n + "1",
    "signs": lambda n: "+" * n + "1",
}
NAMES: dict[str, tuple[Callable[[str], object], Callable[[int], str]]] = {
    "labels of a subdomain": (names.is_dns1123_subdomain, lambda n: "a." * n + "a"),
    "dashes": (names.is_dns1123_subdomain, lambda n: "a-" * n),
    "a bad end": (names.is_dns1123_subdomain, lambda n: "a" * n + "!"),
    "labels and a bad end": (names.is_dns1123_subdomain, lambda n: "a." * n + "!"),
    "slashes": (names.is_qualified_name, lambda n: "a/" * n + "a"),
    "dots": (names.is_qualified_name, lambda n: "." * n),
    "path segments": (names.is_valid_path_segment_name, lambda n: "/%" * n),
}

SHAPES: dict[str, Prepared] = {
    "json: a key again and again": lambda n: partial(
        json_decoding.duplicate_errors_of, b"{" + b",".join([b'"a":1'] * n) + b"}"
    ),
    "json: surrogates": lambda n: partial(json_decoding.decode_lenient, b'["' + b"\\ud800" * n + b'"]'),
    "json: bad UTF-8": lambda n: partial(json_decoding.decode_lenient, b'"' + b"\xff" * n + b'"'),
    "json syntax: items": lambda n: partial(json_syntax.json_syntax_error, b"[1," * n + b"x"),
    "json syntax: an open string": lambda n: partial(json_syntax.json_syntax_error, b'"' + b"\\n" * n),
    "json syntax: spaces": lambda n: partial(json_syntax.json_syntax_error, b" " * n + b"{" + b" " * n),
    "json syntax: brackets": lambda n: partial(json_syntax.json_syntax_error, b"[" * n),
    "decode: a label again and again": read(
        lambda n: b'{"metadata":{"labels":{' + b",".join([b'"a":"1"'] * n) + b"}}}"
    ),
    "decode: unknown fields": read(lambda n: json.dumps(labels(n)).encode()),
    "decode: unknown fields of items": read(
        lambda n: json.dumps({"spec": {"devices": {"requests": [{"x": 1}] * n}}}).encode()
    ),
    "decode: metadata again and again": read(
        lambda n: b"{" + b",".join(b'"metadata":{"labels":{"a%d":"b"}}' % i for i in range(n)) + b"}"
    ),
    "decode: lists again and again": read(
        lambda n: (
            b"{" + b",".join(b'"spec":{"devices":{"requests":[{"name":"a%d"}]}}' % i for i in range(n)) + b"}"
        )
    ),
    "decode: wrong items": read(lambda n: json.dumps({"metadata": {"finalizers": [1] * n}}).encode()),
    "decode: opaque parameters": read(in_config),
    "raw extensions": written,
    "protobuf: empty fields": lambda n: partial(protobuf.decode, b"\x12\x00" * n, SCHEMA),
    "protobuf: empty entries": lambda n: partial(protobuf.decode, bytes_field(1, b"\x5a\x00" * n), SCHEMA),
    "protobuf: a message in pieces": lambda n: partial(protobuf.decode, b"\x0a\x03\x0a\x01a" * n, SCHEMA),
    "protobuf: a number without end": lambda n: partial(protobuf.decode, b"\x08" + b"\x80" * n, SCHEMA),
    "protobuf: unknown fields": lambda n: partial(protobuf.decode, b"\xf8\x7f\x01" * n, SCHEMA),
    **{f"label selector: {name}": of_text(label_selector.parse, text) for name, text in LABELS.items()},
    **{f"field selector: {name}": of_text(field_selector.parse, text) for name, text in FIELDS.items()},
    **{f"quantity: {name}": of_text(quantity.canonical, text) for name, text in QUANTITIES.items()},
    **{f"name: {name}": of_text(check, text) for name, (check, text) in NAMES.items()},
    "time: a fraction": of_text(times.canonical, lambda n: f"2026-01-01T00:00:00.{'1' * n}Z"),
    "time: digits": of_text(times.canonical, lambda n: "2" * n),
    "time: letters": of_text(times.canonical, lambda n: "é" * n),
    "path: slashes": of_text(request_info.parse, lambda n: "/apis/g/v1" + "/" * n),
    "path: segments": of_text(request_info.parse, lambda n: "/apis/g/v1" + "/a" * n),
    "metadata: owners": lambda n: partial(object_meta.validate_owner_references, owners(n), "p"),
    "metadata: bad labels": lambda n: partial(
        object_meta.validate_labels, {f"a{i}!": "b" for i in range(n)}, "p"
    ),
    "metadata: finalizers": lambda n: partial(object_meta.validate_finalizers, finalizers(n), "p"),
    "fields: many": lambda n: partial(fieldset.from_fields_v1, {f"f:{i}": {} for i in range(n)}),
    "fields: keys": lambda n: partial(fieldset.from_fields_v1, {f'k:{{"a":{i}}}': {} for i in range(n)}),
    "fields: one value spelled in many ways": lambda n: partial(
        fieldset.from_fields_v1, {f"v:{' ' * i}1": {f"f:{i}": {}} for i in range(n)}
    ),
    "fields: brackets": lambda n: partial(fieldset.from_fields_v1, {"v:" + "[" * n + "]" * n: {}}),
    "fields: digits": lambda n: partial(fieldset.from_fields_v1, {"v:" + "1" * n: {}}),
    "managed fields: updates": managed_fields("Update"),
    "managed fields: applies": managed_fields("Apply"),
    "json patch: items at the front": json_patched(
        lambda n: [{"op": "add", "path": "/metadata/finalizers/0", "value": f"a/{i}"} for i in range(n)],
        finalizers=lambda n: [],
    ),
    "json patch: removed from the front": json_patched(
        lambda n: [{"op": "remove", "path": "/metadata/finalizers/0"}] * n, finalizers=finalizers
    ),
    "json patch: tests": json_patched(lambda n: [{"op": "test", "path": "/metadata/name", "value": "a"}] * n),
    "json patch: a deep path": json_patched(lambda n: [{"op": "add", "path": "/a" * n, "value": 1}]),
    "json patch: escapes": json_patched(lambda n: [{"op": "add", "path": "/" + "~1" * n, "value": 1}]),
    "json patch: copies": json_patched(
        lambda n: [{"op": "copy", "from": "/metadata/name", "path": f"/x{i}"} for i in range(n)]
    ),
    "json patch: a member of a wide object": json_patched(
        lambda n: [{"op": "add", "path": "/metadata/labels/x", "value": "b"}] * n, labels=labels
    ),
    "json patch: strict errors": lambda n: partial(
        json_patch.strict_errors, json.dumps([{"op": "test", "path": "/a", "x": 1}] * n).encode()
    ),
    "merge patch: nulls": lambda n: (
        lambda: merge_patch.apply(
            merge_patch.decode_patch(json.dumps({"metadata": {"labels": dict.fromkeys(labels(n))}}).encode()),
            claim(labels=labels(n)),
        )
    ),
    "strategic: finalizers": merged(lambda n: {"finalizers": finalizers(n)}, finalizers=finalizers),
    "strategic: finalizers backwards": merged(
        lambda n: {"finalizers": finalizers(n)[::-1]}, finalizers=finalizers
    ),
    "strategic: one finalizer": merged(lambda n: {"finalizers": ["a/b"] * n}),
    "strategic: finalizers deleted": merged(
        lambda n: {"$deleteFromPrimitiveList/finalizers": finalizers(n)}, finalizers=finalizers
    ),
    "strategic: owners": merged(lambda n: {"ownerReferences": owners(n)}, ownerReferences=owners),
    "strategic: owners deleted": merged(
        lambda n: {"ownerReferences": [{"uid": str(i), "$patch": "delete"} for i in range(n)]},
        ownerReferences=owners,
    ),
    "strategic: owners deleted in order": merged(
        lambda n: {
            "$setElementOrder/ownerReferences": [{"uid": str(i)} for i in range(n)],
            "ownerReferences": [{"uid": str(i), "$patch": "delete"} for i in range(n)],
        },
        ownerReferences=owners,
    ),
    "strategic: owners turned round": merged(
        lambda n: {"$setElementOrder/ownerReferences": [{"uid": str(i)} for i in range(n, -1, -1)]},
        ownerReferences=owners,
    ),
    "strategic: an order of strangers": merged(
        lambda n: {
            "$setElementOrder/finalizers": [f"x/{i}" for i in range(n)],
            "finalizers": [f"x/{i}" for i in range(n)],
        },
        finalizers=finalizers,
    ),
    "apply: finalizers": applied(None, finalizers=finalizers),
    "apply: finalizers backwards": applied(
        {"finalizers": finalizers}, finalizers=lambda n: finalizers(n)[::-1]
    ),
    "apply: one finalizer": applied(None, finalizers=lambda n: ["a/b"] * n),
    "apply: labels": applied(None, labels=labels),
    "apply: conflicts": applied({"labels": labels}, labels=lambda n: labels(n, "c")),
}


@pytest.mark.parametrize("prepared", SHAPES.values(), ids=SHAPES)
def test_steps_are_in_proportion_to_the_input(prepared: Prepared) -> None:
    assert_linear(prepared, 150)


BIG = 100_000


@pytest.mark.parametrize(
    "function",
    [
        partial(label_selector.parse, "a in (" + "," * BIG + ")"),
        partial(field_selector.parse, "metadata.name=" + "\\," * BIG),
        partial(quantity.canonical, "9" * BIG + "." + "9" * BIG + "m"),
        partial(names.is_dns1123_subdomain, "a." * BIG + "!"),
        partial(names.is_dns1123_subdomain, "a-" * BIG + "!"),
        partial(names.is_qualified_name, "a." * BIG + "/" + "b-" * BIG),
        partial(times.canonical, "2026-01-01T00:00:00." + "1" * BIG),
        partial(json_syntax.json_syntax_error, b'"' + b"\\n" * BIG),
        partial(json_syntax.json_syntax_error, b"[" + b"1e5," * BIG),
    ],
)
def test_patterns_do_not_search_long_texts_in_vain(function: Callable[[], object]) -> None:
    """Runs a parser on a long text; a search in more than linear time would exceed the test's time limit."""
    with suppress(ValueError):
        function()
