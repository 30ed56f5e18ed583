"""Explains objects that are neither pods nor claims: why they are not deleted."""

from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.finalizers import finalizers_reason
from fakeapi.explaining.model import NAMES_SHOWN, Change
from fakeapi.explaining.pods import explanation
from fakeapi.explaining.world import World, reference
from fakeapi.machinery.json_types import Object


def explain_other(world: World, obj: Object) -> Explanation:
    """Explains why an object that is being deleted still exists."""
    kind = obj["kind"]
    if "deletionTimestamp" not in obj["metadata"]:
        return explanation(world, obj, "present", "it exists, and nothing deletes it", kind=kind)
    reason = finalizers_reason(world, kind, obj)
    if kind == "PersistentVolumeClaim":
        reason.blame = [reference("Pod", pod) for pod in world.of("pods") if _mounts(pod, obj)]
        reason.details += [f"{one} uses it" for one in reason.blame[:NAMES_SHOWN]]
        if reason.blame:
            named = ", ".join(map(str, reason.blame[:4]))
            more = f" and {len(reason.blame) - 4} more" if len(reason.blame) > 4 else ""
            reason.changes.insert(0, Change(f"end {named}{more}", "delete", reason.blame))
    return explanation(world, obj, "deleting", reason.text, [reason], kind=kind)


def _mounts(pod: Object, claim: Object) -> bool:
    """Whether a pod has a volume of a PersistentVolumeClaim."""
    return bool(
        pod["metadata"]["namespace"] == claim["metadata"]["namespace"]
        and any(
            (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim["metadata"]["name"]
            for volume in pod["spec"].get("volumes") or ()
        )
    )
