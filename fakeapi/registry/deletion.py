"""Deletion policies: what a DELETE makes of an object, as pure functions.

Follows k8s.io/apiserver `pkg/registry/generic/registry` (deletionFinalizersForGarbageCollection) and
`pkg/registry/rest/delete.go`. A policy decides; `fakeapi.registry.verbs.deleting` reads, asks it, and writes.
"""

from collections.abc import Iterable
from typing import Protocol

from fakeapi.machinery import errors
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.registry.options import DeleteOptions

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
_OF_GARBAGE_COLLECTOR = frozenset((ORPHAN, FOREGROUND))
_FINALIZER_OF_POLICY = {"Orphan": ORPHAN, "Foreground": FOREGROUND}


class DeletionPolicy(Protocol):
    """Decides about the deletion of a stored object."""

    def __call__(
        self, obj: Object, options: DeleteOptions, now: str, qualified: Qualified, qualified_kind: Qualified
    ) -> Object | None:
        """The object as it has to be stored while something holds it; None where it goes at once.

        `obj` may be changed and returned; where nothing is to be written, it comes back as it was. Raises
        ApiError 409 for preconditions that do not hold.
        """
        ...


def delete_after_finalizers(
    obj: Object, options: DeleteOptions, now: str, qualified: Qualified, qualified_kind: Qualified
) -> Object | None:
    """For kinds without graceful deletion: at once, or when the last finalizer is taken away."""
    meta = obj["metadata"]
    check_preconditions(meta, options, qualified_kind)
    finalizers = _finalizers(meta, options)
    if not finalizers:
        return None
    meta["finalizers"] = finalizers
    if meta.get("deletionTimestamp") is None:
        if meta.get("generation"):
            meta["generation"] += 1
        meta["deletionTimestamp"] = now
    meta["deletionGracePeriodSeconds"] = 0
    return obj


def check_preconditions(meta: Object, options: DeleteOptions, qualified_kind: Qualified) -> None:
    """Raises ApiError 409 for a uid or a resourceVersion that is not the object's."""
    if options.uid is not None and options.uid != meta["uid"]:
        raise errors.conflict(
            qualified_kind,
            meta["name"],
            f"the UID in the precondition ({options.uid}) does not match the UID in record ({meta['uid']}). "
            "The object might have been deleted and then recreated",
        )
    version = options.resource_version
    if version is not None and version != meta["resourceVersion"]:
        raise errors.conflict(
            qualified_kind,
            meta["name"],
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in "
            f"record ({meta['resourceVersion']}). The object might have been modified",
        )


def wanted_finalizers(options: DeleteOptions) -> list[str] | None:
    """The garbage collector's finalizers that the options ask for; None where they say nothing of
    dependents.
    """
    if options.orphan is not None:
        return [ORPHAN] if options.orphan else []
    if options.propagation is not None:
        finalizer = _FINALIZER_OF_POLICY.get(options.propagation)
        return [finalizer] if finalizer else []
    return None


def without_garbage_collectors(finalizers: Iterable[str]) -> list[str]:
    """Finalizers less those that the garbage collector takes away."""
    return [name for name in finalizers if name not in _OF_GARBAGE_COLLECTOR]


def _finalizers(meta: Object, options: DeleteOptions) -> list[str]:
    """The finalizers once deletion is asked for: the garbage collector's follow the options."""
    present: list[str] = meta.get("finalizers") or []
    wanted = wanted_finalizers(options)
    if wanted is None:
        wanted = [name for name in present if name in _OF_GARBAGE_COLLECTOR][:1]
    kept = [*without_garbage_collectors(present), *wanted]
    return present if set(kept) == set(present) else kept
