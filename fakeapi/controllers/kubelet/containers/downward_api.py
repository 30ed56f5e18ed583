"""Resolves the fields and resources of a pod for environment variables (fieldRef, resourceFieldRef).

Follows k8s.io/kubernetes `pkg/fieldpath`, `pkg/api/v1/resource` and podFieldSelectorRuntimeValue in
`pkg/kubelet`.
"""

import re
from fractions import Fraction

from fakeapi.controllers.kubelet.containers.runtime import ContainerRun
from fakeapi.controllers.scheduler.node_state import amount
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

_SUBSCRIPT = lazy_pattern(r"(.+?)\['(.*)'\]\Z", re.DOTALL)


def field_value(run: ContainerRun, path: str) -> str:
    """Returns the value of a pod field, such as metadata.name. Raises ValueError for an unsupported path."""
    values: dict[str, str] = {
        "spec.nodeName": run.node,
        "spec.serviceAccountName": run.pod["spec"].get("serviceAccountName", ""),
        "spec.host": run.node,
        "status.hostIP": run.host_ip,
        "status.hostIPs": run.host_ip,
        "status.podIP": run.pod_ip,
        "status.podIPs": run.pod_ip,
    }
    if path in values:
        return values[path]
    metadata = run.pod["metadata"]
    maps = {f"metadata.{name}": metadata.get(name) or {} for name in ("annotations", "labels")}
    subscript = _SUBSCRIPT.match(path)
    if subscript is not None and subscript[1] in maps:
        value: str = maps[subscript[1]].get(subscript[2], "")
        return value
    if path in maps:
        return "\n".join(f"{key}={quote(value)}" for key, value in sorted(maps[path].items()))
    if path in {"metadata.name", "metadata.namespace", "metadata.uid"}:
        return str(metadata.get(path.removeprefix("metadata."), ""))
    raise ValueError(f"unsupported fieldPath: {path}")


def resource_value(run: ContainerRun, reference: Object, node: Object | None) -> str:
    """Returns a request or limit of a container, divided by the divisor and rounded up.

    `node`: the Node; its allocatable resources replace missing limits. Raises ValueError for an unknown
    container, and for an unsupported resource.
    """
    name = reference.get("containerName") or run.name
    spec = run.pod["spec"]
    lists = ("containers", "initContainers")
    known = {container["name"]: container for key in lists for container in spec.get(key) or ()}
    container = run.container if name == run.name else known.get(name)
    if container is None:
        raise ValueError(f"container {name} not found")
    kind, _, resource = reference["resource"].partition(".")
    is_standard = resource in {"cpu", "memory", "ephemeral-storage"} or resource.startswith("hugepages-")
    if kind not in {"limits", "requests"} or not is_standard:
        raise ValueError(f"unsupported container resource : {reference['resource']}")
    amounts = dict((container.get("resources") or {}).get(kind) or {})
    if kind == "limits" and node is not None:
        amounts = {**(node["status"].get("allocatable") or {}), **amounts}
    divisor = amount(reference.get("divisor") or "1") or Fraction(1)
    return str(-(-amount(amounts.get(resource, "0")) // divisor))
