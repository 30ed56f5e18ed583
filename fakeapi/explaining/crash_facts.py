"""Explains why the containers of a pod crash."""

from collections.abc import Iterator

from fakeapi.controllers.workloads.crashes import crash_of
from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.model import Reason
from fakeapi.machinery.json_types import Object

_FIELDS = ("initContainerStatuses", "containerStatuses")


def crash_reasons(cluster: ClusterObjects, pod: Object) -> Iterator[Reason]:
    """Yields a reason for each container of a pod that crashes: the exit code, restarts and message."""
    status = pod["status"]
    for field in _FIELDS:
        for index, container in enumerate(status.get(field) or ()):
            crash = crash_of(
                container["name"],
                container.get("state") or {},
                container.get("lastState") or {},
                container.get("restartCount") or 0,
                has_failed=status.get("phase") == "Failed",
                now=cluster.now,
            )
            if crash is not None:
                own, path = reference("Pod", pod), f"status.{field}[{index}]"
                yield Reason("ContainerCrashed", crash.text, object=own, path=path)
