"""Finds the CustomResourceDefinitions that well-known projects publish in their Go modules.

    python -m tools.real_definitions        lists the modules with their files

`go mod download` downloads the modules into Go's module cache.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FETCH_SECONDS = 120
"""Maximum seconds to download one module."""


class UnavailableError(Exception):
    """Raised if a module cannot be downloaded because Go, the network or the module version is missing."""


@dataclass(frozen=True)
class Published:
    """A Go module that contains CustomResourceDefinitions.

    `definitions` and `samples` are glob patterns for the paths of its files.
    """

    module: str
    version: str
    definitions: tuple[str, ...]
    samples: tuple[str, ...] = ()


PUBLISHED = (
    Published(
        "sigs.k8s.io/gateway-api",
        "v1.2.1",
        ("config/crd/experimental/*.yaml",),
        ("examples/standard/*.yaml",),
    ),
    Published(
        "github.com/kubernetes-csi/external-snapshotter/client/v8", "v8.2.0", ("config/crd/*snapshot*.yaml",)
    ),
    Published(
        "github.com/prometheus-operator/prometheus-operator",
        "v0.79.2",
        ("example/prometheus-operator-crd/*.yaml",),
    ),
    Published(
        "sigs.k8s.io/cluster-api",
        "v1.9.3",
        (
            "config/crd/bases/*.yaml",
            "bootstrap/kubeadm/config/crd/bases/*.yaml",
            "controlplane/kubeadm/config/crd/bases/*.yaml",
        ),
    ),
    Published(
        "sigs.k8s.io/kueue",
        "v0.10.1",
        ("config/components/crd/bases/*.yaml",),
    ),
    Published("sigs.k8s.io/lws", "v0.5.0", ("config/crd/bases/*.yaml",), ("config/samples/*.yaml",)),
    Published("sigs.k8s.io/karpenter", "v1.1.1", ("pkg/apis/crds/*.yaml",)),
    Published("sigs.k8s.io/network-policy-api", "v0.1.5", ("config/crd/standard/*.yaml",)),
    Published("knative.dev/serving", "v0.43.0", ("config/core/300-resources/*.yaml",)),
    Published(
        "github.com/kubeflow/training-operator",
        "v1.8.1",
        ("manifests/base/crds/*.yaml",),
        ("examples/pytorch/*/*.yaml", "examples/tensorflow/*/*.yaml"),
    ),
    Published("sigs.k8s.io/jobset", "v0.7.3", ("config/components/crd/bases/*.yaml",)),
    Published("github.com/kedacore/keda/v2", "v2.16.1", ("config/crd/bases/*.yaml",)),
    Published("istio.io/api", "v1.24.3", ("kubernetes/customresourcedefinitions.gen.yaml",)),
    Published(
        "github.com/k8snetworkplumbingwg/network-attachment-definition-client",
        "v1.7.5",
        ("artifacts/networks-crd.yaml",),
        ("artifacts/my-network.yaml",),
    ),
)


def directory_of(published: Published) -> Path:
    """Returns the folder of a module in Go's module cache; downloads the module if it is missing.

    Raises UnavailableError if the download fails.
    """
    name = f"{published.module}@{published.version}"
    try:
        result = subprocess.run(
            ["go", "mod", "download", "-json", name],
            capture_output=True,
            text=True,
            timeout=FETCH_SECONDS,
            check=False,
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"{name}: {error}") from error
    module = json.loads(result.stdout) if result.stdout.startswith("{") else {}
    if not module.get("Dir"):
        raise UnavailableError(f"{name}: {module.get('Error') or result.stderr.strip()}")
    return Path(module["Dir"])


def files_of(published: Published, patterns: tuple[str, ...]) -> Iterator[Path]:
    """Yields the module's files that match one of the glob patterns, except kustomize's files.

    Raises UnavailableError if the module cannot be downloaded.
    """
    directory = directory_of(published)
    for pattern in patterns:
        yield from (each for each in sorted(directory.glob(pattern)) if not each.name.startswith("kustomiz"))


if __name__ == "__main__":
    for each in PUBLISHED:
        try:
            for file in files_of(each, each.definitions):
                print(each.module, each.version, file.name)
        except UnavailableError as unavailable:
            print(unavailable, file=sys.stderr)
