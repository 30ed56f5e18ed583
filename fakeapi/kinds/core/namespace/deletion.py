"""Deletes Namespaces. A deleted Namespace stays Terminating while its spec has finalizers.

Follows Delete of k8s.io/kubernetes `pkg/registry/core/namespace/storage`. The namespace controller deletes
the objects of the Namespace and removes its finalizer through `/finalize`.
"""

from fakeapi.machinery import errors
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.deletion_policies import (
    FOREGROUND,
    AlreadyDeleting,
    DeletionRequest,
    delete_after_finalizers,
    wanted_finalizers,
    without_garbage_collectors,
)
from fakeapi.registry.requests.options import DeleteOptions

TERMINATING = "Terminating"


def terminate(obj: Object, request: DeletionRequest) -> Object | AlreadyDeleting | None:
    """Marks a Namespace as Terminating, or deletes a Terminating Namespace.

    Does not delete a Namespace that still has finalizers in its spec or metadata.

    Returns the remaining object; None if the Namespace is deleted. Raises ApiError 409 if a precondition
    fails.
    """
    meta, options = obj["metadata"], request.options
    _check_preconditions(meta, options, request.qualified)
    if meta.get("deletionTimestamp") is not None:
        if obj["spec"].get("finalizers"):
            return AlreadyDeleting(obj)
        return delete_after_finalizers(obj, request)
    meta["deletionTimestamp"] = request.now
    _set_dependents(meta, options)
    obj["status"]["phase"] = TERMINATING
    return obj


def _check_preconditions(meta: Object, options: DeleteOptions, qualified: Qualified) -> None:
    for called, expected, actual in (
        ("UID", options.uid, meta["uid"]),
        ("ResourceVersion", options.resource_version, meta["resourceVersion"]),
    ):
        if expected is not None and expected != actual:
            why = (
                f"Precondition failed: {called} in precondition: {expected}, "
                f"{called} in object meta: {actual}"
            )
            raise errors.conflict(qualified, meta["name"], why)


def _set_dependents(meta: Object, options: DeleteOptions) -> None:
    """Sets the finalizers in `meta` by which the garbage collector deletes or orphans dependents.

    Only for Namespaces, `orphanDependents: false` requests foreground deletion.
    """
    finalizers = [FOREGROUND] if options.orphan is False else wanted_finalizers(options)
    if finalizers is None:
        return
    present: list[str] = meta.get("finalizers") or []
    others = without_garbage_collectors(present)
    if set(finalizers) != set(present) - set(others):
        meta["finalizers"] = [*others, *finalizers]
