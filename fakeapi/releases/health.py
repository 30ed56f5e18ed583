"""The health checks that a release's server has, in the order in which `?verbose` tells them.

From recordings of the releases' own servers with default options; for 1.28 and 1.29 from the order in which
k8s.io/kubernetes `pkg/controlplane` and `cmd/kube-apiserver/app` add their hooks.
"""

_HOOK = "poststarthook/"


def checks_of(minor: int, endpoint: str) -> tuple[str, ...]:
    """The checks behind /healthz, /livez or /readyz of release 1.`minor`."""
    hooks = [*_generic(minor), *_control_plane(minor), *_aggregator(minor)]
    names = [name if name == "autoregister-completion" else f"{_HOOK}{name}" for name in hooks]
    if endpoint == "readyz":
        return ("ping", "log", "etcd", "etcd-readiness", "informer-sync", *names, "shutdown")
    return ("ping", "log", "etcd", *names)


def _generic(minor: int) -> list[str]:
    return [
        "start-apiserver-admission-initializer"
        if minor >= 30
        else "start-kube-apiserver-admission-initializer",
        "generic-apiserver-start-informers",
        "priority-and-fairness-config-consumer",
        "priority-and-fairness-filter",
        "storage-object-count-tracker-hook",
        "start-apiextensions-informers",
        "start-apiextensions-controllers",
        "crd-informer-synced",
    ]


def _control_plane(minor: int) -> list[str]:
    namespaces = ["start-system-namespaces-controller"]
    repair = ["start-service-ip-repair-controllers"] if minor >= 28 else []
    bootstrap = ["bootstrap-controller"]
    groups = [
        "rbac/bootstrap-roles",
        "scheduling/bootstrap-system-priority-classes",
        "priority-and-fairness-config-producer",
    ]
    identity = [
        "start-cluster-authentication-info-controller",
        "start-kube-apiserver-identity-lease-controller",
        *(["start-deprecated-kube-apiserver-identity-lease-garbage-collector"] if minor <= 28 else []),
        "start-kube-apiserver-identity-lease-garbage-collector",
        "start-legacy-token-tracking-controller",
    ]
    if minor <= 27:
        return [*namespaces, *bootstrap, *groups, *identity]
    if minor <= 30:
        return [*repair, *groups, *namespaces, *bootstrap, *identity]
    addresses = ["start-kubernetes-service-cidr-controller"] if minor >= 33 else []
    return [*namespaces, *identity, *repair, *groups, *bootstrap, *addresses]


def _aggregator(minor: int) -> list[str]:
    informers = ["start-kube-aggregator-informers"]
    registration = ["apiservice-registration-controller"]
    discovery = ["apiservice-discovery-controller"]
    autoregistration = ["kube-apiserver-autoregistration", "autoregister-completion"]
    documents = ["apiservice-openapi-controller", "apiservice-openapiv3-controller"]
    if minor >= 31:
        available = [f"apiservice-status-{where}-available-controller" for where in ("local", "remote")]
        return [*informers, *available, *registration, *discovery, *autoregistration, *documents]
    available = ["apiservice-status-available-controller"]
    if minor <= 29:
        return [*informers, *registration, *available, *autoregistration, *documents, *discovery]
    return [*informers, *registration, *available, *discovery, *autoregistration, *documents]
