"""Follows the writes of CustomResourceDefinitions: their status, what is served of them, and their end.

Upstream's controllers do this a moment after a write; here it is done before the write is answered, in the
same steps, each of which is a write of its own that watches see. One definition is followed at a time, so
that of several with the same names the first one gets them.
"""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap.making import Bootstrap
from fakeapi.registry.catalogue import Catalogue
from fakeapi.registry.custom import conditions
from fakeapi.registry.custom.conditions import CLEANUP, ESTABLISHED, TERMINATING
from fakeapi.registry.custom.conversion import Conversions
from fakeapi.registry.custom.kind import DefinitionState, custom_kind, reader_of
from fakeapi.registry.custom.registration import Registration
from fakeapi.registry.custom.resource import CustomResource
from fakeapi.registry.custom.specification import specification_of
from fakeapi.registry.definition import StrategyContext
from fakeapi.registry.options import DeleteOptions, ObjectReference
from fakeapi.registry.resource import Resource
from fakeapi.registry.verbs.deleting import delete
from fakeapi_storage import Entry, KeyNotFound, RevisionConflict

if TYPE_CHECKING:
    from fakeapi.registry.store import Store

GROUP, VERSION, RESOURCE = "apiextensions.k8s.io", "v1", "customresourcedefinitions"
PREFIX = f"/{GROUP}/{RESOURCE}/"
"""The beginning of the storage keys of definitions."""
MANAGER = "kube-apiserver"


class _Served:
    """The resources of one definition, and what they were made of."""

    def __init__(self, made_of: tuple[object, ...], state: DefinitionState) -> None:
        self.made_of = made_of
        self.state = state
        self.resources: list[CustomResource] = []


class CustomResources:
    """All that is served of the definitions of one server."""

    def __init__(
        self, store: "Store", catalogue: Catalogue, context: StrategyContext, bootstrap: Bootstrap
    ) -> None:
        self._store = store
        self._catalogue = catalogue
        self._context = context
        self._served: dict[str, _Served] = {}
        self._following = asyncio.Lock()
        self._cleaning: set[str] = set()
        self.registration = Registration(
            store, bootstrap, lambda group: (each for _, each in self._definitions_of(group))
        )

    # what other parts call ----------------------------------------------------------------------

    async def follow(self, name: str) -> None:
        """Does what a write of the definition asks for. Raises ApiError where it cannot be kept."""
        async with self._following:
            await self._settle(name)

    async def follow_deletion(self, name: str) -> None:
        """Does what the deletion of an object asks for: the last one ends a definition that is going."""
        if name not in self._cleaning:
            await self.follow(name)

    async def restore(self) -> None:
        """Serves the definitions that are stored, and none other; continues what a stop interrupted."""
        async with self._following:
            names = [entry.key.removeprefix(PREFIX) for entry in self._store.storage.list(PREFIX).entries]
            for name in self._served.keys() - set(names):
                self._withdraw(name)
            for name in names:
                await self._settle(name)

    def forget(self) -> None:
        """Serves none any more: the storage is empty."""
        for name in list(self._served):
            self._withdraw(name)

    def show(self, name: str, entry: Entry | None) -> bool:
        """Serves a definition as another server left it; None where it is gone.

        Returns whether it is at rest.
        """
        if entry is None:
            self._withdraw(name)
            return True
        definition = self._resource.decode(entry)
        self._serve(definition)
        is_going = CLEANUP in (definition["metadata"].get("finalizers") or ())
        return self._next(definition) is None and not (
            is_going and definition["metadata"].get("deletionTimestamp")
        )

    # steps --------------------------------------------------------------------------------------

    async def _settle(self, name: str) -> None:
        """Brings one definition to rest, and then the others of its group, whose names may have got free."""
        pending = [name]
        while pending:
            current = pending.pop(0)
            before = self._accepted(current)
            await self._settle_one(current)
            if before != self._accepted(current):
                group = current.partition(".")[2]
                others = (each["metadata"]["name"] for _, each in self._definitions_of(group))
                pending += [each for each in others if each != current and each not in pending]
        await self.registration.follow(name.partition(".")[2])

    async def _settle_one(self, name: str) -> None:
        while True:
            entry = self._store.storage.newest(f"{PREFIX}{name}")
            if entry is None:
                self._withdraw(name)
                return
            definition = self._resource.decode(entry)
            self._serve(definition)
            new = self._next(definition)
            if new is None and not await self._clean_up(entry, definition):
                return
            if new is not None:
                await self._write(entry, definition, new)

    def _next(self, definition: Object) -> Object | None:
        """The definition after the next step of a controller; None where none has anything to do."""
        now, name = self._store.now(), definition["metadata"]["name"]
        group = definition["spec"]["group"]
        others = [each for key, each in self._definitions_of(group) if key != f"{PREFIX}{name}"]
        return (
            conditions.with_conformance(definition, now)
            or conditions.with_names(definition, others, now)
            or conditions.with_established(
                definition,
                now,
                checks_bundles=self._catalogue.primary.quirks.custom.checks_bundles,
            )
        )

    async def _clean_up(self, entry: Entry, definition: Object) -> bool:
        """Takes the next step of ending a definition that is being deleted; False where there is none, or
        while objects are held by finalizers of their own.
        """
        metadata = definition["metadata"]
        if not metadata.get("deletionTimestamp") or CLEANUP not in (metadata.get("finalizers") or ()):
            return False
        found, now = conditions.condition(definition, TERMINATING), self._store.now()
        started = conditions.DELETION_IN_PROGRESS
        if found is None or found.get("reason") != started.reason:
            await self._write(entry, definition, conditions.with_condition(definition, started, now))
            return True
        if self._overlaps(definition):
            done = conditions.OVERLAPPING
        elif not conditions.is_true(definition, ESTABLISHED):
            done = conditions.NEVER_ESTABLISHED
        elif await self._delete_objects(definition):
            done = conditions.DELETION_COMPLETED
        else:
            return False
        new = conditions.with_condition(definition, done, now)
        rest = [each for each in metadata["finalizers"] if each != CLEANUP]
        kept = {name: value for name, value in metadata.items() if name != "finalizers"}
        new["metadata"] = {**kept, "finalizers": rest} if rest else kept
        await self._write(entry, definition, new)
        return True

    async def _delete_objects(self, definition: Object) -> bool:
        """Deletes the objects of a definition, without admission; False where some are held."""
        name = definition["metadata"]["name"]
        served = self._served.get(name)
        resource = served.resources[0] if served and served.resources else self._unserved(definition)
        self._cleaning.add(name)
        try:
            for entry in list(self._store.storage.list(resource.prefix).entries):
                namespace, _, own = entry.key.removeprefix(resource.prefix).rpartition("/")
                target = ObjectReference(namespace, own)
                try:
                    await delete(self._store, resource, target, DeleteOptions(), asks_admission=False)
                except ApiError as error:
                    if error.code != 404:
                        raise
        finally:
            self._cleaning.discard(name)
        return not self._store.storage.list(resource.prefix, start_after=None, limit=1, at=None).entries

    async def _write(self, entry: Entry, old: Object, new: Object) -> None:
        """Stores a definition with a new status; if another writer came first, nothing. A definition that
        nothing holds any more is deleted.
        """
        resource, store = self._resource, self._store
        new = {**new, "metadata": dict(new["metadata"])}
        managed = resource.manager("status").update(
            resource.from_hub(old), resource.from_hub(new), MANAGER, store.now()
        )
        new = resource.to_hub(managed)
        try:
            if new["metadata"].get("deletionTimestamp") and not new["metadata"].get("finalizers"):
                await store.commit(resource, store.storage.delete(entry.key, entry.revision))
            else:
                value = resource.encode(new)
                await store.commit(resource, store.storage.update(entry.key, value, entry.revision))
        except (RevisionConflict, KeyNotFound):
            return

    # the catalogue ------------------------------------------------------------------------------

    def _serve(self, definition: Object) -> None:
        """Serves the versions of a definition as it is now."""
        name = definition["metadata"]["name"]
        served = self._served.get(name)
        made_of = (definition["metadata"]["uid"], definition["spec"], definition["status"]["acceptedNames"])
        is_served = conditions.is_true(definition, ESTABLISHED)
        if served is not None and (not is_served or served.made_of != made_of):
            self._withdraw(name)
            served = None
        if served is None and is_served:
            served = self._served[name] = _Served(made_of, DefinitionState())
            served.resources = [
                each
                for each in self._resources(definition, served.state)
                if each.custom_kind.version_specification.served and not self._has_built_in(each)
            ]
            self._catalogue.add(*served.resources)
        terminating = conditions.is_true(definition, TERMINATING)
        if served is not None and served.state.terminating != terminating:
            served.state.terminating = terminating
            self._catalogue.changed()

    def _resources(self, definition: Object, state: DefinitionState) -> list[CustomResource]:
        """A resource for each version, served or not."""
        specification, release = specification_of(definition), self._catalogue.primary
        reader = reader_of(specification, release)
        kinds = tuple(
            custom_kind(specification, version, reader, state, release) for version in specification.versions
        )
        conversions = self._conversions(definition)
        return [CustomResource(kind, kinds, release, self._context, conversions) for kind in kinds]

    def _conversions(self, definition: Object) -> Conversions:
        if (definition["spec"].get("conversion") or {}).get("strategy") != "Webhook":
            return Conversions()
        from fakeapi.registry.webhooks.conversion import ConversionWebhook  # noqa: PLC0415 - few definitions

        return Conversions(ConversionWebhook.of_definition(definition, self._store.webhooks))

    def _unserved(self, definition: Object) -> CustomResource:
        """A resource of a definition of which no version is served."""
        return self._resources(definition, DefinitionState())[0]

    def _withdraw(self, name: str) -> None:
        served = self._served.pop(name, None)
        if served is not None:
            self._catalogue.remove(*served.resources)

    def _has_built_in(self, resource: CustomResource) -> bool:
        kind = resource.kind
        return self._catalogue.find(kind.group, kind.version, kind.resource) is not None

    def _overlaps(self, definition: Object) -> bool:
        """Whether a built-in resource has the definition's objects."""
        group, plural = definition["spec"]["group"], definition["spec"]["names"]["plural"]
        return any(
            each.kind.group == group and each.kind.resource == plural and not each.kind.unstructured
            for each in self._catalogue.resources
        )

    # reading ------------------------------------------------------------------------------------

    @property
    def _resource(self) -> Resource:
        """The resource of definitions themselves."""
        found = self._catalogue.find(GROUP, VERSION, RESOURCE)
        assert found is not None, "definitions are served where there are some"
        return found

    def _definitions_of(self, group: str) -> Iterator[tuple[str, Object]]:
        """The key and object of each definition in a group; of all definitions if no group is given."""
        storage = self._store.storage
        for entry in storage.list(PREFIX).entries:
            if not group or entry.key.removeprefix(PREFIX).partition(".")[2] == group:
                newest = storage.newest(entry.key)
                if newest is not None:
                    yield entry.key, self._resource.decode(newest)

    def _accepted(self, name: str) -> Object | None:
        entry = self._store.storage.newest(f"{PREFIX}{name}")
        if entry is None:
            return None
        accepted: Object = self._resource.decode(entry)["status"]["acceptedNames"]
        return accepted
