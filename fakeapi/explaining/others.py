"""Explains objects that are neither pods nor claims: why they are not deleted."""

from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.finalizers import finalizer_lines
from fakeapi.explaining.model import NAMES_SHOWN, Reason
from fakeapi.explaining.pods import explanation
from fakeapi.explaining.world import World, reference
from fakeapi.machinery.json_types import Object


def explain_other(world: World, obj: Object) -> Explanation:
    """Explains why an object that is being deleted still exists."""
    kind = obj["kind"]
    if "deletionTimestamp" not in obj["metadata"]:
        return explanation(world, obj, "present", "it exists, and nothing deletes it", kind=kind)
    lines = finalizer_lines(obj)
    names = ", ".join(line.removeprefix("finalizer ").partition(":")[0] for line in lines) or "nothing"
    text = f"it is being deleted and waits for {names}"
    reason = Reason("Finalizers", text, lines, reference(kind, obj), "metadata.finalizers")
    if kind == "PersistentVolumeClaim":
        reason.blame = [reference("Pod", pod) for pod in world.of("pods") if _mounts(pod, obj)]
        reason.details += [f"{one} uses it" for one in reason.blame[:NAMES_SHOWN]]
    return explanation(world, obj, "deleting", text, [reason], kind=kind)


def _mounts(pod: Object, claim: Object) -> bool:
    """Whether a pod has a volume of a PersistentVolumeClaim."""
    return bool(
        pod["metadata"]["namespace"] == claim["metadata"]["namespace"]
        and any(
            (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim["metadata"]["name"]
            for volume in pod["spec"].get("volumes") or ()
        )
    )
