"""Update: replace an object, or what a subresource may change of it.

Follows k8s.io/apiserver `pkg/endpoints/handlers/update.go`.
"""

from fakeapi.machinery.json_types import Object
from fakeapi.registry.options import ObjectReference, Warnings, WriteOptions, WriteResult
from fakeapi.registry.owner_references import deduplicate_owners
from fakeapi.registry.resource import Resource
from fakeapi.registry.store import Store
from fakeapi.registry.verbs.changing import attempts


async def update(
    store: Store,
    resource: Resource,
    target: ObjectReference,
    obj: Object,
    options: WriteOptions,
    warnings: Warnings,
) -> WriteResult:
    """Replace an object by a canonical, defaulted body.

    Raises ApiError: 404, 409 for a resourceVersion or uid that is not the stored one, 422.
    """
    deduplicate_owners(obj, warnings)
    manager, uid = resource.manager(target.subresource), obj["metadata"].get("uid", "")
    for attempt in attempts(store, resource, target, uid=uid, dry_run=options.dry_run):
        async with attempt as old:
            new: Object = {**obj, "metadata": dict(obj["metadata"])}
            await attempt.check(manager.update(old, new, options.manager, store.now()), options, warnings)
        result = await attempt.commit(options)
        if result is not None:
            return result
    raise AssertionError("the attempts end with an error")
