"""Explains why objects other than pods and claims are not deleted."""

import re
from collections.abc import Iterator

import msgspec

from fakeapi.explaining.cluster_objects import KINDS, NAMESPACED, ClusterObjects, reference
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.finalizers import finalizer_changes, finalizer_lines, finalizers_of, finalizers_reason
from fakeapi.explaining.harms import deletion, pods_of
from fakeapi.explaining.model import NAMES_SHOWN, Reason, devices_text
from fakeapi.explaining.pods import explanation
from fakeapi.machinery.json_types import Object

_DRIVER = re.compile(r"""\bdevice\.driver\s*==\s*["']([^"']+)["']""")
"""The comparison with one driver in a CEL expression."""


def explain_other(cluster: ClusterObjects, obj: Object) -> Explanation:
    """Explains why an object still exists: its finalizers, or that it is not being deleted."""
    kind = obj["kind"]
    if "deletionTimestamp" not in obj["metadata"]:
        present = explanation(cluster, obj, "present", "it exists, and nothing deletes it", kind=kind)
        if kind == "DeviceClass":
            present.details = [*_driver_lines(cluster, obj)]
        return present
    reason = finalizers_reason(cluster, kind, obj)
    if kind == "PersistentVolumeClaim":
        reason.blame = [reference("Pod", pod) for pod in cluster.of("pods") if _mounts(pod, obj)]
        reason.details += [f"{one} uses it" for one in reason.blame[:NAMES_SHOWN]]
        if reason.blame:
            reason.changes.append(deletion(reason.blame, pods_of(cluster, reason.blame)))
    if kind == "Namespace":
        _add_contents(cluster, obj, reason)
    return explanation(cluster, obj, "deleting", reason.text, [reason], kind=kind)


def _driver_lines(cluster: ClusterObjects, device_class: Object) -> Iterator[str]:
    """Yields one line for each driver that a DeviceClass selects: the number of its published devices."""
    for selector in device_class["spec"].get("selectors") or ():
        for driver in _DRIVER.findall((selector.get("cel") or {}).get("expression", "")):
            count = sum(
                len(one["spec"].get("devices") or ())
                for one in cluster.of("resourceslices")
                if one["spec"]["driver"] == driver
            )
            yield f"driver {driver} publishes {devices_text(count) if count else 'no devices'}"


def _add_contents(cluster: ClusterObjects, namespace: Object, reason: Reason) -> None:
    """Adds the objects of a namespace that finalizers hold, with the changes that delete them."""
    held = [
        (KINDS[resource][1], obj)
        for resource in sorted(NAMESPACED)
        for obj in cluster.of(resource)
        if obj["metadata"]["namespace"] == namespace["metadata"]["name"] and finalizers_of(obj)
    ]
    for kind, obj in held[:NAMES_SHOWN]:
        own = reference(kind, obj)
        reason.blame.append(own)
        reason.details += [f"{own}: {line}" for line in finalizer_lines(cluster, obj)]
        reason.changes += [
            msgspec.structs.replace(change, sufficient=False, needs=f"{len(held)} objects are held")
            if len(held) > 1
            else change
            for change in finalizer_changes(cluster, kind, obj)
        ]


def _mounts(pod: Object, claim: Object) -> bool:
    """Whether a pod has a volume with this PersistentVolumeClaim."""
    return bool(
        pod["metadata"]["namespace"] == claim["metadata"]["namespace"]
        and any(
            (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim["metadata"]["name"]
            for volume in pod["spec"].get("volumes") or ()
        )
    )
