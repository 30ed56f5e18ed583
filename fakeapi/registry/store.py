"""What a write means: create, update and the way every change to a stored object goes.

Follows k8s.io/apiserver `pkg/registry/generic/registry` and `pkg/registry/rest`. Each write reads the
newest accepted state, computes from it, and hands the result to the storage with the revision that it was
computed from; between the two nothing else can run, so only another process could come between them.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

from fakeapi.machinery import errors
from fakeapi.machinery.apply.manager import with_old_times
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.golang import times
from fakeapi.machinery.golang.numbers import parse_uint
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.names import name_is_path_segment
from fakeapi.machinery.meta.object_meta import (
    has_domain,
    validate_core_object_meta,
    validate_core_object_meta_update,
    validate_object_meta,
    validate_object_meta_update,
)
from fakeapi.registry import stored_form
from fakeapi.registry.clock import ClockAndNames
from fakeapi.registry.options import ObjectReference, Warnings, WriteOptions, WriteResult
from fakeapi.registry.resource import Resource
from fakeapi.registry.resource_version import check_key, parse_version, version_or_none, waited_for
from fakeapi.registry.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi_storage import (
    Entry,
    KeyExists,
    KeyNotFound,
    RevisionConflict,
    Storage,
    StorageFailed,
    StorageFull,
)

LOCK_MESSAGE = "the object has been modified; please apply your changes to the latest version and try again"
WRITE_ATTEMPTS = 16
"""How often a write starts again when another writer came first; after that it is a 409."""

GENERATE_NAME_ATTEMPTS = 8
"""How many generated names are tried, where the release tries again; then it is a 409."""

Stored = TypeVar("Stored")

Change = Callable[[Object | None], Object]
"""From the stored object (None: there is none) to the object to store, its managed fields included; both in
the version of the request."""


class Store:
    """Writes to the objects of all served resources."""

    def __init__(self, storage: Storage, source: ClockAndNames) -> None:
        self.storage = storage
        self.clock = source
        self._newest: dict[str, int] = {}

    def now(self) -> str:
        """The present as Kubernetes writes it: RFC 3339, UTC, whole seconds."""
        return times.now_text(self.clock.now())

    # reading ------------------------------------------------------------------------------------

    def get(self, resource: Resource, target: ObjectReference, version: str = "") -> Entry:
        """The committed entry, as the resource's version shows it, not older than `version`.

        Raises ApiError 404; 500 for a version that is no number, 504 for one that is yet to come.
        """
        check_path_name(target.name)
        if not version:
            check_key(resource.kind.resource, target.namespace, target.name)
        elif (wanted := parse_version(version)) > self.storage.revision:
            raise waited_for(wanted, self.storage.revision)
        entry = self.storage.get(resource.key(target.namespace, target.name))
        if entry is None:
            raise errors.not_found(resource.qualified, target.name)
        return resource.entry_in_version(entry)

    def head(self, resource: Resource, target: ObjectReference) -> Entry:
        """The newest accepted entry, as it is kept. Raises ApiError 404."""
        check_path_name(target.name)
        entry = self.storage.newest(resource.key(target.namespace, target.name))
        if entry is None:
            raise errors.not_found(resource.qualified, target.name)
        return entry

    def forget(self) -> None:
        """Forget what belongs to the state before a reset."""
        self._newest.clear()

    def newest(self, resource: Resource) -> int:
        """The version of the last change to any object of the resource by this server; 0 before the first."""
        return self._newest.get(resource.prefix, 0)

    async def commit(self, resource: Resource, write: Awaitable[Entry]) -> Entry:
        """The entry of a write once it is committed. Raises ApiError 500 when it could not be kept."""
        entry = await committed(write)
        self._newest[resource.prefix] = max(self.newest(resource), entry.revision)
        return entry

    async def settle(self, entry: Entry | None) -> None:
        """Wait until what an answer was computed from is committed: no answer outlives a lost write."""
        if entry is not None and entry.revision > self.storage.revision:
            await committed(self.storage.wait_committed(entry.revision))

    # create -------------------------------------------------------------------------------------

    async def create(
        self,
        resource: Resource,
        target: ObjectReference,
        obj: Object,
        options: WriteOptions,
        warnings: Warnings,
    ) -> WriteResult:
        """Store a new object from a canonical, defaulted body. Raises ApiError."""
        deduplicate_owners(obj, warnings)
        for name in ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):
            obj["metadata"].pop(name, None)
        self._fill_system_fields(obj["metadata"])
        obj = resource.managers[""].update(None, obj, options.manager, self.now())
        version = obj["metadata"].get("resourceVersion", "")
        return await self.insert(resource, target, obj, options, warnings, given_version=version)

    async def insert(
        self,
        resource: Resource,
        target: ObjectReference,
        obj: Object,
        options: WriteOptions,
        warnings: Warnings,
        *,
        given_version: str = "",
    ) -> WriteResult:
        """`create` after its managed fields are set. A `given_version` is refused, if all else is well.

        An apply that creates comes here straight: what it says of the object's deletion stays.
        """
        obj = resource.to_hub(obj)
        meta = obj["metadata"]
        meta.pop("resourceVersion", None)
        if not meta.get("uid"):
            self._fill_system_fields(meta)
        generated = not meta.get("name") and bool(meta.get("generateName"))
        attempts = GENERATE_NAME_ATTEMPTS if resource.release.gates.enabled("RetryGenerateName") else 1
        while True:
            if generated:
                meta["name"] = names.generated_name(meta["generateName"], self.clock.suffix())
            candidate = self._before_create(resource, obj, warnings)
            attempts -= 1
            try:
                return await self._store_new(resource, target, candidate, given_version, options)
            except KeyExists:
                existing = self.storage.newest(resource.key(target.namespace, meta["name"]))
                await self.settle(existing)
                if not generated or attempts <= 0:
                    raise _exists(resource, meta["name"], existing, generated=generated) from None

    def _fill_system_fields(self, meta: Object) -> None:
        meta["creationTimestamp"] = self.now()
        meta["uid"] = self.clock.uid()

    def _before_create(self, resource: Resource, obj: Object, warnings: Warnings) -> Object:
        strategy = resource.strategy_for("")
        candidate = strategy.prepare_create(obj)
        meta = candidate["metadata"]
        too_long = resource.release.quirks.too_long
        found = strategy.authorize_create(candidate)
        found += validate_core_object_meta(
            meta, resource.kind.namespaced, resource.name_validator, "metadata", too_long
        )
        found += strategy.validate_create(candidate)
        if found:
            raise errors.invalid(resource.qualified_kind, meta.get("name", ""), found)
        for text in strategy.warnings_on_create(candidate):
            warnings.add(text)
        return candidate

    async def _store_new(
        self,
        resource: Resource,
        target: ObjectReference,
        obj: Object,
        given_version: str,
        options: WriteOptions,
    ) -> WriteResult:
        key = resource.key(target.namespace, obj["metadata"]["name"])
        value = stored_form.encode(obj, resource.hub_schema)
        if options.dry_run:
            existing = self.storage.newest(key)
            if existing is not None:
                raise KeyExists(existing)
            return WriteResult(
                stored_form.with_given_version(resource.encode_for_version(value), given_version),
                created=True,
            )
        if version_or_none(given_version):
            raise ApiError(500, "", "resourceVersion should not be set on objects to be created")
        entry = await self.commit(resource, self.storage.create(key, value))
        return WriteResult(
            stored_form.with_version(resource.encode_for_version(value), entry.revision), created=True
        )

    # update -------------------------------------------------------------------------------------

    async def update(
        self,
        resource: Resource,
        target: ObjectReference,
        obj: Object,
        options: WriteOptions,
        warnings: Warnings,
    ) -> WriteResult:
        """Replace an object by a canonical, defaulted body. Raises ApiError."""
        deduplicate_owners(obj, warnings)
        manager = resource.managers[target.subresource]

        def change(old: Object | None) -> Object:
            new: Object = {**obj, "metadata": dict(obj["metadata"])}
            return manager.update(old, new, options.manager, self.now())

        uid = obj["metadata"].get("uid", "")
        return await self.modify(resource, target, change, options, warnings, uid_precondition=uid)

    async def modify(
        self,
        resource: Resource,
        target: ObjectReference,
        change: Change,
        options: WriteOptions,
        warnings: Warnings,
        *,
        uid_precondition: str = "",
    ) -> WriteResult:
        """Change a stored object.

        A change that leaves the object as it is keeps the resourceVersion and makes no event. One that
        takes the last finalizer from an object that is being deleted deletes it. Raises ApiError: 404,
        409 for a resourceVersion or uid that is not the stored one, 422.
        """
        check_path_name(target.name)
        for _ in range(WRITE_ATTEMPTS):
            try:
                return await self._modify_once(resource, target, change, options, warnings, uid_precondition)
            except (RevisionConflict, KeyNotFound):
                continue
        raise errors.conflict(resource.qualified, target.name, LOCK_MESSAGE)

    async def _modify_once(
        self,
        resource: Resource,
        target: ObjectReference,
        change: Change,
        options: WriteOptions,
        warnings: Warnings,
        uid_precondition: str,
    ) -> WriteResult:
        key = resource.key(target.namespace, target.name)
        entry = self.storage.newest(key)
        try:
            old = None if entry is None else stored_form.decode(entry, resource.hub_schema)
            _check_uid(resource, target, uid_precondition, old, dry_run=options.dry_run)
            if entry is None or old is None:
                raise errors.not_found(resource.qualified, target.name)
            new = resource.to_hub(change(resource.from_hub(old)))
            new = self._before_update(resource, target, new, old, warnings)
        except ApiError:
            await self.settle(entry)
            raise
        return await self._store_changed(resource, target, entry, old, new, options)

    def _before_update(
        self, resource: Resource, target: ObjectReference, new: Object, old: Object, warnings: Warnings
    ) -> Object:
        meta, old_meta = new["metadata"], old["metadata"]
        _check_version(resource, target, meta, old_meta)
        strategy: Strategy = resource.strategy_for(target.subresource)
        _set_or_drop(meta, "generation", old_meta.get("generation"))
        new = strategy.prepare_update(new, old)
        meta = new["metadata"]
        if not meta.get("uid"):
            meta["uid"] = old_meta["uid"]
        meta["creationTimestamp"] = old_meta["creationTimestamp"]
        for name in ("deletionTimestamp", "deletionGracePeriodSeconds"):
            if old_meta.get(name) is not None and (name == "deletionTimestamp" or meta.get(name) is None):
                meta[name] = old_meta[name]
        found = _update_errors(resource, strategy, new, old)
        if found:
            raise errors.invalid(resource.qualified_kind, meta.get("name", ""), found)
        for text in strategy.warnings_on_update(new, old):
            warnings.add(text)
        return new

    async def _store_changed(
        self,
        resource: Resource,
        target: ObjectReference,
        entry: Entry,
        old: Object,
        new: Object,
        options: WriteOptions,
    ) -> WriteResult:
        key = resource.key(target.namespace, target.name)
        new = with_old_times(new, old)
        meta = new["metadata"]
        value = stored_form.encode(new, resource.hub_schema)
        if is_finished(meta, old["metadata"]) and not resource.strategy_for(
            target.subresource
        ).blocks_final_delete(new):
            if not options.dry_run:
                await self.commit(resource, self.storage.delete(key, entry.revision))
            return WriteResult(stored_form.with_version(resource.encode_for_version(value), entry.revision))
        if value == entry.value or options.dry_run:
            await self.settle(entry)
            return WriteResult(stored_form.with_version(resource.encode_for_version(value), entry.revision))
        stored = await self.commit(resource, self.storage.update(key, value, entry.revision))
        return WriteResult(stored_form.with_version(resource.encode_for_version(value), stored.revision))


async def committed(write: Awaitable[Stored]) -> Stored:
    """The result of a write. Raises ApiError 500 when it could not be kept, and nothing was."""
    try:
        return await write
    except StorageFull as error:
        raise ApiError(500, "", "etcdserver: mvcc: database space exceeded") from error
    except StorageFailed as error:
        raise ApiError(500, "", f"etcdserver: storage failed: {error}") from error


def check_path_name(name: str) -> None:
    """A name must fit into a path of the storage. Raises ApiError 400."""
    found = name_is_path_segment(name, False)
    if found:
        raise errors.bad_request(f"Name parameter invalid: {quote(name)}: {';'.join(found)}")


def is_finished(meta: Object, old_meta: Object) -> bool:
    """Whether an update leaves an object that is being deleted with nothing to wait for."""
    return (
        meta.get("deletionTimestamp") is not None
        and not meta.get("finalizers")
        and not old_meta.get("deletionGracePeriodSeconds")
        and not meta.get("deletionGracePeriodSeconds")
    )


def deduplicate_owners(obj: Object, warnings: Warnings, *, after_admission: bool = False) -> None:
    """Drop owner references that stand twice, with a warning as upstream words it."""
    owners = obj["metadata"].get("ownerReferences")
    if not owners or len(owners) < 2:
        return
    kept: dict[tuple[Any, ...], Object] = {}
    dropped: list[str] = []
    for owner in owners:
        members = tuple(owner.items())
        if members in kept:
            dropped.append(owner.get("uid", ""))
        else:
            kept[members] = owner
    if dropped:
        obj["metadata"]["ownerReferences"] = list(kept.values())
        which = ", ".join(dropped)
        after = " after mutating admission happens" if after_admission else ""
        warnings.add(
            f".metadata.ownerReferences contains duplicate entries{after}; API server dedups owner "
            "references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; "
            f"duplicate UID(s) observed: {which}"
        )


def _set_or_drop(meta: Object, name: str, value: Any) -> None:
    if value is None:
        meta.pop(name, None)
    else:
        meta[name] = value


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


def _check_uid(
    resource: Resource, target: ObjectReference, expected: str, old: Object | None, *, dry_run: bool
) -> None:
    """The uid of a PUT body is a precondition, checked before anything else; for a dry run above the storage,
    which puts /registry before its keys.
    """
    actual = old["metadata"]["uid"] if old else ""
    if not expected or expected == actual:
        return
    registry = "" if dry_run else "/registry"
    place = f"{target.namespace}/{target.name}" if target.namespace else target.name
    registry_key = f"{registry}/{resource.kind.resource}/{place}"
    raise errors.conflict(
        resource.qualified,
        target.name,
        f"StorageError: invalid object, Code: 4, Key: {registry_key}, ResourceVersion: 0, "
        f"AdditionalErrorMsg: Precondition failed: UID in precondition: {expected}, "
        f"UID in object meta: {actual}",
    )


def _update_errors(resource: Resource, strategy: Strategy, new: Object, old: Object) -> list[FieldError]:
    """Errors of an update: the generic store looks at its metadata first, then the kind at all of it."""
    meta, old_meta = new["metadata"], old["metadata"]
    too_long, namespaced = resource.release.quirks.too_long, resource.kind.namespaced
    found = validate_object_meta(meta, namespaced, name_is_path_segment, "metadata", too_long)
    found += validate_object_meta_update(meta, old_meta, "metadata", too_long)
    metadata = NO_METADATA_ERRORS  # there is nothing else for the kind to find
    if found or meta.get("generateName") or not all(map(has_domain, meta.get("finalizers") or ())):
        metadata = MetadataErrors(
            validate_core_object_meta(meta, namespaced, resource.name_validator, "metadata", too_long),
            validate_core_object_meta_update(meta, old_meta, "metadata", too_long),
        )
    return found + strategy.validate_update(new, old, metadata)


def _check_version(resource: Resource, target: ObjectReference, meta: Object, old_meta: Object) -> None:
    """No resourceVersion, or "0", means any; another must be the stored one."""
    given = meta.get("resourceVersion", "")
    try:
        version = parse_uint(given) if given else 0
    except ValueError as error:
        raise ApiError(500, "", str(error)) from None
    if not version:
        meta["resourceVersion"] = old_meta["resourceVersion"]
    elif version != int(old_meta["resourceVersion"]):
        raise errors.conflict(resource.qualified, target.name, LOCK_MESSAGE)
