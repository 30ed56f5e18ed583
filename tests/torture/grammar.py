"""Generates random objects, patches, selectors and request bodies, most of them almost valid.

Generates values from the schema of a kind, so that many can be decoded and reach the kind's validation. Then
changes some parts of them. All random numbers come from one source with a seed.
"""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote

import yaml

from fakeapi.machinery.patch.media_types import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.machinery.schema.protobuf_wire import bytes_field, varint_field
from fakeapi.releases import Kind

DEPTH_MAX = 9
NAMES = ("a", "b", "c-1", "gpu", "gpu.example.com", "pool-1", "node-1", "default", "x" * 63, "x" * 64)
TEXTS = (
    *NAMES, "", "A", "..", "a/b", "a.b/c", "é", "\0", "\ud800", "%00", "-1", "True", "~", "<<", "10Gi",
    "1.2.3",
    "2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "ExactCount", "All",
    "NoSchedule",
    "Exists", "In", "10.0.0.1/24", "fe80::1", "9" * 400, "x" * 300, "$patch", "f:a", 'k:{"a":1}',
)  # fmt: skip
NUMBERS = (0, 1, -1, 2, 32, 33, 128, 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63), 2**64, 1.5, 1e300, -0.0)
ODD: tuple[Any, ...] = (
    None, True, False, *NUMBERS, *TEXTS, [], {}, [[]], [None], [{}], {"": ""}, {"a": None}, ["x"] * 300,
    {"$patch": "delete"}, {"$patch": "replace"}, {"$patch": "odd"}, {"$retainKeys": ["a"]}, {"f:a": {}},
    {".": {}},
)  # fmt: skip
QUANTITIES = ("1", "10Gi", "1e3", "-1", "0.5", "1.0000000001", "9" * 40, "9" * 30 + "Ki", "", "x")
CEL_PARTS = (
    "true", "1", "-1", "1u", "1.5", '"a"', "b'a'", "null", "[1]", "{1: 2}", "device", "device.driver",
    'device.attributes["a"].b', 'device.capacity["a"].b', "x", "size", "quantity", '"1Gi"', "type(1)",
)  # fmt: skip
CEL_FORMS = (
    "{} + {}", "{} == {}", "{} && {}", "{} || {}", "{} ? {} : {}", "!{}", "-{}", "({})", "[{}, {}]",
    "{{{}: {}}}",
    "{}.a", "{}[{}]", "{}.size()", "size({})", "{}.all(x, {})", "{}.map(x, {})", "{}.exists(x, {})",
    "{} in {}",
    "quantity({})", "{}.matches({})", "has({}.a)", "duration({})", "string({})", "{}.format([{}])",
    "cel.bind(x, {}, {})",
)  # fmt: skip
QUERIES = (
    "dryRun=All", "dryRun=all", "fieldManager=m", "fieldManager=" + "m" * 200, "force=true",
    "fieldValidation=Strict",
    "fieldValidation=Ignore", "fieldValidation=Odd", "pretty=true", "limit=1", "limit=-1",
    "limit=" + "9" * 400,
    "resourceVersion=0", "resourceVersion=1", "resourceVersion=999999", "resourceVersion=x", "continue=abc",
    "resourceVersionMatch=Exact", "resourceVersionMatch=NotOlderThan", "timeoutSeconds=1", "timeout=1s",
    "timeout=1h1h",
    "labelSelector={selector}", "fieldSelector={fields}", "propagationPolicy=Orphan",
    "propagationPolicy=Foreground",
    "gracePeriodSeconds=0", "orphanDependents=true", "unknown=1", "%zz", "=", "a=%00",
    "sendInitialEvents=true",
)  # fmt: skip
HEADERS = (
    "Accept: application/json;as=Table;v=v1;g=meta.k8s.io", "Accept: application/yaml", "Accept: */*",
    "Accept: ;;",
    "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
    "Accept: text/html;q=0.1",
    "Accept-Encoding: gzip", "If-Match: x", "User-Agent: " + "é" * 10,
    "User-Agent: kubectl/v1.33 (linux)", "X-Odd: \x7f",
)  # fmt: skip
BYTES = (
    b"{", b"}", b"[", b'"', b"\\u0000", b"\\ud800", b"\xff", b"\xef\xbb\xbf", b"\0", b"1e999", b"&a ",
    b"*a",
    b"!!binary ", b"<<: *a\n", b"---\n", b"%YAML 9.9\n", b"? ", b"|", b"\t", b"NaN", b"-", b",",
    b"[" * 500, b"{}" * 50,
)  # fmt: skip


class Grammar:
    """Generates random objects, patches, selectors and request bodies for the kinds of a server."""

    def __init__(self, random: Random) -> None:
        self.random = random

    # objects ------------------------------------------------------------------------------------

    def obj(self, kind: Kind, name: str) -> dict[str, Any]:
        """Returns a random object of the kind with the name `name`; its schema allows the object."""
        obj = self._struct(kind.schema, 0)
        metadata = {"name": name}
        if self.random.random() < 0.3:
            full = kind.schema.fields["metadata"].node
            metadata = {**self._value(full, 0), "name": name}
            for unwanted in ("uid", "resourceVersion", "namespace", "generateName"):
                metadata.pop(unwanted, None)
        return {**obj, "apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}

    def _struct(self, node: Struct, depth: int) -> dict[str, Any]:
        likelihood = 0.75 if depth < 3 else 0.35
        return {
            name: self._value(field.node, depth + 1)
            for name, field in node.fields.items()
            if field.required or self.random.random() < likelihood
        }

    def _value(self, node: Node, depth: int) -> Any:
        if depth > DEPTH_MAX:
            return self.random.choice([None, {}, [], ""])
        match node:
            case Struct():
                return self._struct(node, depth)
            case List():
                return [
                    self._value(node.items, depth + 1) for _ in range(self.random.choice([0, 1, 1, 2, 3]))
                ]
            case Map():
                keys = self.random.sample(NAMES, self.random.choice([0, 1, 2]))
                return {key: self._value(node.values, depth + 1) for key in keys}
            case AnyValue():
                return self.odd()
            case Scalar():
                return self._scalar(node)

    def _scalar(self, node: Scalar) -> Any:
        match node.kind:
            case ScalarKind.BOOLEAN:
                return self.random.random() < 0.5
            case ScalarKind.INTEGER | ScalarKind.NUMBER:
                return self.random.choice([0, 1, 1, 2, 3, 32, 33])
            case ScalarKind.TIME:
                return "2026-01-01T00:00:00Z"
            case ScalarKind.MICRO_TIME:
                return "2026-01-01T00:00:00.000000Z"
            case ScalarKind.QUANTITY:
                return self.random.choice(QUANTITIES)
            case ScalarKind.BYTES:
                return "aGk="
            case ScalarKind.STRING if self.random.random() < 0.1:
                return self.expression(3)
            case _:
                return self.random.choice(NAMES if self.random.random() < 0.7 else TEXTS)

    def odd(self) -> Any:
        return copy.deepcopy(self.random.choice(ODD))

    def mutated(self, value: Any) -> Any:
        """Returns a copy of a JSON value with some parts replaced, removed, repeated, moved or added."""
        holder = {"value": copy.deepcopy(value)}
        for _ in range(self.random.choice([1, 1, 1, 2, 5])):
            parent, key = self.random.choice(list(_places(holder)))
            change = self.random.random()
            if change < 0.5:
                parent[key] = self.odd()
            elif change < 0.65 and parent is not holder:
                del parent[key]
            elif change < 0.8:
                other, place = self.random.choice(list(_places(holder)))
                parent[key] = copy.deepcopy(other[place])
            elif isinstance(parent, list):
                parent.extend(copy.deepcopy(parent[:5]) * self.random.choice([1, 3, 20]))
            else:
                parent[self.random.choice(TEXTS)] = self.odd()
        return holder["value"]

    # bodies -------------------------------------------------------------------------------------

    def body(self, value: Any) -> tuple[bytes, str]:
        """Encodes a value as JSON, YAML or protobuf; sometimes damages the bytes.

        Returns bytes and media type.
        """
        form = self.random.random()
        if form < 0.7:
            data, media = _json(value), "application/json"
        elif form < 0.9:
            data, media = _yaml(value), "application/yaml"
        else:
            data, media = self.protobuf(value), "application/vnd.kubernetes.protobuf"
        if self.random.random() < 0.15:
            data = self.damaged(data)
        return data, media

    def protobuf(self, value: Any) -> bytes:
        """Returns a protobuf envelope with the object's apiVersion and kind, and random fields as content."""
        obj = value if isinstance(value, dict) else {}
        type_meta = bytes_field(1, str(obj.get("apiVersion", "")).encode("utf-8", "replace"))
        type_meta += bytes_field(2, str(obj.get("kind", "")).encode("utf-8", "replace"))
        return b"k8s\0" + bytes_field(1, type_meta) + bytes_field(2, self._message(4))

    def _message(self, depth: int) -> bytes:
        parts = b""
        for _ in range(self.random.choice([1, 2, 3])):
            number = self.random.choice([1, 1, 2, 3, 5, 11, 2**29])
            kind = self.random.random()
            if kind < 0.3:
                parts += varint_field(number, self.random.choice([0, 1, 2**31, 2**63, 2**64 - 1]))
            elif kind < 0.6 and depth:
                parts += bytes_field(number, self._message(depth - 1))
            else:
                parts += bytes_field(number, self.random.choice(TEXTS).encode("utf-8", "replace"))
        return parts

    def damaged(self, data: bytes) -> bytes:
        """Returns a copy of the bytes with some bytes changed, removed, inserted or cut off."""
        damaged = bytearray(data or b"{}")
        for _ in range(self.random.choice([1, 1, 3, 10])):
            at = self.random.randrange(len(damaged) + 1)
            kind = self.random.random()
            if kind < 0.3 and at < len(damaged):
                damaged[at] = self.random.randrange(256)
            elif kind < 0.6:
                damaged[at:at] = self.random.choice(BYTES)
            elif kind < 0.9:
                del damaged[at : at + self.random.choice([1, 5, 50])]
            else:
                del damaged[at:]
        return bytes(damaged)

    def patch(self, obj: Any) -> tuple[bytes, str]:
        """Returns a random patch of the object, as bytes, and the media type of the patch."""
        media = self.random.choice([JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH])
        value: Any
        if media == JSON_PATCH:
            value = [self._operation(obj) for _ in range(self.random.choice([1, 1, 2, 5]))]
        elif media == APPLY_PATCH:
            value = obj if self.random.random() < 0.5 else self.mutated(obj)
        else:
            value = self._part(obj)
            if media == STRATEGIC_MERGE_PATCH and self.random.random() < 0.4:
                value = self._with_directives(value)
        data = _yaml(value) if media == APPLY_PATCH and self.random.random() < 0.5 else _json(value)
        if self.random.random() < 0.1:
            data = self.damaged(data)
        return data, media

    def _part(self, obj: Any) -> Any:
        value = self.mutated(obj)
        if isinstance(value, dict) and value and self.random.random() < 0.7:
            key = self.random.choice(list(value))
            value = {key: value[key]}
        return value

    def _with_directives(self, value: Any) -> Any:
        holder = {"value": value}
        parent, key = self.random.choice(list(_places(holder)))
        if isinstance(parent[key], dict):
            parent[key]["$patch"] = self.random.choice(["delete", "replace", "merge", "odd", None])
        elif isinstance(parent[key], list) and isinstance(parent, dict) and isinstance(key, str):
            directive = self.random.choice(["$setElementOrder", "$deleteFromPrimitiveList"])
            parent[f"{directive}/{key}"] = self.random.choice([parent[key], self.odd()])
        return holder["value"]

    def _operation(self, obj: Any) -> Any:
        paths = ["", *_pointers(obj)]
        operation = {
            "op": self.random.choice(["add", "remove", "replace", "move", "copy", "test"]),
            "path": self.random.choice(paths),
        }
        if operation["op"] in {"move", "copy"}:
            operation["from"] = self.random.choice(paths)
        else:
            operation["value"] = self.odd()
        if self.random.random() < 0.2:
            operation["path"] += self.random.choice(["/-", "/0", "/-1", "/99", "/a~1b", "/~", "/é", "x"])
        return self.mutated(operation) if self.random.random() < 0.1 else operation

    # texts --------------------------------------------------------------------------------------

    def expression(self, depth: int) -> str:
        """Returns a random CEL expression, which is rarely valid. `depth`: maximum depth of nesting."""
        if not depth or self.random.random() < 0.2:
            return self.random.choice(CEL_PARTS)
        form = self.random.choice(CEL_FORMS)
        return form.format(*(self.expression(depth - 1) for _ in range(4)))

    def selector(self) -> str:
        forms = (
            "{}={}",
            "{}!={}",
            "{} in ({},{})",
            "{} notin ({})",
            "!{}",
            "{}",
            "{}>1",
            "{}=={}",
            "{}<x",
            "({})",
        )
        parts = [
            self.random.choice(forms).format(*self.random.choices(NAMES, k=3))
            for _ in range(self.random.choice([1, 1, 2, 4]))
        ]
        text = ",".join(parts)
        if self.random.random() < 0.2:
            at = self.random.randrange(len(text))
            text = text[:at] + self.random.choice([",", "(", "!", "\\", "=", " ", "é"]) + text[at:]
        return text

    def fields(self) -> str:
        names = ("metadata.name", "metadata.namespace", "spec.driver", "spec.nodeName", "status.phase", "odd")
        return ",".join(
            self.random.choice(names) + self.random.choice(["=", "!=", "=="]) + self.random.choice(NAMES)
            for _ in range(self.random.choice([1, 1, 2]))
        )

    def query(self) -> str:
        chosen = self.random.sample(QUERIES, self.random.choice([0, 0, 1, 1, 2, 4]))
        return "&".join(
            text.replace("{selector}", quote(self.selector(), errors="replace")).replace(
                "{fields}", quote(self.fields())
            )
            for text in chosen
        )

    def headers(self) -> list[str]:
        return self.random.sample(HEADERS, self.random.choice([0, 0, 0, 1, 2]))


def _json(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def _yaml(value: Any) -> bytes:
    text: str = yaml.safe_dump(value, allow_unicode=True)
    return text.encode("utf-8", "surrogatepass")


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Yields every position in a nested value, as (the dict or list, the key or index)."""
    items = holder.items() if isinstance(holder, dict) else enumerate(holder)
    for key, value in list(items):
        yield holder, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _pointers(value: Any, prefix: str = "") -> Iterator[str]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        path = f"{prefix}/{str(key).replace('~', '~0').replace('/', '~1')}"
        yield path
        yield from _pointers(item, path)
