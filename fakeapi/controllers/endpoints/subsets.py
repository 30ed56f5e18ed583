"""Groups the addresses of a Service's pods into the subsets of Endpoints.

Follows k8s.io/kubernetes `pkg/controller/endpoint` and `RepackSubsets` of `pkg/api/v1/endpoints`.
"""

from collections.abc import Iterable

from fakeapi.controllers.endpoints.addresses import (
    families,
    hostname,
    is_headless,
    pod_addresses,
    pod_ports,
    reference_to,
    serves,
)
from fakeapi.controllers.workloads.pods import is_ready
from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object

ADDRESSES_MAX = 1000
"""Maximum number of addresses in one Endpoints object.

Further addresses are omitted. The annotation endpoints.kubernetes.io/over-capacity is then `truncated`.
"""


def subsets_of(service: Object, pods: Iterable[Object]) -> tuple[list[Object], bool]:
    """Returns the subsets for the pods of a Service, and whether addresses were omitted.

    Addresses with the same ports are in one subset.
    """
    tolerates = bool(service["spec"].get("publishNotReadyAddresses"))
    by_address: dict[bytes, tuple[Object, bool, list[Object]]] = {}
    for pod in pods:
        addresses = pod_addresses(pod, families(service)[0])
        if not addresses or not serves(pod, while_deleted=tolerates):
            continue
        address: Object = {"ip": addresses[0], "targetRef": reference_to(pod)}
        if pod["spec"].get("nodeName"):
            address["nodeName"] = pod["spec"]["nodeName"]
        if name := hostname(service, pod):
            address["hostname"] = name
        ports = [_without_empty(port) for port in pod_ports(service, pod)]
        if ports or (not service["spec"].get("ports") and is_headless(service)):
            ready = tolerates or is_ready(pod)
            by_address[codec.encode(address)] = address, ready, ports
    groups: dict[bytes, Object] = {}
    for address, ready, ports in list(by_address.values())[:ADDRESSES_MAX]:
        subset = groups.setdefault(codec.encode(ports), {"ports": ports} if ports else {})
        subset.setdefault("addresses" if ready else "notReadyAddresses", []).append(address)
    for subset in groups.values():
        for field in ("addresses", "notReadyAddresses"):
            if field in subset:
                subset[field].sort(key=lambda address: (address["ip"], address["targetRef"]["uid"]))
    return [groups[key] for key in sorted(groups)], len(by_address) > ADDRESSES_MAX


def _without_empty(port: Object) -> Object:
    return {name: value for name, value in port.items() if value != ""}
