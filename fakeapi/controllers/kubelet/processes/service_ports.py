"""Finds the process behind a Service. A real cluster uses EndpointSlices and kube-proxy."""

from collections.abc import Iterable

from fakeapi.controllers.kubelet.containers.runtime import ContainerRun
from fakeapi.controllers.kubelet.processes.handlers import port_of
from fakeapi.machinery.json_types import Object


def port_of_service(service: Object, port: int, runs: Iterable[ContainerRun]) -> int | None:
    """Returns the port of this machine for a port of a Service: the port of a process behind this Service.

    `runs`: the containers that run as processes. Returns None if the Service does not have the port, or if
    its selector matches no pod of these containers.
    """
    selector = service["spec"].get("selector")
    entry = next((each for each in service["spec"].get("ports") or () if each["port"] == port), None)
    if not selector or entry is None:
        return None
    namespace = service["metadata"]["namespace"]
    for run in runs:
        metadata = run.pod["metadata"]
        labels = metadata.get("labels") or {}
        if metadata["namespace"] == namespace and selector.items() <= labels.items():
            number = port_of(entry.get("targetPort", port), run.container)
            if number is not None:
                return number
    return None
