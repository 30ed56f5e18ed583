"""Unreachable: the error messages that no story can provoke, with the reasons."""

from collections.abc import Iterable, Mapping

from tests.differential.exchanges.messages import Message

UNREACHABLE: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "the rule is only in releases whose kube-apiserver does not get the stories": {
        "apps/controllerrevision.py": ("data | data is mandatory",),
        "autoscaling/horizontalpodautoscaler.py": ("must be set and greater than 0",),
        "batch/cronjob.py": ("spec.schedule | .*",),
        "batch/validation/job_status.py": ("cannot set SuccessCriteriaMet to NonIndexed Job",),
        "common/load_balancers.py": (".ip",),
        "core/node/validation.py": ("must be valid CIDR",),
        "core/pod/validation/claim_statuses.py": (
            "must not be empty",
            ".* | must be a node allocatable resource name",
            ".* | must be non-negative",
        ),
        "core/pod/validation/container_ports.py": (".*.containerPort | .*",),
        "core/pod/validation/dns.py": ("must be valid IP address",),
        "core/pod/validation/host_users.py": (".volumes[.*]",),
        "core/pod/validation/resize.py": (
            "only cpu and memory resources are mutable\n.*",
            ".limits[memory]",
        ),
        "core/service/validation.py": (
            "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ",
        ),
        "flowcontrol/priority_level.py": (".* | must be positive",),
        "networking/validation/network_policies.py": ("not a valid CIDR",),
        "resource/legacy_v1alpha2/claim.py": ("",),
        "resource/legacy_v1alpha2/parameter_references.py": ("",),
        "resource/legacy_v1alpha2/parameters.py": ("",),
        "resource/legacy_v1alpha2/resource_handles.py": ("",),
        "resource/legacy_v1alpha2/resource_slice.py": ("",),
        "resource/validation/node_allocatable.py": (".* | must be a node allocatable resource name",),
        "scheduling/first_workload.py": ("",),
    },
    "the server sets a default before the validation": {
        "apps/daemonset.py": ("spec.updateStrategy.rollingUpdate",),
        "apps/deployment.py": ("spec.strategy.rollingUpdate | .*",),
        "batch/cronjob.py": ("spec.concurrencyPolicy | .*",),
        "certificates/pod_request_validation.py": ("must be set",),
        "core/endpoints.py": (".*.protocol | .*",),
        "core/pod/validation/container_ports.py": (".*.protocol | .*",),
        "core/pod/validation/containers.py": (".*.terminationMessagePolicy | .*",),
        "core/pod/validation/dns.py": (".*.dnsPolicy | .*",),
        "core/pod/validation/probes.py": (".path",),
        "core/pod/validation/references.py": (".apiVersion",),
        "core/pod/validation/volumes.py": ("must specify a volume type",),
        "core/replicationcontroller.py": ("spec.replicas",),
        "core/service/validation.py": (
            "must be specified when `ip` is set",
            ".*.protocol | .*",
            "spec.sessionAffinity | .*",
            "when session affinity type is ClientIP",
            "spec.type | .*",
            "allocateLoadBalancerNodePorts | .*",
        ),
        "discovery/validation.py": (".*.protocol | .*",),
        "networking/validation/references.py": (".*.scope | .*",),
        "resource/validation/tolerations.py": (".*.operator | .*",),
        "storage/csi_driver.py": ("spec..*",),
        "storage/storage_class.py": ("volumeBindingMode | .*",),
    },
    "the server keeps, resets or copies the field before the validation": {
        "admissionregistration/validating_policy.py": ("requires metadata.name be non-empty",),
        "certificates/signing_request_validation.py": ("updates may not set certificate content",),
        "core/persistent_volume/definition.py": ("resourceVersion",),
        "core/persistent_volume_claim/validation.py": (
            "resourceVersion",
            "Spec.accessModes",
        ),
        "core/pod/validation/names_of_others.py": (".deprecatedServiceAccount",),
        "core/pod/validation/status.py": (
            "status.podIPs",
            "status.podIPs[0].ip",
            "status.nodeName",
        ),
    },
    "needs a server with two families of IP addresses": {
        "core/service/cluster_ip_validation.py": ("[0]",),
        "core/service/families.py": ("spec.clusterIPs[.*]",),
    },
    "needs an object that is younger than a story can be": {
        "certificates/pod_request_status.py": ("intermediate certificate does not parse as valid X.509",),
        "lifecycle/eviction_status.py": (
            "must stay Active because the responder is in progress and it should re",
        ),
    },
    "needs an object that has the time of the story": {
        "lifecycle/eviction_status.py": (
            ".*.state | .*",
            "is required once set",
        ),
    },
    "a limit of fakeapi": {
        "apiextensions/validation/schemas.py": ("spec.versions",),
    },
}
"""Reason -> module below `fakeapi/kinds` -> parts of the field or of the text of its messages.

"" stands for all messages of a module.
"""


def reason_of(message: Message) -> str:
    """Returns the reason why no story can provoke a message; "" for other messages."""
    module = message.place.partition(":")[0]
    shown = described(message)
    for reason, modules in UNREACHABLE.items():
        if any(part in shown for part in modules.get(module, ())):
            return reason
    return ""


def described(message: Message) -> str:
    """Returns the field and the text of a message, without the escapes of its patterns."""
    return f"{message.field} | {message.detail}".replace("\\", "")


def by_reason(missing: Iterable[Message]) -> dict[str, list[Message]]:
    """Returns missing messages by the reason; the key "" has the messages that a story may provoke."""
    found: dict[str, list[Message]] = {}
    for message in missing:
        found.setdefault(reason_of(message), []).append(message)
    return found
