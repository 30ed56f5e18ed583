"""Records, as fixtures, the results of Kubernetes' registry strategies for random objects.

    python tools/strategy_samples.py 1.37 [--count 400] [--gates all] [--program already-compiled]

A sample is a line of JSON with a request (see strategies.go) and its result. The tool needs Go.
"""

import argparse
import copy
import gzip
import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.releases import Kind, load_release
from tools import eviction_statuses
from tools.modules import LAST_PATCHES
from tools.sample_bases import BASES, FLAT_DEVICES, NAMES, NAMESPACED
from tools.strategy_programs import built

FIXTURES = Path("fixtures/validation")
GROUP = "resource.k8s.io"

TEXTS = [
    "",
    "a",
    "b",
    "A_b",
    "x" * 64,
    "x" * 65,
    "x" * 254,
    "example.com/x",
    "a/b/c",
    "/",
    "a.b",
    "ä",
    "-a",
    "x y",
]
NUMBERS = [-1, 0, 1, 2, 3, 9, 100, 1001]
AMOUNTS = ["0", "1", "2", "500m", "1.5", "-1", "3", "4", "10", "1Gi", "9223372036854775808", "100n"]
LIKELY: dict[str, list[Any]] = {
    "name": ["a", "b", "c", "example.com/x"],
    "driver": ["gpu.example.com", "GPU.example.com"],
    "pool": ["p", "p/q", "P"],
    "poolName": ["p", "p/q", "P"],
    "device": ["d", "e"],
    "deviceClassName": ["gpu", "Gpu"],
    "allocationMode": ["ExactCount", "All"],
    "matchAttribute": ["example.com/x", "x"],
    "distinctAttribute": ["example.com/x", "x"],
    "expression": [
        "true",
        "device.driver == 'x'",
        "device.attributes['a'].b == 1",
        "1",
        "device.nope",
        "(",
        "'a'",
    ],
    "operator": ["Exists", "Equal", "In"],
    "effect": ["NoSchedule", "NoExecute", "None"],
    "key": ["a", "example.com/b"],
    "value": ["a"],
    "version": ["1.0.0", "1"],
    "shareID": ["123e4567-e89b-12d3-a456-426614174000"],
    "extendedResourceName": ["example.com/gpu", "cpu"],
    "counterSet": ["a", "b"],
    "partitionTypeAttribute": ["example.com/x", "gpu.example.com/x"],
    "defaultPartitionTypeAttribute": ["example.com/x"],
    "skipNodeOperations": ["NodePrepareResources", "NodeUnprepareResources", "*"],
    "capacityKey": ["a", "b"],
    "source": ["FromClaim", "FromClass"],
    "requests": ["a", "b", "a/b"],
    "request": ["a", "b", "a/b"],
    "nodeName": ["n"],
    "ips": ["10.0.0.1/24", "10.0.0.0/33"],
    "type": ["Ready", "Complete"],
    "status": ["True", "False"],
    "reason": ["Done"],
    "resource": ["pods"],
    "uid": ["u", "v"],
    "apiGroup": ["", "apps"],
    "strings": ["a", "b"],
    "versions": ["1.0.0", "1"],
    "compatibilityGroups": ["a", "b"],
    "intent": ["Eviction", "Withdrawn"],
    "bindingConditions": ["a", "example.com/b"],
    "bindingFailureConditions": ["c", "example.com/d"],
}
"""Values that the generator prefers for a field, by the field's name."""

KEYS: dict[str, list[str]] = {
    "attributes": ["x", "example.com/x", "gpu.example.com/x", "bad key"],
    "capacity": ["a", "b", "example.com/x"],
    "requests": ["a", "b"],
    "counters": ["a", "b", "A"],
    "nodeAllocatableResources": ["cpu", "memory", "example.com/gpu", "ephemeral-storage"],
    "nodeAllocatableResourceMappings": ["cpu", "memory", "example.com/gpu"],
}
LEFT_OUT = frozenset({"metadata", "kind", "apiVersion", "managedFields", "matchFields", "timeAdded"})

DEPTH_MAX = 9
_OF_PODS = frozenset({"DRAWorkloadResourceClaims", "DynamicResourceAllocation"})
"""Feature gates that affect only pods, and not the kinds of these samples."""


class Generator:
    """Generates random objects of a release's kinds. Equal seeds give equal objects."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def request(self, kind: Kind) -> dict[str, Any]:
        """Returns a random request for the Go program: a create or an update of an object."""
        base = self.base(kind)
        has_status = kind.subresource("status") is not None and "status" in base
        subresource = self.random.choice(["", "", "status"] if has_status else [""])
        asked = {"resource": kind.resource, "subresource": subresource}
        if not subresource and self.random.random() < 0.5:
            return {**asked, "new": self.changed(base, kind.schema, self.part(base)), "old": None}
        part = subresource or self.part(base)
        old = self.changed(base, kind.schema, part, self.random.choice([0, 0, 1]))
        if self.random.random() < 0.3:
            old.pop("status", None)
            if part == "status":
                old["status"] = {}
        if part == "status" and kind.resource == "evictions" and self.random.random() < 0.8:
            return {**asked, **self._eviction(old)}
        new = copy.deepcopy(base if self.random.random() < 0.2 else old)
        if self.random.random() < 0.9:
            new = self.changed(new, kind.schema, part)
        return {**asked, "new": new, "old": old}

    def _eviction(self, old: dict[str, Any]) -> dict[str, Any]:
        """Returns a random update of an Eviction's status: the new and the old object as `new` and `old`."""
        if self.random.random() < 0.9:
            old["status"] = eviction_statuses.status(self.random)
        before = old["status"] or eviction_statuses.status(self.random)
        new = {**old, "status": eviction_statuses.changed(self.random, before)}
        if self.random.random() < 0.2:
            old = {**old, "status": {}}
        return {"new": new, "old": old}

    def part(self, base: dict[str, Any]) -> str:
        """Returns the field of an object to change: "spec", or a random field if the object has no spec."""
        if "spec" in base:
            return "spec"
        return self.random.choice(sorted(base.keys() - {"metadata", "kind", "apiVersion"}))

    def base(self, kind: Kind) -> dict[str, Any]:
        fields = copy.deepcopy(BASES[kind.group][kind.resource])
        metadata = {
            "name": NAMES.get(kind.resource, "a"),
            "uid": "u",
            "resourceVersion": "1",
            "creationTimestamp": "2025-01-01T00:00:00Z",
        }
        if kind.resource in NAMESPACED:
            metadata["namespace"] = self.random.choice(["default", "admin"])
        if kind.group == GROUP and kind.version == "v1beta1":
            _flatten(fields)
        return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **fields}

    def changed(
        self, obj: dict[str, Any], schema: Struct, part: str, times: int | None = None
    ) -> dict[str, Any]:
        new = copy.deepcopy(obj)
        node = schema.fields[part].node
        new.setdefault(part, {} if isinstance(node, Struct) else None)
        for _ in range(self.random.choice([1, 1, 2, 3]) if times is None else times):
            places = list(_places(node, new[part]))
            if not places:
                new[part] = self._value(node, part, 1)
                continue
            deep = [place for place in places if len(place[0]) > 2]
            path, field = self.random.choice(deep if deep and self.random.random() < 0.7 else places)
            holder = new[part]
            for step in path[:-1]:
                holder = holder[step]
            self._change(holder, path[-1], field, _name_of(path))
        return new

    def _change(self, holder: Any, key: Any, node: Node, name: str) -> None:
        present = isinstance(holder, list) or key in holder
        chance = self.random.random()
        if present and chance < 0.1:
            del holder[key]
        elif present and chance < 0.2 and isinstance(holder[key], list) and holder[key]:
            holder[key] += copy.deepcopy(holder[key][:1]) * self.random.choice([1, 1, 40])
        else:
            holder[key] = self._value(node, name, 1)

    def _value(self, node: Node, name: str, depth: int) -> Any:
        match node:
            case Struct():
                return self._struct(node, depth)
            case List():
                count = self.random.choice([0, 1, 1, 1, 2, 2, 3, 5])
                return [self._value(node.items, name, depth + 1) for _ in range(count)]
            case Map():
                keys = KEYS.get(name, TEXTS)
                return {self.random.choice(keys): self._value(node.values, "", depth + 1)}
            case AnyValue():
                return self.random.choice([{}, {"a": 1}, None])
            case Scalar():
                return self._scalar(node, name)

    def _struct(self, node: Struct, depth: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for field in node.fields.values():
            likely = 0.9 if field.required else 0.35 if depth < DEPTH_MAX else 0
            if field.name not in LEFT_OUT and self.random.random() < likely:
                fields[field.name] = self._value(field.node, field.name, depth + 1)
        return fields

    def _scalar(self, node: Scalar, name: str) -> Any:
        match node.kind:
            case ScalarKind.STRING if name in LIKELY and self.random.random() < 0.85:
                return self.random.choice(LIKELY[name])
            case ScalarKind.STRING:
                return self.random.choice(TEXTS)
            case ScalarKind.INTEGER:
                return self.random.choice(NUMBERS)
            case ScalarKind.BOOLEAN:
                return self.random.random() < 0.6
            case ScalarKind.QUANTITY:
                return self.random.choice(AMOUNTS)
            case ScalarKind.TIME | ScalarKind.MICRO_TIME:
                return "2025-01-01T00:00:00Z"
            case _:
                return ""


def _flatten(obj: dict[str, Any]) -> None:
    """Changes a claim, claim template or slice in place to the layout of v1beta1."""
    spec = obj["spec"].get("spec", obj["spec"])
    if "requests" in spec.get("devices", ()):
        spec["devices"] = copy.deepcopy(FLAT_DEVICES)
    elif isinstance(spec.get("devices"), list):
        spec["devices"] = [
            {"name": each.pop("name"), "basic": each} for each in copy.deepcopy(spec["devices"])
        ]


def _name_of(path: tuple[Any, ...]) -> str:
    return next((str(step) for step in reversed(path) if isinstance(step, str)), "")


def _places(node: Node, value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Node]]:
    """Yields the path and the schema of each field and list item of a value that the generator can change."""
    if isinstance(node, Struct) and isinstance(value, dict):
        for field in node.fields.values():
            if field.name in LEFT_OUT:
                continue
            yield (*path, field.name), field.node
            if field.name in value:
                yield from _places(field.node, value[field.name], (*path, field.name))
    elif isinstance(node, List) and isinstance(value, list):
        for index, item in enumerate(value):
            yield (*path, index), node.items
            yield from _places(node.items, item, (*path, index))
    elif isinstance(node, Map) and isinstance(value, dict):
        for key, item in value.items():
            yield from _places(node.values, item, (*path, key))


def samples(
    program: Path, release: str, groups: list[str], count: int, seed: int, gates: list[str]
) -> Iterator[dict[str, Any]]:
    """Yields `count` random requests, each with the Go program's result.

    Leaves out requests that a server cannot decode, and requests for which the Go program fails.
    """
    kinds = [
        kind
        for kind in load_release(release).kinds
        if kind.group in groups and kind.resource in BASES[kind.group]
    ]
    generator = Generator(seed)
    arguments = [str(program), *(f"{gate}=true" for gate in gates)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        while count:
            kind = kinds[count % len(kinds)]
            request = generator.request(kind)
            try:
                decode(copy.deepcopy(request["new"]), kind.schema)
                decode(copy.deepcopy(request["old"] or request["new"]), kind.schema)
            except DecodeError:
                continue
            running.stdin.write(f"{json.dumps(request)}\n")
            running.stdin.flush()
            answer = json.loads(running.stdout.readline())
            if "fail" not in answer:
                count -= 1
                yield request | answer
        running.stdin.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", choices=LAST_PATCHES)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gates", choices=("default", "all"), default="default")
    parser.add_argument("--program", type=Path, help="already compiled")
    parser.add_argument("--groups", nargs="+", choices=BASES, default=[GROUP])
    parser.add_argument("--name", default="resource", help="of the fixture")
    parser.add_argument("--target", type=Path, default=FIXTURES)
    options = parser.parse_args()
    if options.program is None and shutil.which("go") is None:
        parser.error("this needs Go")
    gates = all_gates(options.release) if options.gates == "all" else []
    options.target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        program = options.program or built(options.release, options.groups, Path(folder))
        lines = [
            json.dumps(sample, separators=(",", ":"))
            for sample in samples(
                program, options.release, options.groups, options.count, options.seed, gates
            )
        ]
    more = "-all-gates" if gates else ""
    target = options.target / f"{options.name}-{options.release}{more}.jsonl.gz"
    target.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
    print(f"{target}: {len(lines)} samples")


def all_gates(release: str) -> list[str]:
    """Returns the release's gates for dynamic resource allocation (`DRA…`) that are off by default.

    Leaves out gates that affect only pods.
    """
    gates = load_release(release).gates
    return sorted(
        name for name in gates if name.startswith("DRA") and name not in _OF_PODS and not gates.enabled(name)
    )


if __name__ == "__main__":
    main()
