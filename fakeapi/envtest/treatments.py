"""The treatment of each flag of kube-apiserver: honoured, without effect, or refused, with the reason."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Effect(Enum):
    HONOURED = "honoured"
    NONE = "without effect"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Treatment:
    """The treatment of a flag of kube-apiserver.

    - `effect`: whether the flag is honoured, has no effect, or is refused.
    - `reason`: why the flag has no effect or is refused; "" for honoured flags.
    - `default`: the value that a refused flag may still have, because fakeapi behaves that way anyway. None
      if every value except "" is refused.
    """

    effect: Effect
    reason: str = ""
    default: str | None = None


def _all(effect: Effect, reason: str, names: str) -> Iterable[tuple[str, Treatment]]:
    return ((name, Treatment(effect, reason)) for name in names.split())


_HONOURED = """
admission-control-config-file anonymous-auth api-audiences audit-log-path audit-policy-file
authorization-mode bind-address cert-dir client-ca-file disable-admission-plugins
enable-admission-plugins etcd-prefix etcd-servers feature-gates help proxy-client-cert-file
proxy-client-key-file requestheader-allowed-names
requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers
requestheader-uid-headers requestheader-username-headers runtime-config secure-port
service-account-issuer service-account-key-file service-account-signing-key-file service-cluster-ip-range
service-node-port-range tls-cert-file tls-private-key-file token-auth-file version
"""

_WITHOUT_EFFECT = (
    (
        "fakeapi prints the lines of its own log to stderr",
        """
        contention-profiling debug-socket-path enable-logs-handler log-flush-frequency
        log-text-info-buffer-size log-text-split-stream logging-format profiling v vmodule
        """,
    ),
    (
        "the etcd of fakeapi is a file: it needs no certificates, compaction or health checks",
        """
        etcd-cafile etcd-certfile etcd-compaction-interval etcd-count-metric-poll-period
        etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-keyfile etcd-readycheck-timeout
        lease-reuse-duration-seconds storage-backend storage-initialization-timeout storage-media-type
        """,
    ),
    (
        "fakeapi reads and watches from memory, without a cache that has a size",
        "default-watch-cache-size watch-cache watch-cache-sizes delete-collection-workers",
    ),
    (
        "objects are not encrypted in the file of fakeapi",
        "encryption-provider-config encryption-provider-config-automatic-reload",
    ),
    (
        "there are no kubelets that the server could connect to",
        """
        kubelet-certificate-authority kubelet-client-certificate kubelet-client-key kubelet-port
        kubelet-preferred-address-types kubelet-read-only-port kubelet-timeout
        """,
    ),
    (
        "the Service kubernetes has the address 192.0.2.1, because no Pod connects to it",
        """
        advertise-address apiserver-count endpoint-reconciler-type external-hostname
        kubernetes-service-node-port peer-advertise-ip peer-advertise-port peer-ca-file
        """,
    ),
    (
        "one server runs alone; its clients are tests on the same machine",
        """
        coordinated-leadership-lease-duration coordinated-leadership-renew-deadline
        coordinated-leadership-retry-period cors-allowed-origins disable-http2-serving goaway-chance
        http2-max-streams-per-connection permit-address-sharing permit-port-sharing
        strict-transport-security-directives tls-cipher-suites tls-curve-preferences tls-min-version
        """,
    ),
    (
        "docs/limits.md has the limits of fakeapi for requests and their time",
        """
        enable-priority-and-fairness livez-grace-period max-connection-bytes-per-sec
        max-mutating-requests-inflight max-requests-inflight min-request-timeout request-timeout
        shutdown-delay-duration shutdown-send-retry-after shutdown-watch-termination-grace-period
        """,
    ),
    (
        "fakeapi forwards to the services that FAKEAPI_WEBHOOK_SERVICE names",
        """
        aggregator-reject-forwarding-redirect enable-aggregator-routing
        """,
    ),
    (
        "fakeapi does not show metrics by version, and sends no traces",
        """
        allow-metric-labels allow-metric-labels-manifest disabled-metrics show-hidden-metrics-for-version
        tracing-config-file
        """,
    ),
    (
        "the audit log is one file, which is never rotated",
        "audit-log-compress audit-log-maxage audit-log-maxbackup audit-log-maxsize",
    ),
    (
        "a thread writes all audit events to the log within milliseconds, and leaves nothing out",
        """
        audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait
        audit-log-batch-throttle-burst audit-log-batch-throttle-enable audit-log-batch-throttle-qps
        audit-log-mode audit-log-truncate-enabled audit-log-truncate-max-batch-size
        audit-log-truncate-max-event-size
        """,
    ),
    ("privileged containers are always allowed", "allow-privileged"),
    ("events stay until they are deleted", "event-ttl"),
    ("the garbage collector of clusters is a program of its own", "enable-garbage-collector"),
    (
        "a token is checked with the objects that it names, and lives as long as was asked for",
        """
        service-account-extend-token-expiration service-account-jwks-uri service-account-lookup
        service-account-max-token-expiration
        """,
    ),
)

_REFUSED = (
    (
        "the audit log contains events of audit.k8s.io/v1, each in a line of JSON",
        "audit-log-format audit-log-version",
    ),
    (
        "fakeapi writes the audit log to a file; it sends no audit events to a webhook",
        """
        audit-webhook-batch-buffer-size audit-webhook-batch-initial-backoff audit-webhook-batch-max-size
        audit-webhook-batch-max-wait audit-webhook-batch-throttle-burst audit-webhook-batch-throttle-enable
        audit-webhook-batch-throttle-qps audit-webhook-config-file audit-webhook-initial-backoff
        audit-webhook-mode audit-webhook-truncate-enabled audit-webhook-truncate-max-batch-size
        audit-webhook-truncate-max-event-size audit-webhook-version
        """,
    ),
    (
        "fakeapi authenticates users by certificates, tokens and front proxies",
        """
        authentication-config authentication-token-webhook-cache-ttl
        authentication-token-webhook-config-file authentication-token-webhook-version
        enable-bootstrap-token-auth oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix
        oidc-issuer-url oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix
        service-account-signing-endpoint
        """,
    ),
    (
        "fakeapi authorizes by the modes AlwaysAllow, AlwaysDeny, Node and RBAC",
        """
        authorization-config authorization-policy-file authorization-webhook-cache-authorized-ttl
        authorization-webhook-cache-unauthorized-ttl authorization-webhook-config-file
        authorization-webhook-version
        """,
    ),
    (
        "the release is that of the folder; `fakeapi envtest --release` makes one for another release",
        """
        emulated-version emulation-forward-compatible min-compatibility-version
        runtime-config-emulation-forward-compatible
        """,
    ),
    ("fakeapi connects to webhooks directly", "egress-selector-config-file"),
    ("fakeapi keeps all objects in one place", "etcd-servers-overrides"),
    ("use --enable-admission-plugins and --disable-admission-plugins", "admission-control"),
    ("fakeapi has no cloud provider", "cloud-config cloud-provider"),
    ("fakeapi has no cloud provider", "cloud-provider-gce-l7lb-src-cidrs cloud-provider-gce-lb-src-cidrs"),
    (
        "the admission plugin DefaultTolerationSeconds always sets 300 seconds",
        "default-not-ready-toleration-seconds default-unreachable-toleration-seconds",
    ),
    ("fakeapi serves TLS with one certificate", "tls-sni-cert-key"),
)

_DEFAULTS = {
    "audit-log-format": "json",
    "audit-log-version": "audit.k8s.io/v1",
    "default-not-ready-toleration-seconds": "300",
    "default-unreachable-toleration-seconds": "300",
    "enable-bootstrap-token-auth": "false",
}
"""The values that some refused flags may still have, because fakeapi behaves that way anyway."""

TREATMENTS: Final[Mapping[str, Treatment]] = {
    **dict(_all(Effect.HONOURED, "", _HONOURED)),
    **{n: t for reason, names in _WITHOUT_EFFECT for n, t in _all(Effect.NONE, reason, names)},
    **{
        name: Treatment(Effect.REFUSED, reason, _DEFAULTS.get(name))
        for reason, names in _REFUSED
        for name in names.split()
    },
}
"""Maps each flag of kube-apiserver, in any release, to its treatment."""
