"""The Service `kubernetes`, its endpoints, and the ServiceCIDR that contains its cluster IP.

Follows k8s.io/kubernetes `pkg/controlplane/controller/kubernetesservice`, `pkg/controlplane/reconcilers` and
`pkg/controlplane/controller/defaultservicecidr`. Clients connect over loopback, but Kubernetes rejects
loopback addresses in endpoints. So the endpoint has an address that no network uses.
"""

from collections.abc import Iterator
from typing import Final

from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap import BootstrapObject
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

NAME: Final = "kubernetes"
NAMESPACE: Final = "default"
ENDPOINT: Final = "192.0.2.1"
"""IP address of the endpoint. RFC 5737 reserves it for documentation."""
PORT, SECURE_PORT = 443, 6443

_GATE = "MultiCIDRServiceAllocator"


def objects(resource: Resource, catalogue: Catalogue, now: str) -> Iterator[BootstrapObject]:
    """Yields the Service `kubernetes`, or the object of another resource that belongs to this Service.

    Yields nothing for unrelated resources. ServiceCIDRs and IPAddresses exist only in releases that allocate
    cluster IPs from ServiceCIDRs.
    """
    has_ranges = resource.release.gates.enabled(_GATE)
    network = resource.service_network
    match resource.kind.resource:
        case "services":
            yield BootstrapObject(NAME, _service(network.first_address), NAMESPACE)
        case "endpoints":
            yield BootstrapObject(NAME, _endpoints(), NAMESPACE)
        case "endpointslices":
            yield BootstrapObject(NAME, _slice(), NAMESPACE)
        case "servicecidrs" if has_ranges:
            ready = {
                "type": "Ready",
                "status": "True",
                "lastTransitionTime": now,
                "reason": "",
                "message": "Kubernetes default Service CIDR is ready",
            }
            yield BootstrapObject(
                NAME, {"spec": {"cidrs": [str(network.cluster_ips)]}}, status={"conditions": [ready]}
            )
        case "ipaddresses" if has_ranges:
            yield BootstrapObject(network.first_address, _address())


def _service(address: str) -> Object:
    port = {"name": "https", "protocol": "TCP", "port": PORT, "targetPort": SECURE_PORT}
    return {
        "metadata": {"labels": {"component": "apiserver", "provider": "kubernetes"}},
        "spec": {
            "ports": [port],
            "clusterIP": address,
            "type": "ClusterIP",
            "sessionAffinity": "None",
            "ipFamilyPolicy": "SingleStack",
        },
    }


def _endpoints() -> Object:
    port = {"name": "https", "port": SECURE_PORT, "protocol": "TCP"}
    return {
        "metadata": {"labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}},
        "subsets": [{"addresses": [{"ip": ENDPOINT}], "ports": [port]}],
    }


def _slice() -> Object:
    return {
        "metadata": {"labels": {"kubernetes.io/service-name": NAME}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [ENDPOINT], "conditions": {"ready": True}}],
        "ports": [{"name": "https", "port": SECURE_PORT, "protocol": "TCP"}],
    }


def _address() -> Object:
    labels = {
        "ipaddress.kubernetes.io/ip-family": "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    }
    parent = {"resource": "services", "namespace": NAMESPACE, "name": NAME}
    return {"metadata": {"labels": labels}, "spec": {"parentRef": parent}}
