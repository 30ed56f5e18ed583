"""Explains why objects other than pods and claims are not deleted."""

from fakeapi.explaining.cluster_objects import ClusterObjects, reference
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.finalizers import finalizers_reason
from fakeapi.explaining.harms import deletion, pods_of
from fakeapi.explaining.model import NAMES_SHOWN
from fakeapi.explaining.namespaces import namespace_reason
from fakeapi.explaining.pods import explanation
from fakeapi.explaining.present_facts import present_lines
from fakeapi.machinery.json_types import Object


def explain_other(cluster: ClusterObjects, obj: Object) -> Explanation:
    """Explains why an object still exists: its finalizers, or that it is not being deleted."""
    kind = obj["kind"]
    if "deletionTimestamp" not in obj["metadata"]:
        present = explanation(cluster, obj, "present", "it is not being deleted", kind=kind)
        present.details = present_lines(cluster, obj)
        return present
    reason = namespace_reason(cluster, obj) if kind == "Namespace" else finalizers_reason(cluster, kind, obj)
    if kind == "PersistentVolumeClaim":
        reason.blame = [reference("Pod", pod) for pod in cluster.of("pods") if _mounts(pod, obj)]
        reason.details += [f"{one} uses it" for one in reason.blame[:NAMES_SHOWN]]
        if reason.blame:
            reason.changes.append(deletion(reason.blame, pods_of(cluster, reason.blame)))
    return explanation(cluster, obj, "deleting", reason.text, [reason], kind=kind)


def _mounts(pod: Object, claim: Object) -> bool:
    """Whether a pod has a volume with this PersistentVolumeClaim."""
    return bool(
        pod["metadata"]["namespace"] == claim["metadata"]["namespace"]
        and any(
            (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim["metadata"]["name"]
            for volume in pod["spec"].get("volumes") or ()
        )
    )
