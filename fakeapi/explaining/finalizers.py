"""Names the component that removes a finalizer."""

from collections.abc import Mapping

from fakeapi.explaining.model import Reason
from fakeapi.explaining.world import reference
from fakeapi.machinery.json_types import Object

KNOWN: Mapping[str, str] = {
    "resource.kubernetes.io/delete-protection": (
        "the resourceclaim controller removes it when no pod uses the claim and it is deallocated"
    ),
    "kubernetes.io/pvc-protection": (
        "the pvc-protection controller removes it when no pod uses the volume claim"
    ),
    "kubernetes.io/pv-protection": "the pv-protection controller removes it when the volume is not bound",
    "scheduling.k8s.io/podgroup-protection": (
        "the podgroup-protection controller removes it when no active pod names the group"
    ),
    "foregroundDeletion": "the garbage collector removes it when all dependents are deleted",
    "orphan": "the garbage collector removes it when the dependents have no owner reference to the object",
    "kubernetes": "the namespace controller removes it when the namespace is empty",
    "batch.kubernetes.io/job-tracking": "the job controller removes it when it has counted the pod",
    "service.kubernetes.io/load-balancer-cleanup": "the service controller of the cloud provider removes it",
    "external-attacher/": "the CSI driver's attacher removes it",
}
"""Maps each finalizer of Kubernetes to the component that removes it."""


def finalizer_lines(obj: Object) -> list[str]:
    """Returns one line for each finalizer of an object, with the component that removes the finalizer."""
    return [f"finalizer {name}: {remover(obj, name)}" for name in _finalizers(obj)]


def finalizers_reason(kind: str, obj: Object) -> Reason:
    """Returns the reason why a deleted object still exists: its finalizers."""
    names = ", ".join(_finalizers(obj)) or "nothing"
    text = f"it is being deleted and waits for {names}"
    return Reason("Finalizers", text, finalizer_lines(obj), reference(kind, obj), "metadata.finalizers")


def _finalizers(obj: Object) -> list[str]:
    """Returns the finalizers of an object; for a Namespace, also those in its spec."""
    finalizers = [*(obj["metadata"].get("finalizers") or ())]
    if obj.get("kind") == "Namespace":
        finalizers += obj["spec"].get("finalizers") or ()
    return finalizers


def remover(obj: Object, finalizer: str) -> str:
    """Returns in words who removes a finalizer; for an unknown finalizer, the field manager that set it."""
    known = KNOWN.get(finalizer) or next(
        (text for name, text in KNOWN.items() if name.endswith("/") and finalizer.startswith(name)), ""
    )
    if known:
        return known
    managers = [
        entry["manager"]
        for entry in obj["metadata"].get("managedFields") or ()
        if f'v:"{finalizer}"' in (entry.get("fieldsV1") or {}).get("f:metadata", {}).get("f:finalizers", {})
    ]
    if managers:
        return f"set by {', '.join(dict.fromkeys(managers))}, which must remove it"
    return "the controller that added it must remove it"
