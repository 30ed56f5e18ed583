"""The verbs of the subresource scale, which change a Scale and the scaled object.

Follows `scaleUpdatedObjectInfo` of k8s.io/kubernetes `pkg/registry/apps/deployment/storage`. The scaled
object passes the same checks as in a direct write. Mutating admission receives the Scale from the client.
Validating admission receives the Scale of the changed object.
"""

from collections.abc import Callable

from msgspec.structs import replace

from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.steps import mutate, run
from fakeapi.registry.model.scale import SCALE
from fakeapi.registry.requests.name_matching import check_name
from fakeapi.registry.requests.options import ObjectReference, WriteResult
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.verbs.applying import applied
from fakeapi.registry.verbs.changing import attempts
from fakeapi.registry.verbs.patching import patched, read_patch

Change = Callable[[Object], Object]
"""A function that returns the new Scale of a request. The argument of the function is the current Scale.

Both Scales have managedFields. The function may raise ApiError if the request is invalid.
"""


async def update_scale(request: ServerWrite, scale: Object) -> WriteResult:
    """Replaces the Scale of an object by the canonical Scale of a PUT.

    Raises ApiError:

    - 403, or another code of an admission plugin: admission rejects the change
    - 404: the object does not exist
    - 409: the uid or the resourceVersion is not the stored one, or other clients keep changing the object
    - 422: the Scale is invalid
    """
    manager = request.resource.scales.manager(SCALE)

    def change(old: Object) -> Object:
        new = {**scale, "metadata": dict(scale["metadata"])}
        return manager.update(old, new, request.options.manager, request.server.store.now())

    uid = scale["metadata"].get("uid", "")
    return await _changed(request, change, uid=uid)


async def patch_scale(request: ServerWrite, body: bytes, media_type: str) -> WriteResult:
    """Patches the Scale of an object by a JSON, merge or strategic merge patch.

    Raises ApiError:

    - 400: the patch is malformed
    - 403, or another code of an admission plugin: admission rejects the change
    - 404: the object does not exist
    - 409: the resourceVersion is not the stored one, or other clients keep changing the object
    - 413: a JSON patch has too many operations
    - 422: the patched Scale is invalid
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
    """Applies an apply configuration to the Scale of an object.

    Raises ApiError:

    - 400: the configuration is malformed
    - 403, or another code of an admission plugin: admission rejects the change
    - 404: the object does not exist
    - 409: field managers or resourceVersions conflict, or other clients keep changing the object
    - 422: the Scale is invalid
    - 500: the configuration does not fit the schema
    """
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
    """Returns `obj` with the resourceVersion of `old`, because a Scale from a client may omit the
    resourceVersion.
    """
    version = old["metadata"]["resourceVersion"]
    return {**obj, "metadata": {**obj["metadata"], "resourceVersion": version}}
