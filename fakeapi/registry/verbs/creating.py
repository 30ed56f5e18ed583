"""Create: validates and stores a new object.

Follows k8s.io/apiserver `pkg/registry/generic/registry` (Create) and `pkg/registry/rest/create.go`.
"""

from dataclasses import replace
from functools import partial

from msgspec import structs

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.generated_names import generated_name
from fakeapi.machinery.meta.object_meta import validate_core_object_meta, validate_object_meta
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.steps import mutate
from fakeapi.registry.authorization.attributes import AccessAttributes, forbidden
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW
from fakeapi.registry.model.definition import Write
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.rerun import compiling, completed, completed_by
from fakeapi.registry.requests.answers import admit
from fakeapi.registry.requests.name_matching import match_namespace
from fakeapi.registry.requests.options import ObjectReference, WriteResult
from fakeapi.registry.requests.resource_version import version_or_none
from fakeapi.registry.server import Server
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.store import LOCK_MESSAGE
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.verbs.owner_references import deduplicate_owners
from fakeapi_storage import Entry, KeyExists, RevisionConflict

POOL_ATTEMPTS = 256
"""Maximum number of tries to allocate from a pool that other API servers also use, such as Service IPs.

After the last try, the client gets 409.
"""
GENERATE_NAME_ATTEMPTS = 8
"""Maximum number of names tried for a generateName if the gate RetryGenerateName is on.

If all these names exist, the client gets 409.
"""


_WIPED = ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "uid")
"""Metadata that a create ignores (WipeObjectMetaSystemFields of k8s.io/apiserver `pkg/registry/rest`)."""


async def create(request: ServerWrite, obj: Object, *, drops_version: bool = False) -> WriteResult:
    """Stores a new object; `obj` is the decoded request body in canonical form, with defaults.

    `drops_version`: whether the object may have a resourceVersion, which is not stored, as for a PUT.

    Kinds with `KindDefinition.answer`, such as reviews, return a response and store nothing. A dry run stores
    nothing either. Raises ApiError if admission, validation or the storage rejects the object.
    """
    request = structs.replace(request, created_name=obj.get("metadata", {}).get("name", ""))
    server, resource, options = request.server, request.resource, request.options
    deduplicate_owners(obj, request.warnings)
    owned = partial(
        resource.manager(request.target.subresource).update, None, obj, options.manager, server.store.now()
    )
    answer = resource.definition.answer
    if answer is not None:
        return await answer(request, await admitted(request, owned()))
    for name in _WIPED:
        obj["metadata"].pop(name, None)
    obj = await server.heavy.run(options.body_bytes, owned)
    obj = await admitted(request, obj)
    version = obj["metadata"].get("resourceVersion", "")
    return await insert(request, obj, given_version=version, drops_version=drops_version)


async def admitted(request: ServerWrite, obj: Object) -> Object:
    """Runs mutating admission on a new object; returns the object in the API version of the request.

    Raises ApiError if the kind or an admission plugin rejects the object.
    """
    resource, subresource = request.resource, request.target.subresource
    resource.check_creation(obj["metadata"].get("name", ""))
    steps = request.server.admission.steps(resource, subresource, Operation.CREATE).mutating
    if not steps:
        return obj
    attributes = Attributes.of(request, Operation.CREATE, obj, None)
    await mutate(steps, attributes)
    obj = attributes.new_object()
    deduplicate_owners(obj, request.warnings, after_admission=True)
    return obj


async def insert(
    request: ServerWrite, obj: Object, *, given_version: str = "", drops_version: bool = False
) -> WriteResult:
    """Validates and stores a new object after mutating admission. A dry run stores nothing.

    `given_version`: the resourceVersion of the request body. If it is a number other than 0, and validation
    and admission pass, the create fails with 500, except in a dry run or with `drops_version`.

    An apply that creates an object calls this function directly, so that the object keeps the
    deletionTimestamp of the apply configuration. Raises ApiError if the object is invalid or exists, if
    admission rejects it, or if the user may not create the object.
    """
    server, resource, options = request.server, request.resource, request.options
    obj = resource.to_hub(obj)
    if resource.definition.signs is not None:
        obj = resource.definition.signs(obj, options.user)
    meta = obj["metadata"]
    meta.pop("resourceVersion", None)
    _fill_system_fields(server, meta)
    generated = not meta.get("name") and bool(meta.get("generateName"))
    conflicts = 0
    attempts = GENERATE_NAME_ATTEMPTS if resource.release.gates.enabled("RetryGenerateName") else 1
    while True:
        since = server.store.storage.revision
        if generated:
            meta["name"] = _generated_name(request, meta["generateName"])
        step = compiling(partial(_before_create, request, obj))
        if resource.may_run_in_thread:
            candidate = await completed_by(partial(server.heavy.run, options.body_bytes, step))
        else:
            candidate = await completed(step)
        if request.target.name and server.authorizer is not ALWAYS_ALLOW:
            await _authorize(request)
        await admit(request, _with_version(candidate, given_version))
        attempts -= 1
        try:
            stored_version = "" if drops_version and not request.dry_run else given_version
            return await _store_new(request, candidate, stored_version, since)
        except RevisionConflict:
            attempts += 1  # another server took from the pool, so this create allocates again
            conflicts += 1
            if conflicts == POOL_ATTEMPTS:
                raise errors.conflict(resource.qualified, meta["name"], LOCK_MESSAGE) from None
        except KeyExists:
            name = request.target.name or meta["name"]
            existing = server.store.storage.newest(resource.key(request.target.namespace, name))
            await server.store.settle(existing)
            if not generated or attempts <= 0:
                raise _exists(resource, meta["name"], existing, generated=generated) from None


def _generated_name(request: ServerWrite, base: str) -> str:
    if not request.resource.strategy_for("").generates_names:
        return base
    return generated_name(base, request.server.store.clock.suffix())


async def _authorize(request: ServerWrite) -> None:
    """Authorizes the verb `create` for a request that names a new object, such as an apply or a PUT.

    Raises ApiError 403 if the user may not create the object. Follows withAuthorization of k8s.io/apiserver
    `pkg/endpoints/handlers/update.go`.
    """
    kind, target = request.resource.kind, request.target
    access = AccessAttributes(
        request.user,
        "create",
        group=kind.group,
        resource=kind.resource,
        namespace=target.namespace,
        name=target.name,
    )
    decision = await request.server.authorizer.authorize(access)
    if not decision.allowed:
        raise forbidden(access, decision.reason)


def _with_version(obj: Object, given_version: str) -> Object:
    """Returns a new object with the resourceVersion of the request body, which validating admission sees."""
    if not given_version:
        return obj
    return {**obj, "metadata": in_order({**obj["metadata"], "resourceVersion": given_version})}


def _fill_system_fields(server: Server, meta: Object) -> None:
    meta["creationTimestamp"] = server.store.now()
    meta["uid"] = server.store.clock.uid()


def _before_create(request: ServerWrite, obj: Object) -> Object:
    resource, warnings = request.resource, request.warnings
    strategy = resource.strategy_for("")
    if resource.hooks is not None and not request.target.subresource:
        obj = resource.hooks.begin_create(obj, dry_run=request.dry_run)
    match_namespace(resource, request.target, obj["metadata"])  # admission may have changed the namespace
    for text in strategy.warnings_before_create(obj):
        warnings.add(text)
    candidate = strategy.prepare_create(request.sent.restored(obj, resource.hub_schema))
    meta = candidate["metadata"]
    wording = resource.release.quirks.wording
    problems = strategy.authorize_create(candidate)
    validate = validate_core_object_meta if resource.definition.core_metadata else validate_object_meta
    problems += validate(meta, resource.kind.namespaced, resource.name_validator, "metadata", wording)
    problems += strategy.validate_create(candidate)
    problems = resource.with_declared(problems, candidate)
    if problems:
        raise errors.invalid(resource.kind_in_errors(candidate), meta.get("name", ""), problems)
    for text in strategy.warnings_on_create(candidate):
        warnings.add(text)
    return candidate


async def _store_new(request: ServerWrite, obj: Object, given_version: str, since: int) -> WriteResult:
    server, resource, options = request.server, request.resource, request.options
    # A webhook may rename the object of an apply or a PUT, but not its place in the storage.
    place = ObjectReference(request.target.namespace, request.target.name or obj["metadata"]["name"])
    key = resource.key(place.namespace, place.name)
    value = await completed(lambda: resource.encode(obj))
    if options.dry_run:
        existing = server.store.storage.newest(key)
        if existing is not None:
            raise KeyExists(existing)
        return WriteResult(resource.json_of_unstored(value, given_version, exact=options.exact), created=True)
    if version_or_none(given_version):
        raise ApiError(500, "", "resourceVersion should not be set on objects to be created")
    entry = await server.store.commit(resource, server.store.create(resource, key, value, since))
    if resource.hooks is not None and not request.target.subresource:
        await resource.hooks.after(server, Write(place, None, obj))
    versions = (place.name, 0, entry.revision)
    body = resource.json_of(value, entry.revision, exact=options.exact)
    return WriteResult(body, created=True, written=versions)


def _exists(resource: Resource, name: str, existing: Entry | None, *, generated: bool) -> ApiError:
    error = errors.already_exists(resource.qualified, name)
    if existing is not None and "deletionTimestamp" in stored_form.decode(existing)["metadata"]:
        error = replace(error, message=f"object is being deleted: {error.message}")
    if not generated:
        return error
    return ApiError(
        error.code,
        error.reason,
        f"{error.message}, the server was not able to generate a unique name for the object",
        errors.Details(
            name=name, group=resource.qualified.group, kind=resource.qualified.name, retry_after_seconds=1
        ),
        retry_after=1,
    )
