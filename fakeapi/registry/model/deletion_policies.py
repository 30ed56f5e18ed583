"""Decides whether a DELETE removes an object at once, or after its finalizers and grace period.

The propagation in a DELETE adds or removes `orphan` and `foregroundDeletion`, the finalizers of the garbage
collector.

Follows k8s.io/apiserver `pkg/registry/generic/registry` (deletionFinalizersForGarbageCollection) and
`pkg/registry/rest/delete.go`. `fakeapi.registry.verbs.deleting` reads the object, calls the policy, and
writes the result.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec
from msgspec.structs import replace

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


class DeletionRequest(msgspec.Struct, frozen=True):
    """A DELETE request for an object.

    - `now`: the time of the request in UTC as RFC 3339 with whole seconds.
    - `qualified`, `qualified_kind`: the resource and the kind of the object, for error messages.
    - `quirks`: the quirks of the release.
    """

    options: DeleteOptions
    now: str
    qualified: Qualified
    qualified_kind: Qualified
    quirks: Quirks


class LastState(msgspec.Struct, frozen=True):
    """A decision of a deletion policy: store `obj` a last time, then delete the object.

    `period`: the grace period in seconds that admission receives; None for the period of the request.
    """

    obj: Object
    period: int | None = None


class GraceStarted(msgspec.Struct, frozen=True):
    """A decision of a deletion policy: store `obj`, whose deletion waits.

    `period`: the grace period in seconds that admission receives; None for the period of the request.
    """

    obj: Object
    period: int | None = None


class AlreadyDeleting(msgspec.Struct, frozen=True):
    """A decision of a deletion policy: the DELETE changes nothing, and admission does not receive it."""

    obj: Object


Decision = Object | LastState | GraceStarted | AlreadyDeleting | None


class DeletionPolicy(Protocol):
    """A function that decides whether a DELETE removes a stored object at once or later."""

    def __call__(self, obj: Object, request: DeletionRequest) -> Decision:
        """Returns None to delete the object at once, or the object to store while its deletion waits.

        The deletion waits for finalizers or for the grace period. `LastState`, `GraceStarted` and
        `AlreadyDeleting` are further decisions about the object that they contain. The policy may change and
        return `obj`. If `obj` is unchanged, the server stores nothing, except for a `LastState`. Raises
        ApiError 409 if a precondition does not match.
        """
        ...


def delete_after_finalizers(obj: Object, request: DeletionRequest) -> Object | None:
    """Default deletion policy: waits for finalizers, but has no grace period.

    Returns None, which deletes the object at once, if the object has no finalizers. Otherwise returns the
    object with a deletionTimestamp; the server deletes the object when the last finalizer is removed. The
    propagation in the request may add a finalizer. Raises ApiError 409 if a precondition does not match.
    """
    check_preconditions(obj["metadata"], request.options, request.qualified_kind)
    return _held_by_finalizers(obj, request.options, request.now)


def delete_alone(obj: Object, request: DeletionRequest) -> Object | None:
    """Deletion policy of kinds without dependents: uses Background instead of the requested propagation.

    Returns None to delete the object at once, or the object to store while it waits for finalizers. Raises
    ApiError 409 if a precondition does not match.
    """
    options = replace(request.options, propagation="Background", orphan=None)
    check_preconditions(obj["metadata"], options, request.qualified_kind)
    return _held_by_finalizers(obj, options, request.now)


def orphan_dependents(obj: Object, request: DeletionRequest) -> Object | None:
    """Deletion policy of kinds that orphan their dependents by default.

    The request, or a finalizer of the garbage collector in the object, may select another propagation.
    Returns None to delete the object at once, or the object to store while it waits for finalizers. Raises
    ApiError 409 if a precondition does not match.
    """
    present, options = obj["metadata"].get("finalizers") or (), request.options
    if wanted_finalizers(options) is None and not _OF_GARBAGE_COLLECTOR.intersection(present):
        request = replace(request, options=replace(options, propagation="Orphan"))
    return delete_after_finalizers(obj, request)


def _held_by_finalizers(obj: Object, options: DeleteOptions, now: str) -> Object | None:
    """Marks an object as being deleted and returns it; returns None if no finalizer keeps the object."""
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
"""A function that returns the grace period of a deletion in seconds.

The arguments of the function are the object and the gracePeriodSeconds of the request, which may be None.
"""


def delete_gracefully(period_of: GracePeriod) -> DeletionPolicy:
    """Returns the policy for kinds with graceful deletion, such as pods.

    `period_of`: returns the grace period of the first DELETE.

    A DELETE sets deletionTimestamp and the grace period. A DELETE with grace period 0 deletes the object,
    unless the object has finalizers. Later requests can only shorten the grace period.
    """

    def decide(obj: Object, request: DeletionRequest) -> Decision:
        meta, options, now = obj["metadata"], request.options, request.now
        admitted_period: int | None = None
        check_preconditions(meta, options, request.qualified_kind)
        asked = options.grace_seconds
        if asked is not None and asked < 0:
            asked = 1
        if meta.get("deletionTimestamp") is None:
            admitted_period = period = period_of(obj, asked)
            meta["deletionTimestamp"] = times.later(now, period)
            if meta.get("generation"):
                meta["generation"] += 1
        elif not meta.get("deletionGracePeriodSeconds"):
            return _held_by_finalizers(obj, options, now)
        elif asked is None or asked >= meta["deletionGracePeriodSeconds"]:
            return AlreadyDeleting(obj)
        else:
            period = _shortened(meta, asked, request)
        meta["deletionGracePeriodSeconds"] = period
        finalizers = _finalizers(meta, options)
        if finalizers:
            meta["finalizers"] = finalizers
        elif "finalizers" in meta:
            del meta["finalizers"]
        decision = GraceStarted if period or finalizers else LastState
        return decision(obj, admitted_period)

    return decide


def _shortened(meta: Object, asked: int, request: DeletionRequest) -> int:
    """Shortens the grace period of an object that is being deleted; returns the new period in seconds.

    - `meta`: the metadata of the object; the function sets its deletionTimestamp.
    - `asked`: the requested grace period in seconds.

    From 1.33 on, the new deletionTimestamp is never in the past.
    """
    meta["deletionTimestamp"] = times.later(
        meta["deletionTimestamp"], asked - meta["deletionGracePeriodSeconds"]
    )
    if meta["deletionTimestamp"] > request.now or not request.quirks.grace_never_ends_in_the_past:
        return asked
    meta["deletionTimestamp"] = request.now
    return min(asked, 1)


def check_preconditions(meta: Object, options: DeleteOptions, qualified_kind: Qualified) -> None:
    """Raises ApiError 409 if the object has another uid or resourceVersion than the options require."""
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
    """Returns the finalizers that the propagation in the options adds: `orphan`, `foregroundDeletion` or
    none.

    Returns None if the options do not set a propagation.
    """
    if options.orphan is not None:
        return [ORPHAN] if options.orphan else []
    if options.propagation is not None:
        finalizer = _FINALIZER_OF_POLICY.get(options.propagation)
        return [finalizer] if finalizer else []
    return None


def without_garbage_collectors(finalizers: Iterable[str]) -> list[str]:
    """Returns the finalizers without `orphan` and `foregroundDeletion`, which the garbage collector
    handles.
    """
    return [name for name in finalizers if name not in _OF_GARBAGE_COLLECTOR]


def _finalizers(meta: Object, options: DeleteOptions) -> list[str]:
    """Returns the finalizers of an object after a DELETE.

    The propagation in the options adds or removes `orphan` and `foregroundDeletion`.
    """
    present: list[str] = meta.get("finalizers") or []
    requested = wanted_finalizers(options)
    if requested is None:
        requested = [name for name in present if name in _OF_GARBAGE_COLLECTOR][:1]
    kept = [*without_garbage_collectors(present), *requested]
    return present if set(kept) == set(present) else kept
