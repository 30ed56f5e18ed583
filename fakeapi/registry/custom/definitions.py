"""Follows the writes of CustomResourceDefinitions: their status, what is served of them, and their end.

Upstream's controllers do this a moment after a write; here it is done before the write is answered, in the
same steps, each of which is a write of its own that watches see. One definition is followed at a time, so
that of several with the same names the first one gets them.
"""

import asyncio
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap import Bootstrap
from fakeapi.registry.custom import conditions
from fakeapi.registry.custom.accepted_names import AcceptedNames, group_of
from fakeapi.registry.custom.conditions import CLEANUP, ESTABLISHED, TERMINATING
from fakeapi.registry.custom.conversion import Conversions
from fakeapi.registry.custom.kind import DefinitionState, custom_kind, reader_of
from fakeapi.registry.custom.reading import DefaultsRefused
from fakeapi.registry.custom.registration import Registration
from fakeapi.registry.custom.resource import CustomResource
from fakeapi.registry.custom.specification import specification_of
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.definition import StrategyContext
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.options import DeleteOptions, ObjectReference
from fakeapi.registry.verbs.deleting import delete
from fakeapi_storage import Entry, KeyNotFound, RevisionConflict

if TYPE_CHECKING:
    from fakeapi.registry.server import Server

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
        self, server: "Server", catalogue: Catalogue, context: StrategyContext, bootstrap: Bootstrap
    ) -> None:
        self._server = server
        self._catalogue = catalogue
        self._context = context
        self._served: dict[str, _Served] = {}
        self._following = asyncio.Lock()
        self._cleaning: set[str] = set()
        self._names = AcceptedNames()
        self.registration = Registration(server, bootstrap, self._names.served_versions)

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
            entries = self._server.store.storage.list(PREFIX).entries
            names = [entry.key.removeprefix(PREFIX) for entry in entries]
            for name in self._served.keys() - set(names):
                self._withdraw(name)
            self._names.forget()
            for name, entry in zip(names, entries, strict=True):
                self._names.note(name, self._resource.decode(entry))
            for name in names:
                await self._settle(name)

    def forget(self) -> None:
        """Serves none any more: the storage is empty."""
        self._names.forget()
        for name in list(self._served):
            self._withdraw(name)

    def show(self, name: str, entry: Entry | None) -> bool:
        """Serves a definition as another server left it; None where it is gone.

        Returns whether it is at rest.
        """
        definition = None if entry is None else self._resource.decode(entry)
        self._names.note(name, definition)
        if definition is None:
            self._withdraw(name)
            return True
        self._serve(definition)
        is_going = CLEANUP in (definition["metadata"].get("finalizers") or ())
        return self._next(definition) is None and not (
            is_going and definition["metadata"].get("deletionTimestamp")
        )

    # steps --------------------------------------------------------------------------------------

    async def _settle(self, name: str) -> None:
        """Brings one definition to rest, and then those that request a name which it took or freed."""
        pending = deque(sorted(await self._settle_one(name)))
        while pending:
            waiting = pending.popleft()
            if self._names.decides_anew(waiting):
                pending += sorted(await self._settle_one(waiting))
        await self.registration.follow(group_of(name))

    async def _settle_one(self, name: str) -> set[str]:
        """Brings one definition to rest.

        Returns the definitions that request a name which was taken or freed on the way.
        """
        waiting: set[str] = set()
        while True:
            entry = self._server.store.storage.newest(f"{PREFIX}{name}")
            definition = None if entry is None else self._resource.decode(entry)
            waiting |= self._names.note(name, definition)
            if entry is None or definition is None:
                self._withdraw(name)
                return waiting
            self._serve(definition)
            new = self._next(definition)
            if new is None and not await self._clean_up(entry, definition):
                return waiting
            if new is not None:
                await self._write(entry, definition, new)

    def _next(self, definition: Object) -> Object | None:
        """The definition after the next step of a controller; None where none has anything to do."""
        now, used = self._server.store.now(), self._names.in_use(definition["spec"]["group"])
        return (
            conditions.with_conformance(definition, now)
            or conditions.with_names(definition, used, now)
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
        found, now = conditions.condition(definition, TERMINATING), self._server.store.now()
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
        """Deletes the objects of a definition, without admission; False where some are held.

        An object whose defaults are too large to show it is deleted without them.
        """
        name = definition["metadata"]["name"]
        served = self._served.get(name)
        resource = served.resources[0] if served and served.resources else self._unserved(definition)
        self._cleaning.add(name)
        try:
            for entry in list(self._server.store.storage.list(resource.prefix).entries):
                namespace, _, own = entry.key.removeprefix(resource.prefix).rpartition("/")
                target = ObjectReference(namespace, own)
                try:
                    await self._delete_object(resource, target)
                except DefaultsRefused:
                    resource = self._unserved(definition, fills_defaults=False)
                    await self._delete_object(resource, target)
        finally:
            self._cleaning.discard(name)
        return not self._server.store.storage.list(
            resource.prefix, start_after=None, limit=1, at=None
        ).entries

    async def _delete_object(self, resource: CustomResource, target: ObjectReference) -> None:
        try:
            await delete(self._server, resource, target, DeleteOptions(), asks_admission=False)
        except ApiError as error:
            if error.code != 404:
                raise

    async def _write(self, entry: Entry, old: Object, new: Object) -> None:
        """Stores a definition with a new status; if another writer came first, nothing. A definition that
        nothing holds any more is deleted.
        """
        resource, server = self._resource, self._server
        new = {**new, "metadata": dict(new["metadata"])}
        managed = resource.manager("status").update(
            resource.from_hub(old), resource.from_hub(new), MANAGER, server.store.now()
        )
        new = resource.to_hub(managed)
        try:
            if new["metadata"].get("deletionTimestamp") and not new["metadata"].get("finalizers"):
                await server.store.commit(resource, server.store.storage.delete(entry.key, entry.revision))
            else:
                value = resource.encode(new)
                await server.store.commit(
                    resource, server.store.storage.update(entry.key, value, entry.revision)
                )
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

    def _resources(
        self, definition: Object, state: DefinitionState, *, fills_defaults: bool = True
    ) -> list[CustomResource]:
        """A resource for each version, served or not. `fills_defaults`: their objects get their defaults."""
        specification, release = specification_of(definition), self._catalogue.primary
        reader = replace(reader_of(specification, release), fills_defaults=fills_defaults)
        kinds = tuple(
            custom_kind(specification, version, reader, state, release) for version in specification.versions
        )
        conversions = self._conversions(definition)
        return [CustomResource(kind, kinds, release, self._context, conversions) for kind in kinds]

    def _conversions(self, definition: Object) -> Conversions:
        if (definition["spec"].get("conversion") or {}).get("strategy") != "Webhook":
            return Conversions()
        from fakeapi.registry.webhooks.conversion import ConversionWebhook  # noqa: PLC0415 - few definitions

        return Conversions(ConversionWebhook.of_definition(definition, self._server.webhooks))

    def _unserved(self, definition: Object, *, fills_defaults: bool = True) -> CustomResource:
        """A resource of a definition that is not in the catalogue."""
        return self._resources(definition, DefinitionState(), fills_defaults=fills_defaults)[0]

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
        return self._catalogue.has_built_in(group) and any(
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
