"""The health checks of a release's API server, in the order in which `?verbose` lists them.

Sources are recordings of the releases' own servers with default options. For 1.28, 1.29 and from 1.34 on, the
source is the order in which k8s.io/kubernetes `pkg/controlplane` and `cmd/kube-apiserver/app` add their
hooks.
"""

from collections.abc import Iterator

_HOOK = "poststarthook/"

_GENERIC = (
    (27, 29, "start-kube-apiserver-admission-initializer"),
    (30, None, "start-apiserver-admission-initializer"),
    (27, None, "generic-apiserver-start-informers"),
    (27, None, "priority-and-fairness-config-consumer"),
    (27, None, "priority-and-fairness-filter"),
    (27, None, "storage-object-count-tracker-hook"),
    (27, None, "start-apiextensions-informers"),
    (27, None, "start-apiextensions-controllers"),
    (27, None, "crd-informer-synced"),
)
_CONTROL_PLANE = (
    (27, 27, "start-system-namespaces-controller"),
    (27, 27, "bootstrap-controller"),
    (31, None, "start-system-namespaces-controller"),
    (36, None, "peer-endpoint-reconciler-controller"),
    (31, None, "start-cluster-authentication-info-controller"),
    (31, None, "start-kube-apiserver-identity-lease-controller"),
    (31, None, "start-kube-apiserver-identity-lease-garbage-collector"),
    (36, None, "storage-readiness"),
    (31, None, "start-legacy-token-tracking-controller"),
    (28, None, "start-service-ip-repair-controllers"),
    (27, None, "rbac/bootstrap-roles"),
    (27, None, "scheduling/bootstrap-system-priority-classes"),
    (27, None, "priority-and-fairness-config-producer"),
    (28, 30, "start-system-namespaces-controller"),
    (28, None, "bootstrap-controller"),
    (27, 30, "start-cluster-authentication-info-controller"),
    (27, 30, "start-kube-apiserver-identity-lease-controller"),
    (27, 28, "start-deprecated-kube-apiserver-identity-lease-garbage-collector"),
    (27, 30, "start-kube-apiserver-identity-lease-garbage-collector"),
    (27, 30, "start-legacy-token-tracking-controller"),
    (33, None, "start-kubernetes-service-cidr-controller"),
)
_AGGREGATOR = (
    (27, None, "start-kube-aggregator-informers"),
    (31, None, "apiservice-status-local-available-controller"),
    (31, None, "apiservice-status-remote-available-controller"),
    (27, None, "apiservice-registration-controller"),
    (27, 30, "apiservice-status-available-controller"),
    (30, None, "apiservice-discovery-controller"),
    (27, None, "kube-apiserver-autoregistration"),
    (27, None, "autoregister-completion"),
    (27, None, "apiservice-openapi-controller"),
    (27, None, "apiservice-openapiv3-controller"),
    (27, 29, "apiservice-discovery-controller"),
)
"""Post-start hooks of kube-aggregator, in the order of their registration.

Each entry has the first and the last minor release with the hook at this position, and the name of the hook.
None means that the newest release still has the hook there.
"""

_LOOPBACK = "loopback-serving-certificate"
_LOOPBACK_SINCE = 36


def checks_of(minor: int, endpoint: str) -> tuple[str, ...]:
    """Returns the names of the health checks behind `healthz`, `livez` or `readyz`, in order.

    `minor`: the minor number of the release.
    """
    names = [
        name if name == "autoregister-completion" else f"{_HOOK}{name}"
        for table in (_GENERIC, _CONTROL_PLANE, _AGGREGATOR)
        for name in _of_release(minor, table)
    ]
    if endpoint == "readyz":
        return ("ping", "log", "etcd", "etcd-readiness", "informer-sync", *names, "shutdown")
    loopback = [_LOOPBACK] if minor >= _LOOPBACK_SINCE else []
    return ("ping", "log", *loopback, "etcd", *names)


def _of_release(minor: int, table: tuple[tuple[int, int | None, str], ...]) -> Iterator[str]:
    for first, last, name in table:
        if first <= minor and (last is None or minor <= last):
            yield name
