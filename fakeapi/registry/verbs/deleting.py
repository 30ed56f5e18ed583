"""What deleting means: at once, or after the finalizers; one object, or a collection.

Follows k8s.io/apiserver `pkg/registry/generic/registry` (Delete, DeleteCollection) and
`pkg/registry/rest/delete.go`, for resources without graceful deletion.
"""

from fakeapi.machinery import errors
from fakeapi.machinery.json_types import Object
from fakeapi.registry import stored_form
from fakeapi.registry.catalogue import NAMESPACES
from fakeapi.registry.groups.core.namespace_deletion import FOREGROUND, ORPHAN, terminate
from fakeapi.registry.options import DeleteOptions, ObjectReference, WriteResult
from fakeapi.registry.resource import Resource
from fakeapi.registry.store import LOCK_MESSAGE, WRITE_ATTEMPTS, Store
from fakeapi_storage import Entry, KeyNotFound, RevisionConflict


async def delete(
    store: Store, resource: Resource, target: ObjectReference, options: DeleteOptions
) -> WriteResult:
    """Delete an object, or mark it as being deleted while something holds it.

    Raises ApiError: 404, 409 for preconditions that do not hold.
    """
    for _ in range(WRITE_ATTEMPTS):
        entry = store.head(resource, target)
        try:
            if resource.kind.resource == NAMESPACES:
                terminating = await terminate(store, resource, target, entry, options)
                if terminating is not None:
                    return terminating
            return await _delete_entry(store, resource, target, entry, options)
        except (RevisionConflict, KeyNotFound):
            continue
    raise errors.conflict(resource.qualified, target.name, LOCK_MESSAGE)


async def _delete_entry(
    store: Store, resource: Resource, target: ObjectReference, entry: Entry, options: DeleteOptions
) -> WriteResult:
    obj = stored_form.decode(entry, resource.hub_schema)
    meta = obj["metadata"]
    _check_preconditions(resource, meta, options)
    finalizers = _finalizers(meta, options)
    key = resource.key(target.namespace, target.name)
    if not finalizers:
        if options.dry_run:
            return WriteResult(
                stored_form.with_version(resource.encode_for_version(entry.value), entry.revision)
            )
        gone = await store.commit(resource, store.storage.delete(key, entry.revision))
        return WriteResult(stored_form.with_version(resource.encode_for_version(entry.value), gone.revision))
    meta["finalizers"] = finalizers
    _mark(meta, store.now())
    value = stored_form.encode(obj, resource.hub_schema)
    accepted = options.orphan is False
    if options.dry_run or value == entry.value:
        await store.settle(entry)
        return WriteResult(
            stored_form.with_version(resource.encode_for_version(value), entry.revision), accepted=accepted
        )
    stored = await store.commit(resource, store.storage.update(key, value, entry.revision))
    return WriteResult(
        stored_form.with_version(resource.encode_for_version(value), stored.revision), accepted=accepted
    )


def _check_preconditions(resource: Resource, meta: Object, options: DeleteOptions) -> None:
    name = meta["name"]
    if options.uid is not None and options.uid != meta["uid"]:
        raise errors.conflict(
            resource.qualified_kind,
            name,
            f"the UID in the precondition ({options.uid}) does not match the UID in record ({meta['uid']}). "
            "The object might have been deleted and then recreated",
        )
    version = options.resource_version
    if version is not None and version != meta["resourceVersion"]:
        raise errors.conflict(
            resource.qualified_kind,
            name,
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in "
            f"record ({meta['resourceVersion']}). The object might have been modified",
        )


def _finalizers(meta: Object, options: DeleteOptions) -> list[str]:
    """The finalizers once deletion is asked for: those of the garbage collector follow the options."""
    present: list[str] = meta.get("finalizers") or []
    kept = [name for name in present if name not in (ORPHAN, FOREGROUND)]
    if options.orphan is not None:
        wanted = ORPHAN if options.orphan else None
    elif options.propagation is not None:
        wanted = {"Orphan": ORPHAN, "Foreground": FOREGROUND}.get(options.propagation)
    else:
        wanted = next((name for name in present if name in (ORPHAN, FOREGROUND)), None)
    if wanted:
        kept.append(wanted)
    return present if set(kept) == set(present) else kept


def _mark(meta: Object, now: str) -> None:
    if meta.get("deletionTimestamp") is None:
        if meta.get("generation"):
            meta["generation"] += 1
        meta["deletionTimestamp"] = now
    meta["deletionGracePeriodSeconds"] = 0
