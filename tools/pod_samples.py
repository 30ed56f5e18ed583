"""Records errors of Kubernetes' own validation of pods in fixtures/validation/pods-<release>.jsonl.gz.

    python -m tools.pod_samples 1.33 [--count 150] [--seed 1]

The tool generates random pods from the release's types, often with invalid values. It sends them to the Go
program podvalidation.go, which it compiles with the release's modules (needs Go). Each line of the file has a
request and its result. `tests/kinds/core/validation/test_pod_samples.py` compares fakeapi with these results.
"""

import argparse
import copy
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.releases import load_release
from tools.modules import LAST_PATCHES

FIXTURES = Path("fixtures/validation")
OPERATIONS = ("create", "template", "update", "status", "ephemeralcontainers", "resize")
FIRST_WITH_RESIZE = "1.32"
FIRST_TELLING_PODS = "1.28"
"""The first release that validates pod templates differently from pods."""

TEXTS = """a A_b main -x a/b ../x /abs ..a a.b example.com/x Always Never OnFailure Nope None Default File cpu
memory metadata.name status.hostIPs metadata.labels['a'] 10.0.0.1 010.0.0.1 ::ffff:1.2.3.4 fe80::1
kubernetes.io/x In Exists NotIn Equal Lt Gt Localhost RuntimeDefault linux windows TCP HTTP NoSchedule
NoExecute DoNotSchedule Honor Restart 1 0 * _a v1 vol c1 gpu Memory Running Unmasked MountOption Recursive
SIGTERM limits.cpu hugepages-2Mi iqn.2001-04.com.example:storage example.com:80""".split()  # noqa: SIM905
TEXTS += ["", "a b", "x" * 64, "x" * 254]
NUMBERS = [-1, 0, 1, 2, 80, 255, 256, 511, 512, 600, 1000, 65535, 65536, 2147483647]
AMOUNTS = ["0", "1", "500m", "1Gi", "-1", "1.5", "2Mi", "3Mi", "100"]
PORTS: list[Any] = [80, 0, 70000, "http", "", "a--b"]
LIKELY = {
    "name": ["main", "a", "b", "vol", "c1", "gpu"],
    "restartPolicy": ["Always", "Never", "OnFailure"],
    "operator": ["In", "NotIn", "Exists", "DoesNotExist", "Equal", "Gt"],
    "imagePullPolicy": ["Always", "Never"],
    "terminationMessagePolicy": ["File"],
    "protocol": ["TCP", "UDP"],
    "dnsPolicy": ["ClusterFirst", "Default", "None"],
    "type": ["Localhost", "RuntimeDefault", "Unconfined", "Directory"],
    "image": ["x", "y"],
    "mountPath": ["/a", "/b"],
    "key": ["a", "example.com/b"],
    "topologyKey": ["zone", "kubernetes.io/hostname"],
    "effect": ["NoSchedule", "NoExecute"],
    "apiVersion": ["v1"],
    "ip": ["10.0.0.1", "fd00::1"],
    "scheme": ["HTTP"],
    "whenUnsatisfiable": ["DoNotSchedule", "ScheduleAnyway"],
    "conditionType": ["a", "example.com/b"],
    "path": ["a", "b/c", "/x"],
    "resourceName": ["cpu", "memory"],
    "fieldPath": ["metadata.name", "status.podIP"],
    "action": ["Restart"],
}
"""Values that the generator prefers for a pod field, by the field's name."""

KEYS = {
    "limits": ["cpu", "memory", "example.com/gpu", "hugepages-2Mi", "bad", "kubernetes.io/x"],
    "requests": ["cpu", "memory", "example.com/gpu", "hugepages-2Mi", "bad"],
    "overhead": ["cpu", "memory", "hugepages-2Mi"],
}
ANNOTATIONS = (
    "seccomp.security.alpha.kubernetes.io/pod",
    "container.seccomp.security.alpha.kubernetes.io/main",
    "container.apparmor.security.beta.kubernetes.io/main",
    "kubernetes.io/config.mirror",
    "controller.kubernetes.io/pod-deletion-cost",
)
PROFILES = ("", "runtime/default", "localhost/x", "unconfined", "1", "bad")
LEFT_OUT = frozenset(
    {"metadata", "kind", "apiVersion", "managedFields", "status", "volumeClaimTemplate", "fieldsV1"}
)
"""Names of fields that the generator does not change, except apiVersion in an ObjectFieldSelector."""

BASE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "namespace": "default", "uid": "u"},
    "spec": {
        "containers": [{"name": "main", "image": "x"}],
        "volumes": [{"name": "vol", "emptyDir": {}}],
    },
    "status": {},
}


class Generator:
    """Generates random pods. Equal seeds give equal pods."""

    def __init__(self, pod: Struct, seed: int) -> None:
        self._pod = pod
        self._random = random.Random(seed)

    def request(self, operation: str) -> dict[str, Any]:
        """Returns a random request for the Go program: an operation, a new pod and, for updates, an old pod.

        The keys are `op`, `new` and `old`; `old` is None for creates and templates.
        """
        base = copy.deepcopy(BASE)
        if self._random.random() < 0.3:
            base["spec"]["os"] = {"name": self._random.choice(["linux", "windows"])}
        if operation in ("create", "template"):
            return {"op": operation, "new": self.changed(base, "spec"), "old": None}
        old = self.changed(base, "spec", self._random.choice([0, 0, 1, 2]))
        if operation == "status":
            old = self.changed(old, "status", self._random.choice([0, 1, 2]))
            return {"op": operation, "new": self.changed(old, "status"), "old": old}
        if operation == "ephemeralcontainers":
            return {"op": operation, "new": self._with_ephemeral_containers(old), "old": old}
        new = self.changed(old, "spec")
        if operation == "resize":
            new["metadata"] = old["metadata"]  # the server keeps the old metadata
        return {"op": operation, "new": new, "old": old}

    def _with_ephemeral_containers(self, pod: dict[str, Any]) -> dict[str, Any]:
        changed = self.changed(pod, "spec", self._random.choice([0, 0, 1]))
        spec = self._pod.fields["spec"].node
        assert isinstance(spec, Struct)
        node = spec.fields["ephemeralContainers"].node
        changed["spec"]["ephemeralContainers"] = [
            *(changed["spec"].get("ephemeralContainers") or ())[self._random.choice([0, 0, 1]) :],
            *self._value(node, "ephemeralContainers", 1),
        ]
        return changed

    def changed(self, pod: dict[str, Any], part: str, times: int | None = None) -> dict[str, Any]:
        """Returns a copy of the pod in which some fields have random values.

        `part`: "spec" or "status", the part of the pod to change. `times`: the number of changes; None means
        a random number.
        """
        new_pod = copy.deepcopy(pod)
        for _ in range(self._random.choice([1, 1, 2, 3, 4]) if times is None else times):
            places = list(_places(self._pod.fields[part].node, new_pod[part]))
            deep = [place for place in places if len(place[0]) > 1]
            path, node = self._random.choice(deep if deep and self._random.random() < 0.6 else places)
            holder = new_pod[part]
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = self._value(node, str(path[-1]), 1)
        if self._random.random() < 0.1:
            key = self._random.choice(ANNOTATIONS)
            new_pod["metadata"]["annotations"] = {key: self._random.choice(PROFILES)}
        return new_pod

    def _value(self, node: Node, name: str, depth: int) -> Any:
        match node:
            case Struct():
                return self._struct(node, depth)
            case List():
                count = self._random.choice([1, 1, 1, 2, 2, 3])
                return [self._value(node.items, name, depth + 1) for _ in range(count)]
            case Map():
                key = self._random.choice(KEYS.get(name, TEXTS))
                return {key: self._value(node.values, "", depth + 1)}
            case AnyValue():
                return {}
            case Scalar():
                return self._scalar(node, name)

    def _struct(self, node: Struct, depth: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        is_volume = node.go_type.endswith(".Volume")
        for field in node.fields.values():
            likely = 0.9 if field.required else 0.05 if is_volume else 0.25
            if _is_made(field.name, node) and self._random.random() < likely:
                fields[field.name] = self._value(field.node, field.name, depth + 1)
        if is_volume and len(fields) < 2:
            field = self._random.choice([each for each in node.fields.values() if each.name != "name"])
            fields[field.name] = self._value(field.node, field.name, depth + 1)
        return fields

    def _scalar(self, node: Scalar, name: str) -> Any:
        match node.kind:
            case ScalarKind.STRING if name in LIKELY and self._random.random() < 0.8:
                return self._random.choice(LIKELY[name])
            case ScalarKind.STRING:
                return self._random.choice(TEXTS)
            case ScalarKind.INTEGER:
                return self._random.choice(NUMBERS)
            case ScalarKind.BOOLEAN:
                return self._random.random() < 0.5
            case ScalarKind.QUANTITY:
                return self._random.choice(AMOUNTS)
            case ScalarKind.INT_OR_STRING:
                return self._random.choice(PORTS)
            case ScalarKind.TIME | ScalarKind.MICRO_TIME:
                return "2024-01-01T00:00:00Z"
            case _:
                return ""


def _is_made(name: str, struct: Struct) -> bool:
    return name not in LEFT_OUT or (name == "apiVersion" and "FieldSelector" in struct.go_type)


def _places(node: Node, value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Node]]:
    """Yields each field and item of a value that the generator can change, as its path and its schema."""
    if isinstance(node, Struct):
        for field in node.fields.values():
            if not _is_made(field.name, node):
                continue
            yield (*path, field.name), field.node
            if isinstance(value, dict) and field.name in value:
                yield from _places(field.node, value[field.name], (*path, field.name))
    elif isinstance(node, List) and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(node.items, item, (*path, index))


def built(release: str, folder: Path) -> Path:
    """Compiles the Go program that validates pods of a release in `folder`; returns the program's path."""
    minor, patch = release.partition(".")[2], LAST_PATCHES[release]
    environment = os.environ | {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    kubernetes = f"k8s.io/kubernetes@v{release}.{patch}"
    listed = ["go", "mod", "download", "-json", kubernetes]
    download = json.loads(subprocess.run(listed, env=environment, capture_output=True, check=True).stdout)
    text = Path(download["GoMod"]).read_text(encoding="utf-8")
    staging = sorted(set(re.findall(r"^\s*(k8s\.io/\S+) => \./staging", text, re.MULTILINE)))
    version = re.search(r"^go (\S+)", text, re.MULTILINE)
    assert version is not None
    replaced = "".join(f"\t{module} => {module} v0.{minor}.{patch}\n" for module in staging)
    (folder / "go.mod").write_text(
        f"module podvalidation\n\ngo {version[1]}\n\nrequire k8s.io/kubernetes v{release}.{patch}\n\n"
        f"replace (\n{replaced})\n",
        encoding="utf-8",
    )
    source = Path(__file__).with_name("podvalidation.go").read_text(encoding="utf-8")
    if release < FIRST_WITH_RESIZE:
        source = source.replace("validation.ValidatePodResize(new, old, options)", "nil")
    if release < FIRST_TELLING_PODS:
        source = re.sub(r"\n.*ResourceIsPod.*", "", source)
    (folder / "main.go").write_text(source, encoding="utf-8")
    subprocess.run(["go", "mod", "tidy", "-e"], cwd=folder, env=environment, check=True)
    subprocess.run(["go", "build", "-o", "podvalidation", "."], cwd=folder, env=environment, check=True)
    return folder / "podvalidation"


def samples(program: Path, release: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yields `count` random requests, each with the Go program's result.

    Leaves out requests that a server could not decode.
    """
    schema = load_release(release).schemas.struct("core/v1.Pod")
    generator = Generator(schema, seed)
    operations = OPERATIONS if release >= FIRST_WITH_RESIZE else OPERATIONS[:-1]
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        while count:
            request = generator.request(operations[count % len(operations)])
            try:
                decode(copy.deepcopy(request["new"]), schema)
                decode(copy.deepcopy(request["old"] or BASE), schema)
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
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=Path, help="already compiled")
    options = parser.parse_args()
    if options.program is None and shutil.which("go") is None:
        parser.error("this needs Go")
    FIXTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        program = options.program or built(options.release, Path(folder))
        lines = [
            json.dumps(sample, separators=(",", ":"))
            for sample in samples(program, options.release, options.count, options.seed)
        ]
    target = FIXTURES / f"pods-{options.release}.jsonl.gz"
    target.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
    print(f"{target}: {len(lines)} samples")


if __name__ == "__main__":
    main()
