"""Explains why objects other than pods and claims are not deleted."""

from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.finalizers import finalizers_reason
from fakeapi.explaining.model import NAMES_SHOWN
from fakeapi.explaining.pods import explanation
from fakeapi.explaining.world import World, reference
from fakeapi.machinery.json_types import Object


def explain_other(world: World, obj: Object) -> Explanation:
    """Explains why an object still exists: its finalizers, or that it is not being deleted."""
    kind = obj["kind"]
    if "deletionTimestamp" not in obj["metadata"]:
        return explanation(world, obj, "present", "it exists, and nothing deletes it", kind=kind)
    reason = finalizers_reason(kind, obj)
    if kind == "PersistentVolumeClaim":
        reason.blame = [reference("Pod", pod) for pod in world.of("pods") if _mounts(pod, obj)]
        reason.details += [f"{one} uses it" for one in reason.blame[:NAMES_SHOWN]]
    return explanation(world, obj, "deleting", reason.text, [reason], kind=kind)


def _mounts(pod: Object, claim: Object) -> bool:
    """Whether a pod has a volume with this PersistentVolumeClaim."""
    return bool(
        pod["metadata"]["namespace"] == claim["metadata"]["namespace"]
        and any(
            (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim["metadata"]["name"]
            for volume in pod["spec"].get("volumes") or ()
        )
    )
