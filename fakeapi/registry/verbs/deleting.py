"""Delete: reads an object, calls the deletion policy of its kind, and writes the result.

Follows k8s.io/apiserver `pkg/registry/generic/registry` (Delete, DeleteCollection).
"""

import asyncio
import contextlib

from msgspec.structs import replace

from fakeapi.clock.clocks import runs_by_itself
from fakeapi.machinery import codec, errors
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.steps import NO_STEPS, mutate, run
from fakeapi.registry.model.definition import Write
from fakeapi.registry.model.deletion_policies import (
    AlreadyDeleting,
    Decision,
    DeletionRequest,
    GraceStarted,
    LastState,
)
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.rerun import completed
from fakeapi.registry.requests.options import DeleteOptions, ObjectReference, Warnings, WriteResult
from fakeapi.registry.server import Server
from fakeapi.registry.store import LOCK_MESSAGE, WRITE_ATTEMPTS
from fakeapi.registry.stored.etcd_keys import failed_precondition
from fakeapi_storage import Entry, KeyNotFound, RevisionConflict, StorageError

TRANSACTION_GAP_SECONDS = 0.002
"""Seconds between the two writes of a delete. The first stores the last state, the second removes the object.

kube-apiserver makes these writes in two etcd transactions, 0.1 to 8 ms apart. A controller that reacts to the
first write therefore still finds the object. The server skips the gap if nobody watches the object or if the
clock is frozen.
"""


async def delete(
    server: Server,
    resource: Resource,
    target: ObjectReference,
    options: DeleteOptions,
    *,
    asks_admission: bool = True,
    in_collection: bool = False,
    warnings: Warnings | None = None,
) -> WriteResult:
    """Deletes an object, or marks it as being deleted until it has no finalizers and its grace period ends.

    - `asks_admission`: False if the server deletes the object for a request that admission has already
      accepted.
    - `in_collection`: whether the request deletes a collection. Admission then gets no name, as the path of
      the request has none.
    - `warnings`: receives the warnings of admission; None to drop them.

    Raises ApiError:

    - 400: the name is not valid in a URL path
    - 403, or another code of an admission plugin: the object cannot be deleted, or admission rejects the
      delete
    - 404: the object does not exist
    - 409: a precondition does not match, or other clients keep changing the object
    """
    if target.name in resource.definition.immortal:
        why = f"this {resource.kind.singular} may not be deleted"
        raise errors.forbidden(resource.qualified, target.name, why)
    asked = ObjectReference(target.namespace) if in_collection else target
    admission = _DeleteAdmission(server, resource, asked, warnings or Warnings(), is_on=asks_admission)
    for _ in range(WRITE_ATTEMPTS):
        entry = server.store.newest_entry(resource, target)
        try:
            return await _delete_entry(server, resource, target, entry, options, admission)
        except (RevisionConflict, KeyNotFound):
            continue
    raise errors.conflict(resource.qualified, target.name, LOCK_MESSAGE)


async def _delete_entry(
    server: Server,
    resource: Resource,
    target: ObjectReference,
    entry: Entry,
    options: DeleteOptions,
    admission: "_DeleteAdmission",
) -> WriteResult:
    obj = await completed(lambda: resource.decode(entry))
    request = DeletionRequest(
        options, server.store.now(), resource.qualified, resource.qualified_kind, resource.release.quirks
    )
    outcome = resource.definition.deletion(obj, request)
    admitted = _admitted_options(options, outcome)
    if resource.definition.deletion_pins_uid and admitted.uid is None:
        admitted = replace(admitted, uid=obj["metadata"]["uid"])
    if not isinstance(outcome, AlreadyDeleting):
        await admission.check(entry, admitted)
    key, exact = resource.key(target.namespace, target.name), options.exact
    if outcome is None and options.dry_run:
        return _not_gone(resource, obj, entry, exact=exact)
    if outcome is None:
        if obj["metadata"].get("finalizers"):
            await admission.check(entry, admitted)
        _check_changed_version(resource, target, obj, options)
        gone = await server.store.commit(resource, server.store.storage.delete(key, entry.revision))
        await _follow(server, resource, target, obj, None)
        return _gone(resource, obj, entry.value, gone.revision, before=entry.revision, exact=exact)
    is_deleted = isinstance(outcome, LastState)
    last = outcome.obj if isinstance(outcome, LastState | GraceStarted | AlreadyDeleting) else outcome
    value = await completed(lambda: resource.encode(last))
    accepted = options.orphan is False and not is_deleted
    if options.dry_run or (value == entry.value and not is_deleted):
        await server.store.settle(entry)
        same = (target.name, entry.revision, entry.revision)
        return WriteResult(
            resource.json_of(value, entry.revision, exact=exact), accepted=accepted, written=same
        )
    stored = await server.store.commit(resource, server.store.storage.update(key, value, entry.revision))
    if is_deleted:
        await admission.check(stored, admitted)
        revision = await _delete_last_state(server, resource, key, stored)
        await _follow(server, resource, target, obj, None)
        return _gone(resource, obj, value, revision, before=entry.revision, exact=exact)
    await _follow(server, resource, target, obj, last)
    written = (target.name, entry.revision, stored.revision)
    return WriteResult(
        resource.json_of(value, stored.revision, exact=exact), accepted=accepted, written=written
    )


def _check_changed_version(
    resource: Resource, target: ObjectReference, obj: Object, options: DeleteOptions
) -> None:
    """Raises ApiError 409 if the delete has a resourceVersion and also removes the last finalizers.

    kube-apiserver first removes the finalizers, and then compares the resourceVersion with the
    resourceVersion of an empty object (Store.Delete of `pkg/registry/generic/registry`). Such a delete
    therefore never succeeds.
    """
    if options.resource_version is None or not obj["metadata"].get("finalizers"):
        return
    actual = obj["metadata"]["resourceVersion"]
    why = failed_precondition(resource.kind, target, "ResourceVersion", "", actual, dry_run=False)
    raise errors.conflict(resource.qualified, target.name, why)


async def _delete_last_state(server: Server, resource: Resource, key: str, stored: Entry) -> int:
    """Deletes an object whose last state was just stored; returns the revision of the deletion.

    If the object is watched and the clock is not frozen, waits TRANSACTION_GAP_SECONDS first. If the caller
    is cancelled during this time, the object is deleted without waiting for the commit. If another request
    deletes the object meanwhile, waits for the commit of this deletion and returns the revision of the last
    state, like upstream's `ignoreNotFound`. Raises RevisionConflict if another request changes the object
    meanwhile.
    """
    if server.store.storage.is_watched(key) and runs_by_itself(server.store.clock):
        try:
            await asyncio.sleep(TRANSACTION_GAP_SECONDS)
        except asyncio.CancelledError:
            with contextlib.suppress(StorageError):
                server.store.storage.delete(key, stored.revision)
            raise
    try:
        deleted = await server.store.commit(resource, server.store.storage.delete(key, stored.revision))
    except KeyNotFound:
        await server.store.settle()
        return stored.revision
    return deleted.revision


async def _follow(
    server: Server, resource: Resource, target: ObjectReference, old: Object, new: Object | None
) -> None:
    if resource.hooks is not None:
        await resource.hooks.after(server, Write(ObjectReference(target.namespace, target.name), old, new))


class _DeleteAdmission:
    """Runs the admission steps of a DELETE.

    kube-apiserver runs them twice if a DELETE first updates the object and then removes it (`Store.Delete`).

    - `target`: the object as admission receives it.
    - `is_on`: False to accept all deletes.
    """

    def __init__(
        self, server: Server, resource: Resource, target: ObjectReference, warnings: Warnings, *, is_on: bool
    ) -> None:
        steps = server.admission.steps(resource, "", Operation.DELETE) if is_on else NO_STEPS
        self._steps, self._resource, self._target, self._warnings = steps, resource, target, warnings

    async def check(self, entry: Entry, options: DeleteOptions) -> None:
        """Raises ApiError if a step rejects the delete of the stored object in `entry`."""
        if self._steps is NO_STEPS:
            return
        old = self._resource.decode(entry)
        attributes = Attributes(
            Operation.DELETE, self._resource, self._target, None, old, options, self._warnings
        )
        await mutate(self._steps.mutating, attributes)
        await run(self._steps.validating, attributes)


def _admitted_options(options: DeleteOptions, outcome: Decision) -> DeleteOptions:
    """Returns the options of a DELETE with the grace period that admission receives.

    A negative period becomes 1. A graceful delete has the period that its policy chose (BeforeDelete of
    k8s.io/apiserver `pkg/registry/rest`).
    """
    period = outcome.period if isinstance(outcome, LastState | GraceStarted) else None
    if period is None and options.grace_seconds is not None and options.grace_seconds < 0:
        period = 1
    return options if period is None else replace(options, grace_seconds=period)


def _not_gone(resource: Resource, obj: Object, entry: Entry, *, exact: bool) -> WriteResult:
    """Returns the response to a dry run of a DELETE that would remove the object.

    If the DELETE would also remove finalizers, the response is an object: in 1.27 the stored object without
    finalizers, in newer releases an object without data. Kubernetes returns the result of the update that
    removes the finalizers, and a dry run leaves this result empty (`Store.Delete`).
    """
    if not obj["metadata"].get("finalizers"):
        return _gone(resource, obj, entry.value, entry.revision, before=entry.revision, exact=exact)
    written = (obj["metadata"]["name"], entry.revision, 0)
    if resource.release.quirks.dry_run_of_delete_shows_no_data:
        return WriteResult(resource.json_of_nothing(), written=written)
    del obj["metadata"]["finalizers"]
    return WriteResult(resource.json_of(resource.encode(obj), entry.revision, exact=exact), written=written)


def _gone(
    resource: Resource, obj: Object, value: bytes, revision: int, *, before: int, exact: bool
) -> WriteResult:
    """Returns the response to a DELETE that removed the object: the object itself or a Status.

    - `value`: the stored bytes of the object's last state.
    - `revision`: the revision of the deletion.
    - `before`: the revision of the object before the request.
    - `exact`: whether RawExtension values keep their original bytes.
    """
    written = (obj["metadata"]["name"], before, 0)
    if resource.definition.shows_deleted(resource.kind.version):
        return WriteResult(resource.json_of(value, revision, exact=exact), written=written)
    meta = obj["metadata"]
    details = {
        "name": meta["name"],
        **({"group": resource.kind.group} if resource.kind.group else {}),
        "kind": resource.kind.resource,
        "uid": meta["uid"],
    }
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
    return WriteResult(codec.encode(status), is_status=True, written=written)
