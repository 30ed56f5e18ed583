"""Lists every parser of clients' bytes, with sample inputs, allowed errors, and a check of its results.

A parser must accept any bytes or raise one of its declared errors. Typical checks: encoding a result and
parsing it again gives an equal result; splitting the bytes at other places does not change the result.
"""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from fakeapi.http import negotiation
from fakeapi.http.query import Query
from fakeapi.kinds.resource.validation.cel_selectors import device_compiler
from fakeapi.machinery import codec, hosts
from fakeapi.machinery.apply import fieldset, pathelement
from fakeapi.machinery.cel.compiler import Compiler
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang import (
    base64_decoding,
    duration,
    ip_addresses,
    json_decoding,
    netip,
    times,
    yaml_encoding,
    yaml_text,
)
from fakeapi.machinery.golang.json_syntax import json_syntax_error
from fakeapi.machinery.meta import field_selector, label_selector, names, quantity, request_info
from fakeapi.machinery.patch import json_patch, merge_patch, strategic_merge
from fakeapi.machinery.schema import protobuf, protobuf_encoding
from fakeapi.machinery.schema.decoding import decode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.requests import continue_token
from fakeapi.releases.release import load_release
from fakeapi.releases.rules import rules_of
from fakeapi.serving.http1_reader import ENDED, Preface, RequestReader, Started
from fakeapi.serving.request_head import Refusal
from fakeapi.traces import fieldpaths, messages
from fakeapi.traces.recording.redaction import Redactor

PYTHONS_OWN = (
    "invalid literal for",
    "Exceeds the limit",
    "could not convert",
    "not enough values",
    "too many",
)
"""Beginnings of Python's own error messages. Such a message means that the parser misses a check."""


class Broken(Exception):
    """Raised if a parser's result fails its check. The message has the input and the result."""


@dataclass(frozen=True)
class Target:
    """A parser with sample inputs, the errors that it may raise, and a check of its results.

    `law`: the check; it takes the input and the result, and raises Broken for a wrong result.
    """

    read: Callable[[bytes], Any]
    seeds: tuple[bytes, ...]
    refusals: tuple[type[Exception], ...] = (ValueError,)
    law: Callable[[bytes, Any], None] | None = None

    def run(self, data: bytes) -> bool:
        """Parses the input and checks the result; returns whether the parser accepts the input.

        Raises Broken for a wrong result. Unexpected errors of the parser pass through.
        """
        try:
            result = self.read(data)
        except self.refusals as refusal:
            if isinstance(refusal, UnicodeError) or str(refusal).startswith(PYTHONS_OWN):
                raise
            return False
        if self.law is not None:
            self.law(data, result)
        return True


@cache
def schema_of(resource: str, version: str) -> Struct:
    """Returns the schema of a resource of release 1.33 in this API version."""
    kinds = load_release("1.33").kinds
    return next(kind.schema for kind in kinds if (kind.resource, kind.version) == (resource, version))


def _compiled(expression: str) -> object:
    return _compiler()(expression)


@cache
def _compiler() -> Compiler:
    return device_compiler(rules_of(load_release("1.33")))


def hold(law: bool, *shown: object) -> None:  # noqa: FBT001 - reads as an assertion
    if not law:
        raise Broken(" | ".join(map(repr, shown))[:2_000])


def text(read: Callable[[str], Any]) -> Callable[[bytes], Any]:
    """Converts a parser of text to a parser of bytes.

    The new parser decodes the bytes as UTF-8, or as Latin-1 if they are not valid UTF-8.
    """

    def decoded(data: bytes) -> Any:
        try:
            written = data.decode()
        except UnicodeDecodeError:
            written = data.decode("latin-1")
        return read(written)

    return decoded


def settled(read: Callable[[str], Any]) -> Callable[[bytes, Any], None]:
    """Returns a check for parsers with canonical results: parsing a result again does not change it."""

    def law(data: bytes, found: Any) -> None:
        if found is not None:
            hold(read(found) == found, data, found, read(found))

    return law


def settled_time(read: Callable[[str], Any]) -> Callable[[bytes, Any], None]:
    """Returns a check that a time parser is idempotent: parsing a result again gives the same result.

    Skips results with the text of the zero time, because that text parses as null. Such a result comes from a
    time less than a second after the zero time, whose fraction the parser cuts off.
    """
    law = settled(read)

    def of_time(data: bytes, found: Any) -> None:
        if not (str(found).startswith("0001-01-01T00:00:00") and read(found) is None):
            law(data, found)

    return of_time


def _of_json(data: bytes, value: Any) -> None:
    encoded = codec.encode(value)
    again = json_decoding.decode_lenient(encoded)
    hold(codec.encode(again) == encoded, data, encoded)
    hold(not json_syntax_error(encoded), data, encoded)
    json_decoding.duplicate_errors_of(data)


def _typed(resource: str, version: str) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:
        return decode(json_decoding.decode_marking_duplicates(data), schema_of(resource, version))[0]

    return read


def _of_typed(resource: str, version: str) -> Callable[[bytes, Any], None]:
    def law(data: bytes, obj: Any) -> None:
        schema = schema_of(resource, version)
        again = decode(codec.decode(codec.encode(obj)), schema)[0]
        hold(codec.encode(again) == codec.encode(obj), data, obj, again)
        in_protobuf = protobuf_encoding.encode(obj, schema)
        protobuf.decode(in_protobuf, schema)

    return law


def _protobuf(data: bytes) -> Any:
    schema = schema_of("resourceclaims", "v1beta1")
    return decode(protobuf.decode(data, schema), schema)[0]


def _of_protobuf(data: bytes, obj: Any) -> None:
    again = _protobuf(protobuf_encoding.encode(obj, schema_of("resourceclaims", "v1beta1")))
    hold(codec.encode(again) == codec.encode(obj), data, obj, again)


def _of_yaml(data: bytes, value: Any) -> None:
    yaml_text.load_strictly(data)
    if b'"<<"' in codec.encode(value):
        return  # go-yaml writes this key without quotes, and would read it as a merge
    written = yaml_encoding.dump(value)
    again = yaml_text.load(written)
    hold(codec.encode(again) == codec.encode(value), data, value, written, again)


def _of_labels(data: bytes, found: label_selector.Selector) -> None:
    found.matches({"a": "b", "c": "1"})
    again = label_selector.parse(str(found))
    hold(str(again) == str(found), data, str(found), str(again))


def _of_quantity(data: bytes, found: str) -> None:
    again = quantity.canonical(found)
    hold(again == found, data, found, again)


def _fields(data: bytes) -> Any:
    return fieldset.from_fields_v1(json_decoding.decode_lenient(data))


def _of_fields(data: bytes, found: fieldset.FieldSet) -> None:
    paths = [*fieldset.paths_of(found)]
    again = fieldset.from_paths(paths)
    hold({*fieldset.paths_of(again)} == {*paths}, data, found, again)


def _of_base64(data: bytes, found: str) -> None:
    hold(base64_decoding.canonical_base64(found) == found, data, found)


def _of_token(data: bytes, found: tuple[str, int]) -> None:
    key, revision = found
    hold(key.startswith("/p/"), data, key)
    hold(abs(revision) < 1 << 63, data, revision)


def _events(pieces: list[bytes]) -> list[Any]:
    """Parses the bytes of an HTTP/1.1 connection in these pieces; returns the events.

    Joins events with parts of one body, so that the result does not depend on the pieces.
    """
    reader, events = RequestReader(), list[Any]()
    for piece in pieces:
        reader.feed(piece)
        while (event := reader.next()) is not None or reader.complete:
            if event is None:
                reader.next_request()
            elif isinstance(event, bytes) and events and isinstance(events[-1], bytes):
                events[-1] += event
            else:
                events.append(event)
                if not isinstance(event, (bytes, Started)) and event is not ENDED:
                    return events
    return events


def _of_requests(data: bytes, whole: list[Any]) -> None:
    half = len(data) // 2
    cut = _events([data[:half], data[half:]])
    if not any(isinstance(each, (Preface, Refusal)) for each in [*whole, *cut]):
        hold(whole == cut, data, whole, cut)


def _json_patch(data: bytes) -> Any:
    document = {"a": [1, {"b": 2}], "c~/": {"d": None}}
    return json_patch.apply(json_patch.decode_operations(data), document)


def _merge_patch(data: bytes) -> Any:
    return merge_patch.apply(merge_patch.decode_patch(data), {"a": [1, {"b": 2}], "c": {"d": None}})


def _of_merge_patch(data: bytes, once: Any) -> None:
    if isinstance(once, dict):
        twice = merge_patch.apply(merge_patch.decode_patch(data), once)
        hold(codec.encode(twice) == codec.encode(once), data, once, twice)


def _strategic(data: bytes) -> Any:
    return strategic_merge.apply(strategic_merge.decode_patch(data), POD, schema_of("pods", "v1"))


POD: dict[str, Any] = {
    "metadata": {"name": "a", "finalizers": ["x/a", "x/b"], "labels": {"a": "b"}},
    "spec": {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 1, "protocol": "TCP"}]}]},
}

CLAIM = (
    b'{"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{"name":"a","labels":{"a":"b"}},'
    b'"spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c","count":1,"selectors":'
    b'[{"cel":{"expression":"true"}}]}],"config":[{"opaque":{"driver":"d","parameters":{"a":1.0}}}]}}}'
)
SLICE = (
    b'{"metadata":{"name":"a"},"spec":{"driver":"d","pool":{"name":"p","generation":1},"devices":'
    b'[{"name":"d","basic":{"attributes":{"a":{"int":1}},"capacity":{"c":{"value":"1Gi"}}}}]}}'
)
JSON_SEEDS = (CLAIM, b'{"a":1,"a":1.5e3,"b":"\\ud83d\\ude00\\u003c"}', b"[null,true,-0,1e400]", b'"\\ud800"')
YAML_SEEDS = (
    b"a: &x {b: 1, ? c : ~}\nd:\n  <<: *x\n  e: !!binary aGk=\n",
    b"- 0o17\n- 1_000\n- 2001-12-14\n- yes\n- '\\'\n- \"\\x41\\u263a\"\n- |+\n  a\n\n- >-\n  b\n",
    b"%YAML 1.1\n---\na: .inf\nb: 0x1F\n...\n---\nc\n",
)
HTTP_SEEDS = (
    b"GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET / HTTP/1.1\r\nHost: b\r\n\r\n",
    (
        b"PUT http://h/x HTTP/1.1\r\nhost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
        b"1\r\na\r\n0\r\n\r\n"
    ),
    b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
)
TIME_SEEDS = (
    b"2026-01-01T00:00:00.123456Z",
    b"0000-02-29T23:59:60+24:00",
    b"0001-01-01T00:00:00Z",
    b"0001-01-01T00:00:00.0000001Z",
)
TARGETS: dict[str, Target] = {
    "accept": Target(
        text(negotiation.negotiate),
        (b"application/json;as=Table;v=v1;g=meta.k8s.io,application/json;q=0.5", b"*/*", b"text/*;q=1e9"),
        (ApiError,),
    ),
    "base64": Target(
        text(base64_decoding.canonical_base64), (b"aGk=", b"aGkK\naGk=", b"===="), law=_of_base64
    ),
    "cel": Target(
        text(_compiled),
        (
            b'device.driver == "a" && device.attributes["a"].b.isGreaterThan(semver("1.0.0"))',
            b'device.capacity["a"].b.compareTo(quantity("1Gi")) > 0 || "\\x41".matches("(a)*")',
            b"[1, 2].all(x, x in {1: true}) ? 1.5e3 : -0x1Fu",
        ),
        (),
    ),
    "continue": Target(
        text(lambda each: continue_token.decode_token(each, "/p/")),
        (continue_token.encode_token("/p/a/b", "/p/", 5).encode(), b"e30"),
        (ApiError,),
        _of_token,
    ),
    "duration": Target(text(duration.duration_error), (b"1h2m3.5s", b"-1us", b"9" * 30 + b"h")),
    "encoded body": Target(
        lambda data: messages.decoded(data, "gzip"),
        (gzip.compress(b'{"a":1}', mtime=0) * 2,),
        (messages.NotDecoded,),
    ),
    "field path": Target(text(fieldpaths.parse), (b"metadata.annotations[a.b/c]", b"a[*].b", b"status")),
    "field selector": Target(
        text(field_selector.parse), (b"metadata.name=a,spec.nodeName!=b\\,c", b"a==b\\\\")
    ),
    "fields": Target(
        _fields, (b'{"f:a":{".":{},"k:{\\"b\\":1}":{}},"v:1":{},"i:0":{}}',), law=_of_fields
    ),
    "host": Target(
        lambda data: hosts.HostRules.parse().refusal([(b"host", data), (b"origin", data)]),
        (b"localhost:1", b"[::1]", b"http://a.b:80"),
        (),
    ),
    "http": Target(lambda data: _events([data]), HTTP_SEEDS, (), _of_requests),
    "ip": Target(
        text(lambda each: (ip_addresses.parse_ip(each), ip_addresses.parse_cidr(each))),
        (b"10.0.0.1/24", b"fe80::1%eth0", b"::ffff:1.2.3.4/96"),
        (),
    ),
    "json": Target(json_decoding.decode_lenient, JSON_SEEDS, (codec.JsonError,), _of_json),
    "json patch": Target(
        _json_patch,
        (
            b'[{"op":"add","path":"/a/-","value":{}},{"op":"test","path":"/c~0~1/d","value":null}]',
            b'[{"op":"move","from":"/a/1","path":"/e"},{"op":"copy","from":"","path":"/f"}]',
            b'[{"op":"remove","path":"/a/-1"},{"op":"replace","path":"","value":1}]',
        ),
        (ApiError,),
    ),
    "label selector": Target(
        text(label_selector.parse),
        (b"a in (b,c),d notin (e),!f,g,h=i,j!=k,l>1,m<2", b"x/y == z", b"a in (,)"),
        law=_of_labels,
    ),
    "merge patch": Target(_merge_patch, (b'{"a":null,"c":{"d":[]}}',), (ApiError,), _of_merge_patch),
    "names": Target(
        text(lambda each: (names.is_qualified_name(each), names.is_valid_label_value(each))),
        (b"a.b/c", b"x" * 64),
        (),
    ),
    "netip": Target(
        text(lambda each: (netip.addr_error(each), netip.prefix_error(each))),
        (b"10.0.0.1/24", b"fe80::1%eth0", b"::1.2.3.4", b"1:2:3:4:5:6:7:8"),
        (),
    ),
    "path": Target(
        text(lambda each: request_info.verb_of("GET", request_info.parse(each), each)),
        (b"/apis/g/v1/namespaces/n/r/x/status", b"/api/v1/watch/pods", b"/api/v1/proxy/namespaces/a"),
        (),
    ),
    "path element": Target(
        text(pathelement.parse),
        (b'k:{"a":1,"b":"c"}', b"f:a", b"v:1.50", b"i:-0"),
        law=settled(pathelement.parse),
    ),
    "protobuf": Target(
        _protobuf, (b"\n\x05\n\x01a\x12\x00\x12\x09\n\x07\n\x05\n\x01r\x12\x00",), law=_of_protobuf
    ),
    "protobuf envelope": Target(
        protobuf.unwrap, (b"k8s\x00\n\x0d\n\x02v1\x12\x07Service\x12\x00\x1a\x00\x22\x00",)
    ),
    "quantity": Target(
        text(quantity.canonical),
        (b"1.5Gi", b"-1e3", b"100m", b"9" * 30 + b"Ki", b"0.0000000001E"),
        law=_of_quantity,
    ),
    "query": Target(
        lambda data: Query(data).integer("limit"),
        (b"limit=5&a=%zz&watch=%31", b"limit=-9223372036854775808", b"a=b;c=d&&=&+%00"),
        (ApiError,),
    ),
    "redaction": Target(
        Redactor().body, (b'{"token":"a","data":{"b":"c"}}', b"password: a\n- --token=b\n"), ()
    ),
    "strategic merge patch": Target(
        _strategic,
        (
            b'{"spec":{"containers":[{"name":"c","$patch":"delete"}],"$setElementOrder/containers":[]}}',
            b'{"metadata":{"$deleteFromPrimitiveList/finalizers":["x/a"],"$retainKeys":["name"]}}',
        ),
        (ApiError,),
    ),
    "time": Target(text(times.canonical_micro), TIME_SEEDS, law=settled_time(times.canonical_micro)),
    "time in seconds": Target(text(times.canonical), TIME_SEEDS, law=settled_time(times.canonical)),
    "typed: claim": Target(
        _typed("resourceclaims", "v1beta1"), (CLAIM,), law=_of_typed("resourceclaims", "v1beta1")
    ),
    "typed: slice": Target(
        _typed("resourceslices", "v1beta1"),
        (SLICE,),
        law=_of_typed("resourceslices", "v1beta1"),
    ),
    "yaml": Target(yaml_text.load, YAML_SEEDS, law=_of_yaml),
}  # fmt: skip
