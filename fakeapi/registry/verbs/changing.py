"""The read-modify-write loop of update, patch and apply.

Follows k8s.io/apiserver `pkg/registry/generic/registry` (Update) and `pkg/registry/rest/update.go`. Example
of a verb:

    for attempt in attempts(request):
        async with attempt as old:             # reads the object; raises 404 if it does not exist
            await attempt.check(changed(old))  # runs admission; prepares and validates the new object
        result = await attempt.commit()        # None if another client changed the object first
        if result is not None:
            return result

Most attempts run from the read to the start of the commit without an await. An attempt awaits, for example,
if it compiles many CEL expressions, processes many bytes, or calls a webhook. Another client of this server
can change the object only during such an await; then the commit returns None.
"""

from collections.abc import Callable, Iterator
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from fakeapi.machinery import errors
from fakeapi.machinery.apply.manager import with_old_times
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.numbers import parse_uint
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import name_is_path_segment
from fakeapi.machinery.meta.object_meta import (
    has_domain,
    validate_core_object_meta,
    validate_core_object_meta_update,
    validate_object_meta,
    validate_object_meta_update,
)
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.steps import NO_STEPS, mutate, run
from fakeapi.registry.model.definition import Write
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.registry.offloading.rerun import compiling, completed, completed_by
from fakeapi.registry.requests.name_matching import check_path_name, match_namespace
from fakeapi.registry.requests.options import ObjectReference, WriteResult
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.store import LOCK_MESSAGE, WRITE_ATTEMPTS
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.stored.etcd_keys import failed_precondition
from fakeapi.registry.verbs.owner_references import deduplicate_owners
from fakeapi_storage import Entry, KeyNotFound, RevisionConflict

Result = TypeVar("Result")


def attempts(request: ServerWrite, *, uid: str = "", admits: bool = True) -> Iterator["Attempt"]:
    """Yields up to WRITE_ATTEMPTS attempts to change the object of the request.

    `uid`: the uid that the stored object must have, otherwise the attempt fails with 409; "" for any uid.
    `admits`: whether `Attempt.check` runs admission; if False, the caller runs admission.

    Raises ApiError 400 if the object's name is not valid in a URL path, and 409 after the last attempt.
    """
    check_path_name(request.target.name)
    for number in range(WRITE_ATTEMPTS):
        yield Attempt(request, uid=uid, admits=admits, waits=number == 0)
    raise errors.conflict(request.resource.qualified, request.target.name, LOCK_MESSAGE)


class Attempt:
    """An attempt to change a stored object; an async context manager.

    Entering the context returns the object in the API version of the request; the caller may change this
    object. If the block raises ApiError, the context manager first waits until the object that the attempt
    read is committed. The client then gets the error.
    """

    def __init__(self, request: ServerWrite, *, uid: str, admits: bool, waits: bool) -> None:
        self._request = request
        self._uid = uid
        self._admits = admits
        self._waits = waits
        self._entry: Entry | None = None
        self._since = 0
        self._old: Object = {}
        self._new: Object = {}

    async def __aenter__(self) -> Object:
        """Reads the object.

        Raises ApiError 404 if the object does not exist, and 409 if its uid is not the expected one.
        """
        server, resource, target = self._request.server, self._request.resource, self._request.target
        self._since = server.store.storage.revision
        self._entry = server.store.storage.newest(resource.key(target.namespace, target.name))
        try:
            entry = self._entry
            old = None if entry is None else await completed(lambda: resource.decode(entry))
            _check_uid(resource, target, self._uid, old, dry_run=self._request.dry_run)
            if old is None:
                raise errors.not_found(resource.qualified, target.name)
        except ApiError:
            await server.store.settle(self._entry)
            raise
        self._old = old
        return resource.from_hub(old)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ApiError):
            await self._request.server.store.settle(self._entry)

    async def run(self, body_bytes: int, step: Callable[[], Result]) -> Result:
        """Calls `step` and returns its result. Errors of `step` are raised to the caller.

        - `step`: a function that computes the changed object.
        - `body_bytes`: the size of the request body in bytes.

        In the first attempt, `step` runs in a thread if the request body and the object are large. Later
        attempts run `step` on the event loop, so that no other client can change the object meanwhile. In all
        attempts, a step with expensive CEL expressions runs in a thread.
        """
        stored_bytes = 0 if self._entry is None else len(self._entry.value)
        size = stored_bytes + body_bytes if self._waits else 0
        return await completed_by(partial(self._request.server.heavy.run, size, step))

    async def check(self, new: Object) -> None:
        """Runs admission on the changed object, prepares and validates it.

        `new`: the changed object in the API version of the request, with its managedFields.

        Raises ApiError:

        - 403, or another code of the admission plugin: admission rejects the change
        - 409: the resourceVersion of `new` is not the stored one
        - 422: the object is invalid
        - 500: the resourceVersion of `new` is not a number
        """
        request, resource = self._request, self._request.resource
        steps = NO_STEPS
        if self._admits:
            steps = request.server.admission.steps(resource, request.target.subresource, Operation.UPDATE)
        if steps.mutating:
            old = resource.from_hub(self._old)
            attributes = Attributes.of(request, Operation.UPDATE, new, old)
            await mutate(steps.mutating, attributes)
            new = attributes.new_object()
        deduplicate_owners(new, request.warnings, after_admission=True)
        hub = resource.to_hub(new)
        step = compiling(partial(_before_update, request, hub, self._old))
        if resource.may_run_in_thread:
            self._new = await self.run(request.options.body_bytes, step)
        else:
            self._new = await completed(step)
        if steps.validating:
            attributes = Attributes.of(request, Operation.UPDATE, self._new, self._old)
            await run(steps.validating, attributes)

    async def commit(self) -> WriteResult | None:
        """Stores the checked object; returns None if another client changed the stored object meanwhile.

        An unchanged object keeps its resourceVersion and causes no watch event, unless
        `Strategy.rewrites_created` applies. If the change completes the deletion of the object (see
        `is_finished`), the server deletes the object. A dry run stores nothing. Raises ApiError 500 if the
        storage fails, and the ApiError of `Hooks.after`.
        """
        try:
            return await self._commit()
        except (RevisionConflict, KeyNotFound):
            return None

    async def _commit(self) -> WriteResult:
        entry, request = self._entry, self._request
        assert entry is not None, "commit before the attempt was entered"
        server, resource, target = request.server, request.resource, request.target
        key, exact = resource.key(target.namespace, target.name), request.options.exact
        new = with_old_times(self._new, self._old, semantically_equal)
        value = await completed(lambda: resource.encode(new))
        strategy = resource.strategy_for(target.subresource)
        if is_finished(new["metadata"], self._old["metadata"]) and not strategy.blocks_final_delete(new):
            if not request.dry_run:
                await server.store.commit(resource, server.store.storage.delete(key, entry.revision))
                await self._follow(None)
            return WriteResult(
                resource.json_of(value, entry.revision, exact=exact),
                written=(target.name, entry.revision, 0),
            )
        is_rewritten = strategy.rewrites_created and entry.created == entry.revision
        if request.dry_run or (stored_form.is_same(value, entry.value) and not is_rewritten):
            await server.store.settle(entry)
            same = (target.name, entry.revision, entry.revision)
            return WriteResult(resource.json_of(value, entry.revision, exact=exact), written=same)
        write = server.store.update(resource, key, value, entry.revision, self._since)
        stored = await server.store.commit(resource, write)
        await self._follow(new)
        versions = (target.name, entry.revision, stored.revision)
        return WriteResult(resource.json_of(value, stored.revision, exact=exact), written=versions)

    async def _follow(self, new: Object | None) -> None:
        server, target, hooks = self._request.server, self._request.target, self._request.resource.hooks
        if hooks is not None:
            place = ObjectReference(target.namespace, target.name)
            await hooks.after(server, Write(place, self._old, new))


def restored(request: ServerWrite, new: Object) -> Object:
    """Returns an updated or patched object as Go holds it in memory, for the comparison of its atomic lists.

    `new`: the object in the API version of the request.
    """
    resource = request.resource
    rebuilt = resource.versions.conversion(resource.kind).rebuilt_lists
    return request.sent.restored_in_atomic_lists(new, resource.schema, rebuilt)


def _before_update(request: ServerWrite, new: Object, old: Object) -> Object:
    resource, target = request.resource, request.target
    meta, old_meta = new["metadata"], old["metadata"]
    strategy: Strategy = resource.strategy_for(target.subresource)
    _check_version(resource, target, meta, old_meta, strategy)
    _set_or_drop(meta, "generation", old_meta.get("generation"))
    if resource.hooks is not None and not target.subresource:
        new = resource.hooks.begin_update(new, old, dry_run=request.dry_run)
    match_namespace(resource, target, new["metadata"])  # admission may have changed the namespace
    new = strategy.prepare_update(request.sent.restored(new, resource.hub_schema), old)
    meta = new["metadata"]
    if not meta.get("uid"):
        meta["uid"] = old_meta["uid"]
    meta["creationTimestamp"] = old_meta["creationTimestamp"]
    for name in ("deletionTimestamp", "deletionGracePeriodSeconds"):
        if old_meta.get(name) is not None and (name == "deletionTimestamp" or meta.get(name) is None):
            meta[name] = old_meta[name]
    problems = _update_errors(resource, strategy, new, old)
    problems = resource.with_declared(problems, new, old, target.subresource)
    if problems:
        raise errors.invalid(resource.kind_in_errors(new), meta.get("name", ""), problems)
    for text in strategy.warnings_on_update(new, old):
        request.warnings.add(text)
    return new


def is_finished(meta: Object, old_meta: Object) -> bool:
    """Whether an update completes a deletion.

    This is so if the object is being deleted and has no finalizers and no grace period left.
    """
    return (
        meta.get("deletionTimestamp") is not None
        and not meta.get("finalizers")
        and not old_meta.get("deletionGracePeriodSeconds")
        and not meta.get("deletionGracePeriodSeconds")
    )


def _set_or_drop(meta: Object, name: str, value: Any) -> None:
    if value is None:
        meta.pop(name, None)
    else:
        meta[name] = value


def _check_uid(
    resource: Resource, target: ObjectReference, expected: str, old: Object | None, *, dry_run: bool
) -> None:
    """Checks the uid in the body of a PUT, if the body has one. This check precedes all other checks.

    Raises ApiError:

    - 404: the object does not exist
    - 409: the stored object has another uid

    A missing object gives 409 instead of 404 if a PUT can create objects of this kind, and in some releases.
    """
    actual = old["metadata"]["uid"] if old else ""
    if not expected or expected == actual:
        return
    is_created = resource.strategy_for(target.subresource).creates_on_update
    if old is None and not (is_created or resource.release.quirks.uid_of_missing_object_conflicts):
        raise errors.not_found(resource.qualified, target.name)
    why = failed_precondition(resource.kind, target, "UID", expected, actual, dry_run=dry_run)
    raise errors.conflict(resource.qualified, target.name, why)


def _update_errors(resource: Resource, strategy: Strategy, new: Object, old: Object) -> list[FieldError]:
    """Returns the errors of an update: first of the metadata, then of the other fields."""
    meta, old_meta = new["metadata"], old["metadata"]
    wording, namespaced = resource.release.quirks.wording, resource.kind.namespaced
    problems = validate_object_meta(meta, namespaced, name_is_path_segment, "metadata", wording)
    problems += validate_object_meta_update(meta, old_meta, "metadata", wording, is_right=not problems)
    metadata = NO_METADATA_ERRORS  # the kind's own metadata checks would find no further errors
    is_core = resource.definition.core_metadata
    is_suspect = is_core and not all(map(has_domain, meta.get("finalizers") or ()))
    if problems or meta.get("generateName") or is_suspect:
        validate = validate_core_object_meta if is_core else validate_object_meta
        validate_update = validate_core_object_meta_update if is_core else validate_object_meta_update
        metadata = MetadataErrors(
            validate(meta, namespaced, resource.name_validator, "metadata", wording),
            validate_update(meta, old_meta, "metadata", wording),
        )
    return problems + strategy.validate_update(new, old, metadata)


def _check_version(
    resource: Resource, target: ObjectReference, meta: Object, old_meta: Object, strategy: Strategy
) -> None:
    """Raises ApiError if the resourceVersion of an update prevents the update.

    - 409: another resourceVersion is stored
    - 422: the kind requires a resourceVersion, and the update has none
    - 500: the resourceVersion is not a number

    If the kind allows unconditional updates, a missing version and "0" mean any version.
    """
    text = meta.get("resourceVersion", "")
    try:
        version = parse_uint(text) if text else 0
    except ValueError as error:
        raise ApiError(500, "", str(error)) from None
    if not version and not strategy.updates_unconditionally:
        zero = Dump("0" if resource.release.quirks.wording.json_values else "0x0")
        problem = invalid("metadata.resourceVersion", zero, "must be specified for an update")
        raise errors.invalid(resource.qualified, target.name, [problem])
    if not version:
        meta["resourceVersion"] = old_meta["resourceVersion"]
    elif version != int(old_meta["resourceVersion"]):
        raise errors.conflict(resource.qualified, target.name, LOCK_MESSAGE)
