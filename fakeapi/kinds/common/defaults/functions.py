"""Functions that set the defaults that the rules in defaults.json cannot express.

Follows `SetDefaults_…` of k8s.io/kubernetes `pkg/apis/*/v*/defaults.go`. The server applies the rules for a
Go type before the function for this type. Each function changes its argument in place.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from fakeapi.kinds.autoscaling import defaults as autoscaling
from fakeapi.kinds.core.pod import default_resources as pod_resources
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta import quantity
from fakeapi.releases import Gates

RBAC: Final = "rbac.authorization.k8s.io"
TOKEN_SECONDS: Final = 3600
AFFINITY_SECONDS: Final = 10800
IMAGE_LENGTH_MAX: Final = 4096
"""Maximum length of the image references that fakeapi parses, in characters.

Longer references get the imagePullPolicy IfNotPresent.
"""

REPOSITORY_LENGTH_MAX: Final = 255
"""Maximum length of the repository in an image reference, without its registry, in characters.

Kubernetes cannot parse a reference with a longer repository. Such images get the imagePullPolicy
IfNotPresent. The limit is RepositoryNameTotalLengthMax of `distribution/reference`.
"""

INIT_CONTAINER_ANNOTATIONS: Final = frozenset(
    f"pod.{stage}.kubernetes.io/init-{suffix}"
    for stage in ("alpha", "beta")
    for suffix in ("containers", "container-statuses")
)

_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_IMAGE = lazy_pattern(
    rf"(?P<name>(?:(?:{_HOST}(?:\.{_HOST})*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?/)?"
    rf"{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?"
    r"(?:@(?P<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?\Z",
    re.ASCII,
)
_IDENTIFIER = lazy_pattern(r"[a-f0-9]{64}\Z")


def pull_policy(image: str) -> str:
    """Returns the default imagePullPolicy of an image.

    The default is Always for the tag `latest`, and for images with neither tag nor digest. The default is
    IfNotPresent for all other images, and for image references that Kubernetes cannot parse.
    """
    reference = (
        _IMAGE.match(image) if len(image) <= IMAGE_LENGTH_MAX and not _IDENTIFIER.match(image) else None
    )
    if reference is None or len(_repository(reference["name"])) > REPOSITORY_LENGTH_MAX:
        return "IfNotPresent"
    tag = reference["tag"] or ("" if reference["digest"] else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"


def _repository(name: str) -> str:
    """Returns the repository of an image name: "library/nginx" for nginx, "team/app" for ghcr.io/team/app."""
    first, slash, rest = name.partition("/")
    if not slash:
        return f"library/{name}"
    is_registry = first == "localhost" or "." in first or ":" in first or first.lower() != first
    return rest if is_registry else name


def _container(obj: Object, gates: Gates) -> None:
    if not obj.get("imagePullPolicy"):
        obj["imagePullPolicy"] = pull_policy(obj.get("image", ""))


def _volume(obj: Object, gates: Gates) -> None:
    if all(value is None for name, value in obj.items() if name != "name"):
        obj["emptyDir"] = {}
    image = obj.get("image")
    if image is not None and not image.get("pullPolicy") and gates.enabled("ImageVolume"):
        image["pullPolicy"] = pull_policy(image.get("reference", ""))


def _token_projection(obj: Object, gates: Gates) -> None:
    if obj.get("expirationSeconds") is None:
        obj["expirationSeconds"] = TOKEN_SECONDS


def _pod(obj: Object, gates: Gates) -> None:
    spec = obj["spec"]
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        spec["terminationGracePeriodSeconds"] = 1
    for container in _containers(spec):
        resources = container.get("resources") or {}
        limits = resources.get("limits")
        if limits is not None:
            requests = resources.setdefault("requests", {})
            for name, value in limits.items():
                requests.setdefault(name, value)
            _sort_members(requests)
    if gates.enabled("PodLevelResources") and not gates.enabled("PodLevelResourcesFixDefaulting"):
        pod_resources.set_by_request_defaults(spec)
    if spec.get("hostNetwork"):
        _host_ports(spec)
    if gates.get("H2CContainerProbe", False):
        _http_protocols(spec)


_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")


def _http_protocols(spec: Object) -> None:
    """Sets the protocol of HTTP probes and of HTTP lifecycle handlers to HTTP1."""
    for kind in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            lifecycle = container.get("lifecycle") or {}
            handlers = [container.get(name) for name in _PROBES]
            handlers += [lifecycle.get(name) for name in ("postStart", "preStop")]
            for handler in handlers:
                action = (handler or {}).get("httpGet")
                if action is not None:
                    action.setdefault("protocol", "HTTP1")


def _init_container_annotations(obj: Object, gates: Gates) -> None:
    """Removes the annotations that contained init containers before `spec.initContainers` existed."""
    metadata = obj.get("metadata") or {}
    annotations = metadata.get("annotations")
    if annotations and not INIT_CONTAINER_ANNOTATIONS.isdisjoint(annotations):
        kept = {name: value for name, value in annotations.items() if name not in INIT_CONTAINER_ANNOTATIONS}
        metadata["annotations"] = kept
        if not kept:
            del metadata["annotations"]


def _pod_spec(obj: Object, gates: Gates) -> None:
    """Copies container ports to host ports in pod templates with hostNetwork.

    Up to 1.27, always copies the ports. From 1.28 to 1.30, copies the ports only while the gate
    DefaultHostNetworkHostPortsInPodTemplates is on.
    """
    if obj.get("hostNetwork") and gates.get("DefaultHostNetworkHostPortsInPodTemplates", True):
        _host_ports(obj)


def _pod_spec_account(obj: Object, gates: Gates) -> None:
    """Keeps `serviceAccount`, the deprecated alias, equal to `serviceAccountName`."""
    name = obj.get("serviceAccountName") or obj.get("serviceAccount")
    if name:
        obj["serviceAccountName"] = obj["serviceAccount"] = name


def _pod_status_addresses(obj: Object, gates: Gates) -> None:
    """Sets `podIP` or `podIPs` from the other field, so that `podIP` is the first of `podIPs`."""
    address, addresses = obj.get("podIP"), obj.get("podIPs")
    if address and (not addresses or addresses[0].get("ip") != address):
        obj["podIPs"] = [{"ip": address}]
    elif addresses and not address:
        obj["podIP"] = addresses[0].get("ip", "")


def _node_networks(obj: Object, gates: Gates) -> None:
    """Sets `podCIDR` or `podCIDRs` from the other field, so that `podCIDR` is the first of `podCIDRs`."""
    network, networks = obj.get("podCIDR"), obj.get("podCIDRs")
    if network and (not networks or networks[0] != network):
        obj["podCIDRs"] = [network]
    elif networks and not network:
        obj["podCIDR"] = networks[0]


def _containers(spec: Object) -> Iterable[Object]:
    yield from spec.get("containers") or ()
    yield from spec.get("initContainers") or ()


def _host_ports(spec: Object) -> None:
    for container in _containers(spec):
        for port in container.get("ports") or ():
            if not port.get("hostPort"):
                port["hostPort"] = port.get("containerPort", 0)


def _labels_of_template(obj: Object, gates: Gates) -> None:
    labels = _template_labels(obj)
    if labels and not obj["metadata"].get("labels"):
        obj["metadata"]["labels"] = dict(labels)


def _replication_controller(obj: Object, gates: Gates) -> None:
    labels = _template_labels(obj)
    if labels and not obj["spec"].get("selector"):
        obj["spec"]["selector"] = dict(labels)
    _labels_of_template(obj, gates)
    if obj["spec"].get("replicas") is None:
        obj["spec"]["replicas"] = 1


def _template_labels(obj: Object) -> dict[str, str] | None:
    template = obj["spec"].get("template") or {}
    labels: dict[str, str] | None = (template.get("metadata") or {}).get("labels")
    return labels


def _resource_list(values: dict[str, str], gates: Gates) -> None:
    """Rounds the quantities of a resource list up to multiples of 0.001, in place."""
    for name, value in values.items():
        values[name] = quantity.rounded_up_to_milli(value)


def _service(obj: Object, gates: Gates) -> None:
    """Sets a missing timeout of ClientIP session affinity. Without affinity, removes its configuration.

    `ServiceStrategy` sets the default externalTrafficPolicy.
    """
    spec = obj["spec"]
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        of_client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if of_client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": AFFINITY_SECONDS}}


def _limit_range_item(obj: Object, gates: Gates) -> None:
    if obj.get("type") != "Container":
        return
    default = obj.setdefault("default", {})
    requested = obj.setdefault("defaultRequest", {})
    for target, source in ((default, "max"), (requested, "default"), (requested, "min")):
        for name, value in (obj.get(source) or {}).items():
            target.setdefault(name, value)
    for name in ("default", "defaultRequest"):
        _sort_members(obj[name])
        if not obj[name]:
            del obj[name]


def _network_policy(obj: Object, gates: Gates) -> None:
    spec = obj["spec"]
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def _rbac_subject(obj: Object, gates: Gates) -> None:
    if not obj.get("apiGroup") and obj.get("kind") in ("User", "Group"):
        obj["apiGroup"] = RBAC


def _csi_driver(obj: Object, gates: Gates) -> None:
    if not obj["spec"].get("volumeLifecycleModes"):
        obj["spec"]["volumeLifecycleModes"] = ["Persistent"]


def _sort_members(values: dict[str, Any]) -> None:
    """Sorts a mapping by its keys, in the order in which the API server encodes maps."""
    members = sorted(values.items())
    values.clear()
    values.update(members)


FUNCTIONS: dict[tuple[str, str], Callable[[Any, Gates], None]] = {
    ("authentication/v1.TokenRequestSpec", "SetDefaults_TokenRequestSpec"): _token_projection,
    ("autoscaling/v2.HorizontalPodAutoscaler", "SetDefaults_HorizontalPodAutoscaler"): autoscaling.metrics,
    (
        "autoscaling/v2.HorizontalPodAutoscaler",
        "SetDefaults_HorizontalPodAutoscalerBehavior",
    ): autoscaling.behavior,
    ("batch/v1.Job", "SetDefaults_Job"): _labels_of_template,
    ("core/v1.Container", "SetDefaults_Container"): _container,
    ("core/v1.EphemeralContainer", "SetDefaults_Container"): _container,
    ("core/v1.LimitRangeItem", "SetDefaults_LimitRangeItem"): _limit_range_item,
    ("core/v1.Pod", "SetDefaults_Pod"): _pod,
    ("core/v1.PodSpec", "SetDefaults_PodSpec"): _pod_spec,
    ("core/v1.ReplicationController", "SetDefaults_ReplicationController"): _replication_controller,
    ("core/v1.Service", "SetDefaults_Service"): _service,
    ("core/v1.ServiceAccountTokenProjection", "SetDefaults_ServiceAccountTokenProjection"): _token_projection,
    ("core/v1.Volume", "SetDefaults_Volume"): _volume,
    ("networking/v1.NetworkPolicy", "SetDefaults_NetworkPolicy"): _network_policy,
    ("rbac/v1.Subject", "SetDefaults_Subject"): _rbac_subject,
    ("storage/v1.CSIDriver", "SetDefaults_CSIDriver"): _csi_driver,
}
"""Functions that set defaults, by Go type and name of the upstream function.

EphemeralContainer has the same fields as Container, so both use the same function.
"""

ALIKE: dict[str, Callable[[Any, Gates], None]] = {
    "core/v1.EphemeralContainer": _container,
    "core/v1.NodeSpec": _node_networks,
    "core/v1.Pod": _init_container_annotations,
    "core/v1.PodSpec": _pod_spec_account,
    "core/v1.PodStatus": _pod_status_addresses,
    "core/v1.PodTemplateSpec": _init_container_annotations,
}
"""Changes that look like defaults to clients: functions by Go type.

Upstream makes these changes when it converts an object to the internal version and back.
"""

OF_NODES: dict[str, Callable[[Any, Gates], None]] = {"map[v1.ResourceName]resource.Quantity": _resource_list}
"""Functions that set defaults in maps, by the Go type of the map."""
