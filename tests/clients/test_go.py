"""client-go decodes the same objects from protobuf and from JSON."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI

SOURCE = Path(__file__).parent / "go"
JSON, PROTOBUF = "application/json", "application/vnd.kubernetes.protobuf"
BUILD_SECONDS = 600

OBJECTS: list[tuple[str, dict[str, Any]]] = [
    (
        "/api/v1/namespaces/default/configmaps",
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"b": "2", "a": ""}, "binaryData": {"c": "AAE="}},
    ),
    (
        "/api/v1/namespaces/default/pods",
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "spec": {
                "containers": [
                    {
                        "name": "main",
                        "image": "example.com/app:1",
                        "resources": {"requests": {"cpu": "1500m"}, "limits": {"memory": "1Gi"}},
                        "livenessProbe": {"httpGet": {"port": "http"}},
                    }
                ],
                "volumes": [{"name": "v", "emptyDir": {}}],
            },
        },
    ),
    (
        "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "spec": {"renewTime": "2024-02-29T12:00:00.123456Z"},
        },
    ),
    (
        "/apis/apps/v1/namespaces/default/deployments",
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "spec": {
                "selector": {"matchLabels": {"a": "b"}},
                "strategy": {"rollingUpdate": {"maxSurge": "10%", "maxUnavailable": 2}},
                "template": {
                    "metadata": {"labels": {"a": "b"}},
                    "spec": {"containers": [{"name": "main", "image": "example.com/app:1"}]},
                },
            },
        },
    ),
    (
        "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims",
        {
            "apiVersion": "resource.k8s.io/v1beta1",
            "kind": "ResourceClaim",
            "spec": {
                "devices": {
                    "requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}],
                    "config": [
                        {"opaque": {"driver": "gpu.example.com", "parameters": {"share": 1.5, "<b>": []}}}
                    ],
                }
            },
        },
    ),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiles the Go program in `go/` and returns its path.

    Uses only Go's module cache, except in CI. Skips the test if Go or a module is missing.
    """
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    program = tmp_path_factory.mktemp("go") / "reader"
    proxy = [] if os.environ.get("CI") else ["GOPROXY=off"]  # CI downloads missing modules
    built = subprocess.run(
        ["env", *proxy, "GOFLAGS=-mod=readonly", "go", "build", "-o", str(program), "."],
        cwd=SOURCE,
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
        check=False,
    )
    if built.returncode and "module lookup disabled by GOPROXY=off" in built.stderr:
        pytest.skip("the Go module cache does not hold client-go")
    assert built.returncode == 0, built.stderr
    return program


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as started:
        for _, body in OBJECTS:
            started.create({**body, "metadata": {"name": "a"}})
        yield started


def seen(reader: Path, server: FakeAPI, media_type: str) -> list[dict[str, Any]]:
    """Returns the decoded responses of a Go client that requests this media type.

    The client reads each object with a GET, a list and a watch. It also reads one object that does not exist.
    """
    command = [str(reader), server.url, media_type, *(f"{path}/a" for path, _ in OBJECTS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.timeout(BUILD_SECONDS)
def test_a_go_client_sees_the_same_in_protobuf_and_in_json(reader: Path, server: FakeAPI) -> None:
    in_protobuf, in_json = (seen(reader, server, media_type) for media_type in (PROTOBUF, JSON))
    assert in_protobuf == in_json
    assert [each["what"].split()[0] for each in in_json] == ["get", "list", "ADDED"] * len(OBJECTS) + [
        "refusal"
    ]
    first = in_json[0]["object"]
    assert (first["data"], first["binaryData"]) == ({"a": "", "b": "2"}, {"c": "AAE="})
    assert in_json[-1]["object"]["reason"] == "NotFound"
