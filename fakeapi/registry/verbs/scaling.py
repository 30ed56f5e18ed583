"""The verbs of the subresource scale, which change a Scale and its object.

Follows `scaleUpdatedObjectInfo` of k8s.io/kubernetes `pkg/registry/apps/deployment/storage`. The object
passes the same checks as in a direct write. Mutating admission receives the Scale from the client, and
validating admission the Scale of the changed object.
"""

from collections.abc import Callable
from dataclasses import replace

from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.steps import mutate, run
from fakeapi.registry.model.scale import SCALE
from fakeapi.registry.requests.naming import check_name
from fakeapi.registry.requests.options import ObjectReference, WriteResult
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.verbs.applying import applied
from fakeapi.registry.verbs.changing import attempts
from fakeapi.registry.verbs.patching import patched, read_patch

Change = Callable[[Object], Object]
"""A function that returns the client's new Scale from the present Scale. May raise ApiError.

Both Scales have managedFields.
"""


async def update_scale(request: ServerWrite, scale: Object) -> WriteResult:
    """Replaces the Scale of an object by the canonical Scale of a PUT. Raises ApiError 404, 409 or 422."""
    manager = request.resource.scales.manager(SCALE)

    def change(old: Object) -> Object:
        new = {**scale, "metadata": dict(scale["metadata"])}
        return manager.update(old, new, request.options.manager, request.server.store.now())

    uid = scale["metadata"].get("uid", "")
    return await _changed(request, change, uid=uid)


async def patch_scale(request: ServerWrite, body: bytes, media_type: str) -> WriteResult:
    """Patches the Scale of an object by a JSON, merge or strategic merge patch.

    Raises ApiError: 400, 404, 409, 413, 422.
    """
    scales, options = request.resource.scales, request.options
    manager = scales.manager(SCALE)

    def change(old: Object) -> Object:
        decoded = read_patch(body, media_type, options.validation)
        new = patched(scales, decoded, old, options.validation, request.warnings)
        new = manager.update(old, new, options.manager, request.server.store.now())
        check_name(scales, request.target, new)
        return new

    return await _changed(request, change)


async def apply_scale(request: ServerWrite, body: bytes) -> WriteResult:
    """Applies a configuration to the Scale of an object. Raises ApiError 400, 404, 409, 422 or 500."""
    scaled = replace(request, resource=request.resource.scales)

    def change(old: Object) -> Object:
        return applied(scaled, old, body)

    return await _changed(request, change)


async def _changed(request: ServerWrite, change: Change, *, uid: str = "") -> WriteResult:
    view, target = request.resource.scale_view, request.target
    whole = replace(request, target=ObjectReference(target.namespace, target.name))
    steps = request.server.admission.steps(request.resource, SCALE, Operation.UPDATE)
    for attempt in attempts(whole, uid=uid, admits=False):
        async with attempt as old:
            before = view.with_managers(old)
            attributes = Attributes.of(request, Operation.UPDATE, change(before), before)
            await mutate(steps.mutating, attributes)
            scaled = view.applied_to(old, attributes.new_object())
            await attempt.check(scaled)
            if steps.validating:
                attributes.obj, attributes.old = view.of(_with_version_of(scaled, old)), view.of(old)
                await run(steps.validating, attributes)
        result = await attempt.commit()
        if result is not None:
            return WriteResult(view.json_of(result.body), written=result.written)
    raise AssertionError("the attempts end with an error")


def _with_version_of(obj: Object, old: Object) -> Object:
    """Returns `obj` with the resourceVersion of `old`, because a Scale may omit it."""
    version = old["metadata"]["resourceVersion"]
    return {**obj, "metadata": {**obj["metadata"], "resourceVersion": version}}
