"""The suites of public projects that run on an envtest folder, each from its released Go module."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Suite:
    """A suite that starts etcd and kube-apiserver from $KUBEBUILDER_ASSETS.

    - `module`, `version`: the Go module with its tests.
    - `packages`: the packages to run, as paths in the module.
    - `release`: the Kubernetes release of the folder.
    - `siblings`: the published versions of modules that lie in the same repository, if go.mod names none.
    - `left_out`: a pattern of Go tests that download programs, need files outside the module, or also fail
      with the real programs.
    """

    name: str
    module: str
    version: str
    packages: tuple[str, ...]
    release: str
    siblings: tuple[str, ...] = ()
    left_out: str = ""


RUNTIME: Final = "sigs.k8s.io/controller-runtime"

RUNTIME_PACKAGES: Final = (
    "pkg/builder",
    "pkg/cache",
    "pkg/client",
    "pkg/client/apiutil",
    "pkg/cluster",
    "pkg/controller",
    "pkg/controller/controllerutil",
    "pkg/envtest",
    "pkg/handler",
    "pkg/internal/controller",
    "pkg/internal/recorder",
    "pkg/manager",
    "pkg/manager/internal/integration",
    "pkg/metrics/filters",
    "pkg/reconcile",
    "pkg/source",
    "pkg/webhook",
)
"""All packages of controller-runtime whose tests start an API server."""

SUITES: Final = (
    *(
        Suite(
            "controller-runtime",
            RUNTIME,
            version,
            RUNTIME_PACKAGES,
            release,
            left_out=".*/aggregatedDiscovery=false",
        )
        for version, release in (("v0.19.4", "1.31"), ("v0.22.5", "1.34"), ("v0.25.2", "1.37"))
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
    Suite(
        name="Flux runtime",
        module="github.com/fluxcd/pkg/runtime",
        version="v0.116.0",
        packages=("acl", "cel", "client", "controller", "events", "patch", "secrets"),
        release="1.37",
    ),
    Suite(
        name="Flux ssa",
        module="github.com/fluxcd/pkg/ssa",
        version="v0.76.2",
        packages=(".", "jsondiff"),
        release="1.37",
        left_out="TestWaitForSet_JobWithTTL",
    ),
    Suite(
        name="kro",
        module="github.com/kubernetes-sigs/kro",
        version="v0.9.4",
        packages=("test/integration/suites/core",),
        release="1.37",
    ),
    Suite(
        name="Cluster API",
        module="sigs.k8s.io/cluster-api",
        version="v1.14.2",
        packages=(
            "controllers/crdmigrator",
            "internal/util/ssa/test",
            "core/reconcilers/topology/cluster/structuredmerge",
            "core/webhooks/admission/test",
        ),
        release="1.37",
        siblings=("sigs.k8s.io/cluster-api/api@v1.14.2",),
    ),
    Suite(
        name="KEDA",
        module="github.com/kedacore/keda/v2",
        version="v2.21.0",
        packages=("apis/keda/v1alpha1", "apis/eventing/v1alpha1"),
        release="1.37",
    ),
    Suite(
        name="KubeRay",
        module="github.com/ray-project/kuberay/ray-operator",
        version="v1.5.0",
        packages=("pkg/webhooks/v1", "controllers/ray"),
        release="1.31",
    ),
    Suite(
        name="Gatekeeper",
        module="github.com/open-policy-agent/gatekeeper/v3",
        version="v3.23.1",
        packages=("pkg/watch", "pkg/controller/config", "pkg/controller/mutators/core", "pkg/readiness"),
        release="1.34",
    ),
    Suite(
        name="trust-manager",
        module="github.com/cert-manager/trust-manager",
        version="v0.25.0",
        packages=("test/integration/bundle", "test/integration/clusterbundle"),
        release="1.37",
    ),
    Suite(
        name="approver-policy",
        module="github.com/cert-manager/approver-policy",
        version="v0.28.0",
        packages=("pkg/internal/approver/manager/predicate",),
        release="1.37",
        left_out="Test_RBACBound",
    ),
)
