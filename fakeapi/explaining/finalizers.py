"""Explains which component removes a finalizer, and what completes the deletion of an object."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fakeapi.explaining.cluster_objects import ClusterObjects, consumers_of, reference
from fakeapi.explaining.harms import deletion, pods_of
from fakeapi.explaining.model import Change, Reason
from fakeapi.machinery.json_types import Object


@dataclass(frozen=True, slots=True)
class Remover:
    """The component of Kubernetes that removes a finalizer.

    - `name`: the component, as text.
    - `when`: the condition, as text; "" without a condition.
    - `controller`: the component's name among the controllers of the server; "" for a component outside of
      the server.
    """

    name: str
    when: str = ""
    controller: str = ""

    @property
    def text(self) -> str:
        """The sentence "NAME removes it when CONDITION", or "NAME removes it" without a condition."""
        return f"{self.name} removes it{f' when {self.when}' if self.when else ''}"


SKIPS_CLEANUP = "this skips the cleanup that the finalizer waits for"
"""The harm of an edit that removes a finalizer."""

KNOWN: Mapping[str, Remover] = {
    "resource.kubernetes.io/delete-protection": Remover(
        "the resourceclaim controller", "no pod uses the claim and it is deallocated", "resourceclaim"
    ),
    "kubernetes.io/pvc-protection": Remover(
        "the pvc-protection controller", "no pod uses the volume claim", "persistentvolumeclaim-protection"
    ),
    "kubernetes.io/pv-protection": Remover(
        "the pv-protection controller", "the volume is not bound", "persistentvolume-protection"
    ),
    "scheduling.k8s.io/podgroup-protection": Remover(
        "the podgroup-protection controller", "no active pod names the group", "podgroup-protection"
    ),
    "foregroundDeletion": Remover("the garbage collector", "all dependents are deleted", "garbagecollector"),
    "orphan": Remover(
        "the garbage collector",
        "the dependents have no owner reference to the object",
        "garbagecollector",
    ),
    "kubernetes": Remover("the namespace controller", "the namespace is empty", "namespace"),
    "batch.kubernetes.io/job-tracking": Remover("the job controller", "it has counted the pod", "job"),
    "service.kubernetes.io/load-balancer-cleanup": Remover("the service controller of the cloud provider"),
    "external-attacher/": Remover("the CSI driver's attacher"),
}
"""The component that removes each finalizer of Kubernetes. A name that ends with "/" is a prefix."""


def remover_of(finalizer: str) -> Remover | None:
    """Returns the component of Kubernetes that removes a finalizer; None for an unknown finalizer."""
    return KNOWN.get(finalizer) or next(
        (one for name, one in KNOWN.items() if name.endswith("/") and finalizer.startswith(name)), None
    )


def finalizer_lines(cluster: ClusterObjects, obj: Object) -> list[str]:
    """Returns one line for each finalizer of an object, with the component that removes the finalizer."""
    return [f"finalizer {name}: {_remover_text(cluster, obj, name)}" for name in finalizers_of(obj)]


def finalizers_reason(cluster: ClusterObjects, kind: str, obj: Object) -> Reason:
    """Returns the reason why an object that is being deleted still exists: its finalizers.

    Without finalizers, the reason is that the server has not deleted the object yet.
    """
    names = finalizers_of(obj)
    noun = "finalizer" if len(names) == 1 else "finalizers"
    text = f"waits for {noun} {', '.join(names)}" if names else "waits for the server to delete it"
    details = [
        f"deletionTimestamp: {obj['metadata'].get('deletionTimestamp')}",
        *finalizer_lines(cluster, obj),
        *_namespace_lines(obj),
    ]
    path = "metadata.finalizers" if obj["metadata"].get("finalizers") else "spec.finalizers"
    reason = Reason("Finalizers", text, details, reference(kind, obj), path)
    reason.changes = finalizer_changes(cluster, kind, obj)
    return reason


def finalizer_changes(cluster: ClusterObjects, kind: str, obj: Object) -> list[Change]:
    """Returns changes that remove the finalizers of an object.

    Finalizers of Kubernetes are left to their controllers: the changes delete the pods that use a
    ResourceClaim, or start a missing controller. Other finalizers are removed by an edit.
    """
    names = finalizers_of(obj)
    unknown = [name for name in names if remover_of(name) is None]
    own = reference(kind, obj)
    changes = []
    if kind == "ResourceClaim" and (users := consumers_of(obj)):
        changes.append(deletion(users, pods_of(cluster, users)))
    changes += [
        Change(f"start the server with the controller {controller}", "create")
        for controller in dict.fromkeys(_missing_controllers(cluster, names))
    ]
    if unknown:
        text = f"remove {', '.join(unknown)} from metadata.finalizers of {own}"
        is_last = unknown == names and not _needs_kubelet(kind, obj)
        needs = "" if is_last else _needs(obj, names, unknown)
        changes.append(
            Change(
                text,
                "edit",
                [own],
                "metadata.finalizers",
                sufficient=is_last,
                needs=needs,
                harm=SKIPS_CLEANUP,
            )
        )
    return changes


def _needs_kubelet(kind: str, obj: Object) -> bool:
    """Whether a kubelet must end a pod that is being deleted, after its finalizers are removed.

    Returns False if the grace period is 0: the pod had ended, or the kubelet has ended it.
    """
    has_node = kind == "Pod" and bool(obj["spec"].get("nodeName"))
    return has_node and bool(obj["metadata"].get("deletionGracePeriodSeconds"))


def _needs(obj: Object, names: list[str], unknown: list[str]) -> str:
    """Returns a text with the steps that must follow the edit of the finalizers."""
    others = [name for name in names if name not in unknown]
    if others:
        return f"then waits for {', '.join(others)}"
    return f"the kubelet of node {obj['spec']['nodeName']} must end the pod"


def _missing_controllers(cluster: ClusterObjects, names: list[str]) -> Iterator[str]:
    """Yields the controllers that remove a finalizer and that the server does not run."""
    for name in names:
        remover = remover_of(name)
        if remover is not None and remover.controller and cluster.lacks_controller(remover.controller):
            yield remover.controller


def finalizers_of(obj: Object) -> list[str]:
    """Returns the finalizers of an object; for a Namespace, also the finalizers in its spec."""
    finalizers = [*(obj["metadata"].get("finalizers") or ())]
    if obj.get("kind") == "Namespace":
        finalizers += obj["spec"].get("finalizers") or ()
    return finalizers


def _namespace_lines(obj: Object) -> list[str]:
    """Returns the messages of a Namespace's conditions, which list the remaining objects."""
    if obj.get("kind") != "Namespace":
        return []
    return [
        str(condition.get("message") or condition["type"])
        for condition in obj["status"].get("conditions") or ()
        if condition["status"] == "True"
    ]


def _remover_text(cluster: ClusterObjects, obj: Object, finalizer: str) -> str:
    """Returns a text with the component that removes a finalizer.

    For an unknown finalizer, the text names the likely component and the field manager that wrote the
    finalizer.
    """
    remover = remover_of(finalizer)
    if remover is not None:
        absent = remover.controller and cluster.lacks_controller(remover.controller)
        return f"{remover.text}{', but this server does not run it' if absent else ''}"
    return owner_text(cluster, finalizer, managers_of(obj, "f:metadata", "f:finalizers", f'v:"{finalizer}"'))


def owner_text(cluster: ClusterObjects, name: str, managers: Sequence[str]) -> str:
    """Returns the usual remover of a finalizer or scheduling gate, and the field manager that wrote it, as
    text.
    """
    domain, slash, _ = name.partition("/")
    component = f"a controller of {domain}" if slash else "the controller that added it"
    here = "" if cluster.controllers is None else "; this server runs no such controller"
    written = f"; field manager {', '.join(managers)} wrote it" if managers else ""
    return f"{component} usually removes it{here}{written}"


def managers_of(obj: Object, *path: str) -> list[str]:
    """Returns the field managers that own a field of an object.

    `path`: the keys of the field in managedFields, such as "f:metadata", "f:finalizers".
    """
    managers = []
    for entry in obj["metadata"].get("managedFields") or ():
        at = entry.get("fieldsV1") or {}
        for key in path:
            at = at.get(key) if isinstance(at, dict) else None
        if at is not None:
            managers.append(str(entry.get("manager") or "unknown"))
    return list(dict.fromkeys(managers))
