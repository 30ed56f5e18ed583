"""The verbs of the subresource scale, which change a Scale and its object.

Follows `scaleUpdatedObjectInfo` of k8s.io/kubernetes `pkg/registry/apps/deployment/storage`. The object
passes the same checks as in a direct write. Mutating admission receives the Scale from the client, and
validating admission the Scale of the changed object.
"""

from collections.abc import Callable

from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.steps import mutate, run
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.model.scale import SCALE
from fakeapi.registry.requests.naming import check_name
from fakeapi.registry.requests.options import ObjectReference, Warnings, WriteOptions, WriteResult
from fakeapi.registry.server import Server
from fakeapi.registry.verbs.applying import applied
from fakeapi.registry.verbs.changing import attempts
from fakeapi.registry.verbs.patching import patched, read_patch

Change = Callable[[Object], Object]
"""A function that returns the client's new Scale from the present Scale. May raise ApiError.

Both Scales have managedFields.
"""


async def update_scale(
    server: Server,
    resource: Resource,
    target: ObjectReference,
    scale: Object,
    options: WriteOptions,
    warnings: Warnings,
) -> WriteResult:
    """Replaces the Scale of an object by the canonical Scale of a PUT. Raises ApiError 404, 409 or 422."""
    manager = resource.scales.manager(SCALE)

    def change(old: Object) -> Object:
        new = {**scale, "metadata": dict(scale["metadata"])}
        return manager.update(old, new, options.manager, server.store.now())

    uid = scale["metadata"].get("uid", "")
    return await _changed(server, resource, target, change, options, warnings, uid=uid)


async def patch_scale(
    server: Server,
    resource: Resource,
    target: ObjectReference,
    body: bytes,
    media_type: str,
    options: WriteOptions,
    warnings: Warnings,
) -> WriteResult:
    """Patches the Scale of an object by a JSON, merge or strategic merge patch.

    Raises ApiError: 400, 404, 409, 413, 422.
    """
    scales = resource.scales
    manager = scales.manager(SCALE)

    def change(old: Object) -> Object:
        decoded = read_patch(body, media_type, options.validation)
        new = patched(scales, decoded, old, options.validation, warnings)
        new = manager.update(old, new, options.manager, server.store.now())
        check_name(scales, target, new)
        return new

    return await _changed(server, resource, target, change, options, warnings)


async def apply_scale(
    server: Server,
    resource: Resource,
    target: ObjectReference,
    body: bytes,
    options: WriteOptions,
    warnings: Warnings,
) -> WriteResult:
    """Applies a configuration to the Scale of an object. Raises ApiError 400, 404, 409, 422 or 500."""
    scales = resource.scales

    def change(old: Object) -> Object:
        return applied(server, scales, target, old, body, options, warnings)

    return await _changed(server, resource, target, change, options, warnings)


async def _changed(
    server: Server,
    resource: Resource,
    target: ObjectReference,
    change: Change,
    options: WriteOptions,
    warnings: Warnings,
    *,
    uid: str = "",
) -> WriteResult:
    view, whole = resource.scale_view, ObjectReference(target.namespace, target.name)
    steps = server.admission.steps(resource, SCALE, Operation.UPDATE)
    for attempt in attempts(server, resource, whole, uid=uid, dry_run=options.dry_run, admits=False):
        async with attempt as old:
            before = view.with_managers(old)
            asked = Attributes(Operation.UPDATE, resource, target, change(before), before, options, warnings)
            await mutate(steps.mutating, asked)
            scaled = view.applied_to(old, asked.new_object())
            await attempt.check(scaled, options, warnings)
            if steps.validating:
                asked.obj, asked.old = view.of(_with_version_of(scaled, old)), view.of(old)
                await run(steps.validating, asked)
        result = await attempt.commit(options)
        if result is not None:
            return WriteResult(view.json_of(result.body), written=result.written)
    raise AssertionError("the attempts end with an error")


def _with_version_of(obj: Object, old: Object) -> Object:
    """Returns `obj` with the resourceVersion of `old`, because a Scale may omit it."""
    version = old["metadata"]["resourceVersion"]
    return {**obj, "metadata": {**obj["metadata"], "resourceVersion": version}}
