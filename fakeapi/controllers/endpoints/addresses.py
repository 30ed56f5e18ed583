"""Addresses and ports of the pods that a Service selects.

Follows k8s.io/endpointslice `utils.go` and `util/controller_utils.go`.
"""

from collections.abc import Iterable
from ipaddress import ip_address

from fakeapi.controllers.workloads.owners import labels_of
from fakeapi.controllers.workloads.pods import condition, has_ended, is_deleted, seconds_of
from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object

TRIGGER = "endpoints.kubernetes.io/last-change-trigger-time"
HEADLESS = "service.kubernetes.io/headless"


def is_headless(service: Object) -> bool:
    """Whether a Service has no cluster IP."""
    return service["spec"].get("clusterIP", "") in ("", "None")


def has_endpoints(service: Object) -> bool:
    """Whether the controllers write endpoints for a Service: it selects pods, and is not an ExternalName."""
    spec = service["spec"]
    return bool(spec.get("selector")) and spec.get("type") != "ExternalName"


def selects(service: Object, pod: Object) -> bool:
    """Whether the selector of a Service matches a pod of its namespace."""
    selector = service["spec"].get("selector") or {}
    same = service["metadata"]["namespace"] == pod["metadata"]["namespace"]
    return bool(selector) and same and selector.items() <= labels_of(pod).items()


def serves(pod: Object, *, while_deleted: bool) -> bool:
    """Whether the endpoints of a Service include a pod.

    `while_deleted`: whether to include terminating pods.
    """
    status = pod.get("status") or {}
    if has_ended(pod) or not (status.get("podIP") or status.get("podIPs")):
        return False
    return while_deleted or not is_deleted(pod)


def pod_addresses(pod: Object, family: str) -> list[str]:
    """Returns the IP addresses of a pod. `family`: IPv4 or IPv6."""
    version = 6 if family == "IPv6" else 4
    texts = [each["ip"] for each in (pod.get("status") or {}).get("podIPs") or ()]
    return [str(ip_address(text)) for text in texts if ip_address(text).version == version]


def families(service: Object) -> list[str]:
    return service["spec"].get("ipFamilies") or ["IPv4"]


def pod_ports(service: Object, pod: Object) -> list[Object]:
    """Returns the ports of a Service with their numbers in a pod.

    Omits named target ports that no container of the pod defines.
    """
    ports = []
    for port in service["spec"].get("ports") or ():
        number = _port_number(pod, port)
        if number is None:
            continue
        new = {"name": port.get("name", ""), "port": number, "protocol": port.get("protocol", "TCP")}
        if "appProtocol" in port:
            new["appProtocol"] = port["appProtocol"]
        ports.append(new)
    return ports


def _port_number(pod: Object, port: Object) -> int | None:
    target = port.get("targetPort", port["port"])
    if isinstance(target, int):
        return target
    init = pod["spec"].get("initContainers") or ()
    sidecars = [each for each in init if each.get("restartPolicy") == "Always"]
    for container in [*pod["spec"]["containers"], *sidecars]:
        for candidate in container.get("ports") or ():
            protocol = candidate.get("protocol", "TCP")
            if candidate.get("name") == target and protocol == port.get("protocol", "TCP"):
                return int(candidate["containerPort"])
    return None


def hostname(service: Object, pod: Object) -> str:
    """Returns the hostname of a pod if its subdomain is the name of the Service; "" for other pods."""
    spec = pod["spec"]
    return str(spec.get("hostname", "")) if spec.get("subdomain") == service["metadata"]["name"] else ""


def reference_to(pod: Object) -> Object:
    metadata = pod["metadata"]
    return {
        "kind": "Pod",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }


def trigger_time(service: Object, pods: Iterable[Object]) -> str:
    """Returns the later time: the Service's creation, or the last readiness change of its pods."""
    moments = [seconds_of(service["metadata"]["creationTimestamp"])]
    for pod in pods:
        ready = condition(pod, "Ready")
        moments.append(seconds_of(None if ready is None else ready.get("lastTransitionTime")))
    return times.now_text(max(moments))
