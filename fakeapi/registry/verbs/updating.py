"""Update: replaces an object, or the fields of one subresource. A PUT can create objects of some kinds.

Follows k8s.io/apiserver `pkg/endpoints/handlers/update.go`, and `pkg/registry/generic/registry` (Update).
"""

from functools import partial

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.requests.name_matching import check_path_name
from fakeapi.registry.requests.options import WriteResult
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.store import WRITE_ATTEMPTS
from fakeapi.registry.verbs.changing import attempts, restored
from fakeapi.registry.verbs.creating import create
from fakeapi.registry.verbs.owner_references import deduplicate_owners


async def update(request: ServerWrite, obj: Object) -> WriteResult:
    """Replaces an object, or creates a missing object if its kind allows that and the body has no uid.

    `obj`: the decoded request body in canonical form, with defaults.

    Raises ApiError:

    - 403, or another code of an admission plugin: admission rejects the object, or the user may not create it
    - 404: the object does not exist
    - 409: the resourceVersion or uid is not the stored one, or other clients keep changing the object
    - 422: the object is invalid
    """
    server, resource, target = request.server, request.resource, request.target
    if resource.strategy_for(target.subresource).creates_on_update and not obj["metadata"].get("uid"):
        for _ in range(WRITE_ATTEMPTS):
            if server.store.storage.newest(resource.key(target.namespace, target.name)) is not None:
                break
            try:
                return await _create(request, obj)
            except ApiError as error:
                if error.reason != "AlreadyExists":
                    raise
    deduplicate_owners(obj, request.warnings)
    for attempt in attempts(request, uid=obj["metadata"].get("uid", "")):
        async with attempt as old:
            step = partial(_with_managers, request, old, obj)
            await attempt.check(await attempt.run(request.options.body_bytes, step))
        result = await attempt.commit()
        if result is not None:
            return result
    raise AssertionError("the attempts end with an error")


def _with_managers(request: ServerWrite, old: Object, obj: Object) -> Object:
    """Returns a copy of `obj` with managedFields. A later attempt may need `obj` unchanged."""
    resource = request.resource
    manager = resource.manager(request.target.subresource)
    new = {**obj, "metadata": dict(obj["metadata"])}
    now, manager_name = request.server.store.now(), request.options.manager
    return manager.update(old, new, manager_name, now, partial(restored, request))


async def _create(request: ServerWrite, obj: Object) -> WriteResult:
    """Creates the object of a PUT.

    Drops the resourceVersion of the body after admission, because no object is stored yet. A dry run returns
    the resourceVersion of the body.
    """
    check_path_name(request.target.name)
    return await create(request, {**obj, "metadata": dict(obj["metadata"])}, drops_version=True)
