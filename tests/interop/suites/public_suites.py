"""The suites of public projects that run on an envtest folder, each from its released Go module."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Suite:
    """A suite that starts etcd and kube-apiserver from $KUBEBUILDER_ASSETS.

    - `module`, `version`: the Go module with its tests.
    - `packages`: the packages to run, as paths in the module.
    - `release`: the Kubernetes release of the folder.
    """

    name: str
    module: str
    version: str
    packages: tuple[str, ...]
    release: str


RUNTIME: Final = "sigs.k8s.io/controller-runtime"

SUITES: Final = (
    Suite(
        name="controller-runtime",
        module=RUNTIME,
        version="v0.25.2",
        packages=("pkg/envtest", "pkg/client", "pkg/manager", "pkg/cache", "pkg/webhook", "pkg/controller"),
        release="1.37",
    ),
    Suite(
        name="Karpenter",
        module="sigs.k8s.io/karpenter",
        version="v1.14.0",
        packages=("pkg/apis/v1",),
        release="1.37",
    ),
    Suite(
        name="JobSet",
        module="sigs.k8s.io/jobset",
        version="v0.7.3",
        packages=("test/integration/webhook",),
        release="1.31",
    ),
    Suite(
        name="LeaderWorkerSet",
        module="sigs.k8s.io/lws",
        version="v0.5.0",
        packages=("test/integration/webhooks",),
        release="1.31",
    ),
)
