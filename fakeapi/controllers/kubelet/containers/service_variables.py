"""Builds the environment variables of Services, such as KUBERNETES_SERVICE_HOST.

Follows k8s.io/kubernetes `pkg/kubelet/envvars` and getServiceEnvVarMap in `pkg/kubelet/kubelet_pods.go`.
"""

from collections.abc import Iterable, Iterator

from fakeapi.machinery.json_types import Object


def service_variables(services: Iterable[Object], namespace: str, *, links: bool) -> dict[str, str]:
    """Returns the variables of Services, by name, for the pods of a namespace.

    `links`: the pod's enableServiceLinks. If `links` is false, only the Service `kubernetes` has variables.
    """
    chosen: dict[str, Object] = {}
    for service in services:
        metadata = service["metadata"]
        is_master = (metadata["namespace"], metadata["name"]) == ("default", "kubernetes")
        if service["spec"].get("clusterIP") in {None, "", "None"}:
            continue
        if is_master:
            chosen["kubernetes"] = service
        elif links and metadata["namespace"] == namespace:
            chosen.setdefault(metadata["name"], service)
    return {name: value for key in sorted(chosen) for name, value in _variables(key, chosen[key]["spec"])}


def _variables(service: str, spec: Object) -> Iterator[tuple[str, str]]:
    prefix, address = _name(service), spec["clusterIP"]
    ports = spec.get("ports") or ()
    if not ports:
        return
    yield f"{prefix}_SERVICE_HOST", address
    yield f"{prefix}_SERVICE_PORT", str(ports[0]["port"])
    for port in ports:
        if port.get("name"):
            yield f"{prefix}_SERVICE_PORT_{_name(port['name'])}", str(port["port"])
    host = f"[{address}]" if ":" in address else address
    for index, port in enumerate(ports):
        number, protocol = port["port"], port.get("protocol") or "TCP"
        url = f"{protocol.lower()}://{host}:{number}"
        if index == 0:
            yield f"{prefix}_PORT", url
        link = f"{prefix}_PORT_{number}_{protocol.upper()}"
        yield link, url
        yield f"{link}_PROTO", protocol.lower()
        yield f"{link}_PORT", str(number)
        yield f"{link}_ADDR", address


def _name(text: str) -> str:
    return text.replace("-", "_").upper()
