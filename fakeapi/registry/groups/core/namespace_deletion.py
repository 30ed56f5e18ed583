"""How a namespace goes: first it is Terminating, and it stays so until its spec has no finalizers.

Follows Delete of k8s.io/kubernetes `pkg/registry/core/namespace/storage`. What empties a namespace and then
takes its finalizers away, through `/finalize`, is a controller; none runs here.
"""

from fakeapi.machinery import errors
from fakeapi.machinery.json_types import Object
from fakeapi.registry import stored_form
from fakeapi.registry.groups.core.namespace import TERMINATING
from fakeapi.registry.options import DeleteOptions, ObjectReference, WriteResult
from fakeapi.registry.resource import Resource
from fakeapi.registry.store import Store
from fakeapi_storage import Entry

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"


async def terminate(
    store: Store, resource: Resource, target: ObjectReference, entry: Entry, options: DeleteOptions
) -> WriteResult | None:
    """Mark a namespace as Terminating, or leave it so; None for one that nothing but its metadata may hold.

    Raises ApiError 409 for preconditions that do not hold, and what the storage's update raises.
    """
    namespace = stored_form.decode(entry)
    meta = namespace["metadata"]
    _check_preconditions(resource, meta, options)
    accepted = options.orphan is False
    if meta.get("deletionTimestamp") is not None:
        if not resource.strategy_for("").blocks_final_delete(namespace):
            return None
        await store.settle(entry)
        return WriteResult(
            stored_form.with_version(resource.encode_for_version(entry.value), entry.revision),
            accepted=accepted,
        )
    meta["deletionTimestamp"] = store.now()
    _set_dependents(meta, options)
    namespace["status"]["phase"] = TERMINATING
    value = stored_form.encode(namespace, resource.hub_schema)
    if options.dry_run:
        return WriteResult(
            stored_form.with_version(resource.encode_for_version(value), entry.revision), accepted=accepted
        )
    key = resource.key(target.namespace, target.name)
    stored = await store.commit(resource, store.storage.update(key, value, entry.revision))
    return WriteResult(
        stored_form.with_version(resource.encode_for_version(value), stored.revision), accepted=accepted
    )


def _check_preconditions(resource: Resource, meta: Object, options: DeleteOptions) -> None:
    for called, wanted, found in (
        ("UID", options.uid, meta["uid"]),
        ("ResourceVersion", options.resource_version, meta["resourceVersion"]),
    ):
        if wanted is not None and wanted != found:
            why = f"Precondition failed: {called} in precondition: {wanted}, {called} in object meta: {found}"
            raise errors.conflict(resource.qualified, meta["name"], why)


def _set_dependents(meta: Object, options: DeleteOptions) -> None:
    """The finalizers that tell a garbage collector what to do with dependents, as the options want them."""
    present: list[str] = meta.get("finalizers") or []
    if options.orphan is not None:
        wanted = {ORPHAN if options.orphan else FOREGROUND}
    elif options.propagation is not None:
        wanted = {"Orphan": {ORPHAN}, "Foreground": {FOREGROUND}}.get(options.propagation, set())
    else:
        return
    if wanted != {ORPHAN, FOREGROUND} & set(present):
        meta["finalizers"] = [*(name for name in present if name not in (ORPHAN, FOREGROUND)), *wanted]
