"""Deletion policies: what a DELETE makes of an object, as pure functions.

Follows k8s.io/apiserver `pkg/registry/generic/registry` (deletionFinalizersForGarbageCollection) and
`pkg/registry/rest/delete.go`. A policy decides; `fakeapi.registry.verbs.deleting` reads, asks it, and writes.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from fakeapi.machinery import errors
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object
from fakeapi.registry.requests.options import DeleteOptions
from fakeapi.releases import Quirks

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
_OF_GARBAGE_COLLECTOR = frozenset((ORPHAN, FOREGROUND))
_FINALIZER_OF_POLICY = {"Orphan": ORPHAN, "Foreground": FOREGROUND}


@dataclass(frozen=True, slots=True)
class DeletionRequest:
    """A DELETE of an object of the resource `qualified` and the kind `qualified_kind`, at the time `now`.

    `now` is in RFC 3339, UTC, whole seconds; `quirks` are those of the release.
    """

    options: DeleteOptions
    now: str
    qualified: Qualified
    qualified_kind: Qualified
    quirks: Quirks


@dataclass(frozen=True, slots=True)
class LastState:
    """The object is stored once more, as it is here, and then deleted."""

    obj: Object


class DeletionPolicy(Protocol):
    """Decides about the deletion of a stored object."""

    def __call__(self, obj: Object, request: DeletionRequest) -> Object | LastState | None:
        """The object as it has to be stored while something holds it; None where it goes at once.

        `obj` may be changed and returned; where nothing is to be written, it comes back as it was. Raises
        ApiError 409 for preconditions that do not hold.
        """
        ...


def delete_after_finalizers(obj: Object, request: DeletionRequest) -> Object | None:
    """For kinds without graceful deletion: at once, or when the last finalizer is taken away."""
    check_preconditions(obj["metadata"], request.options, request.qualified_kind)
    return _held_by_finalizers(obj, request.options, request.now)


def delete_alone(obj: Object, request: DeletionRequest) -> Object | None:
    """`delete_after_finalizers` for kinds without dependents, whatever propagation the client asks for."""
    options = replace(request.options, propagation="Background", orphan=None)
    check_preconditions(obj["metadata"], options, request.qualified_kind)
    return _held_by_finalizers(obj, options, request.now)


def orphan_dependents(obj: Object, request: DeletionRequest) -> Object | None:
    """`delete_after_finalizers` for kinds whose dependents stay unless the client says otherwise."""
    present, options = obj["metadata"].get("finalizers") or (), request.options
    if wanted_finalizers(options) is None and not _OF_GARBAGE_COLLECTOR.intersection(present):
        request = replace(request, options=replace(options, propagation="Orphan"))
    return delete_after_finalizers(obj, request)


def _held_by_finalizers(obj: Object, options: DeleteOptions, now: str) -> Object | None:
    """The object marked as being deleted; None where no finalizer holds it."""
    meta = obj["metadata"]
    finalizers = _finalizers(meta, options)
    if not finalizers:
        return None
    meta["finalizers"] = finalizers
    going_since = meta.get("deletionTimestamp")
    if going_since is None and meta.get("generation"):
        meta["generation"] += 1
    if going_since is None or going_since > now:
        meta["deletionTimestamp"] = now
    meta["deletionGracePeriodSeconds"] = 0
    return obj


GracePeriod = Callable[[Object, int | None], int]
"""The seconds that an object is given to end, by the object and what the client asks for."""


def delete_gracefully(period_of: GracePeriod) -> DeletionPolicy:
    """For kinds whose objects are given time to end: deleted at the end of it by a delete with no time left.

    What is being deleted already can only be given less time.
    """

    def decide(obj: Object, request: DeletionRequest) -> Object | LastState | None:
        meta, options, now = obj["metadata"], request.options, request.now
        check_preconditions(meta, options, request.qualified_kind)
        asked = options.grace_seconds
        if asked is not None and asked < 0:
            asked = 1
        if meta.get("deletionTimestamp") is None:
            period = period_of(obj, asked)
            meta["deletionTimestamp"] = times.later(now, period)
            if meta.get("generation"):
                meta["generation"] += 1
        elif not meta.get("deletionGracePeriodSeconds"):
            return _held_by_finalizers(obj, options, now)
        elif asked is None or asked >= meta["deletionGracePeriodSeconds"]:
            return obj
        else:
            period = _shortened(meta, asked, request)
        meta["deletionGracePeriodSeconds"] = period
        finalizers = _finalizers(meta, options)
        if finalizers:
            meta["finalizers"] = finalizers
        elif "finalizers" in meta:
            del meta["finalizers"]
        return obj if period or finalizers else LastState(obj)

    return decide


def _shortened(meta: Object, asked: int, request: DeletionRequest) -> int:
    """Moves the end of the grace period forward; returns what the period is then.

    From 1.33 on the end is never in the past.
    """
    meta["deletionTimestamp"] = times.later(
        meta["deletionTimestamp"], asked - meta["deletionGracePeriodSeconds"]
    )
    if meta["deletionTimestamp"] > request.now or not request.quirks.grace_never_ends_in_the_past:
        return asked
    meta["deletionTimestamp"] = request.now
    return min(asked, 1)


def check_preconditions(meta: Object, options: DeleteOptions, qualified_kind: Qualified) -> None:
    """Raises ApiError 409 for a uid or a resourceVersion that is not the object's."""
    if options.uid is not None and options.uid != meta["uid"]:
        raise errors.conflict(
            qualified_kind,
            meta["name"],
            f"the UID in the precondition ({options.uid}) does not match the UID in record "
            f"({meta['uid']}). "
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
