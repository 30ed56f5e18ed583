"""Reacts to writes of CustomResourceDefinitions: updates their status, serves their kinds, deletes them.

Upstream's controllers do this shortly after a write. Here the server does the same before it responds to the
write. Each change of a CRD by a controller is a separate write with its own watch event. The server handles
one CRD at a time, so that the first of several CRDs with the same names gets the names.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap import Bootstrap
from fakeapi.registry.custom import conditions
from fakeapi.registry.custom.conditions import CLEANUP, ESTABLISHED, TERMINATING
from fakeapi.registry.custom.conversion import Conversions
from fakeapi.registry.custom.kind import DefinitionState, custom_kind, reader_of
from fakeapi.registry.custom.names_in_use import AcceptedNames, group_of
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
"""The prefix of the storage keys of CRDs."""
MANAGER = "kube-apiserver"


class _Served:
    """The served resources of one CRD, and the fields of the CRD that the resources depend on.

    `made_of`: the uid, spec and accepted names of the CRD. If these change, the server creates the resources
    again.
    """

    def __init__(self, made_of: tuple[object, ...], state: DefinitionState) -> None:
        self.made_of = made_of
        self.state = state
        self.resources: list[CustomResource] = []


class CustomResources:
    """Serves the custom resources of all CustomResourceDefinitions of one server."""

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

    # public methods -----------------------------------------------------------------------------

    async def follow(self, name: str) -> None:
        """Updates the status and the served kinds of a CRD after a write.

        Raises ApiError if the server cannot read or store a CRD.
        """
        async with self._following:
            await self._settle(name)

    async def follow_deletion(self, name: str) -> None:
        """Continues the deletion of a CRD after one of its custom objects was deleted.

        Raises ApiError if the server cannot read or store a CRD.
        """
        if name not in self._cleaning:
            await self.follow(name)

    async def restore(self) -> None:
        """Serves the custom resources of all established CRDs in the storage, and of no other CRDs.

        Also resumes controller work that a shutdown interrupted, such as the deletion of a CRD. Raises
        ApiError if the server cannot read or store a CRD.
        """
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
        """Stops serving all custom resources. Called when the storage was emptied."""
        self._names.forget()
        for name in list(self._served):
            self._withdraw(name)

    def show(self, name: str, entry: Entry | None) -> bool:
        """Serves a CRD that another API server wrote, or stops serving a deleted CRD (`entry` is None).

        Returns False if a controller still has to change or delete the CRD, otherwise True.
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
        """Does the work of upstream's controllers on a CRD, then on other CRDs that wait for names of this
        CRD.

        Finally updates the APIServices of the API group.
        """
        pending = deque(sorted(await self._settle_one(name)))
        while pending:
            waiting = pending.popleft()
            if self._names.decides_anew(waiting):
                pending += sorted(await self._settle_one(waiting))
        await self.registration.follow(group_of(name))

    async def _settle_one(self, name: str) -> set[str]:
        """Does the work of upstream's controllers on one CRD, until the controllers have nothing left to
        change.

        Returns the names of the CRDs to check next. These CRDs request a name that this work took or freed.
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
        """Returns the CRD with the next change that a controller makes to its status; None if no change
        remains.
        """
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
        """Makes the next change in the deletion of a CRD. Returns whether there was a change to make.

        Returns False if the CRD is not being deleted, if it lacks the finalizer CLEANUP, or if finalizers
        keep some of its custom objects.
        """
        metadata = definition["metadata"]
        if not metadata.get("deletionTimestamp") or CLEANUP not in (metadata.get("finalizers") or ()):
            return False
        terminating, now = conditions.condition(definition, TERMINATING), self._server.store.now()
        started = conditions.DELETION_IN_PROGRESS
        if terminating is None or terminating.get("reason") != started.reason:
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
        rest = [finalizer for finalizer in metadata["finalizers"] if finalizer != CLEANUP]
        kept = {name: value for name, value in metadata.items() if name != "finalizers"}
        new["metadata"] = {**kept, "finalizers": rest} if rest else kept
        await self._write(entry, definition, new)
        return True

    async def _delete_objects(self, definition: Object) -> bool:
        """Deletes the custom objects of a CRD, without admission; returns True if no object remains.

        Objects with finalizers remain. If the defaults make an object too large, deletes this object and the
        objects after it without filling in defaults.
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
        """Stores a CRD with a new status; does nothing if another client changed the CRD meanwhile.

        Deletes the CRD instead if it is being deleted and has no finalizers.
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
        """Adds the served versions of a CRD to the catalogue; removes them if the CRD is not established.

        Omits versions that a built-in resource with the same name already serves.
        """
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
                resource
                for resource in self._resources(definition, served.state)
                if resource.custom_kind.version_specification.served and not self._has_built_in(resource)
            ]
            self._catalogue.add(*served.resources)
        terminating = conditions.is_true(definition, TERMINATING)
        if served is not None and served.state.terminating != terminating:
            served.state.terminating = terminating
            self._catalogue.changed()

    def _resources(
        self, definition: Object, state: DefinitionState, *, fills_defaults: bool = True
    ) -> list[CustomResource]:
        """Creates a CustomResource for each version of a CRD, including versions that are not served.

        `fills_defaults`: whether the server fills in defaults when it reads a stored object.
        """
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
        from fakeapi.registry.webhooks.conversion import ConversionWebhook  # noqa: PLC0415 - few definitions use webhooks

        quirks = self._catalogue.primary.quirks
        return Conversions(ConversionWebhook.of_definition(definition, self._server.webhooks, quirks))

    def _unserved(self, definition: Object, *, fills_defaults: bool = True) -> CustomResource:
        """Creates a CustomResource that is not in the catalogue, to delete the custom objects of a CRD."""
        return self._resources(definition, DefinitionState(), fills_defaults=fills_defaults)[0]

    def _withdraw(self, name: str) -> None:
        served = self._served.pop(name, None)
        if served is not None:
            self._catalogue.remove(*served.resources)

    def _has_built_in(self, resource: CustomResource) -> bool:
        kind = resource.kind
        return self._catalogue.find(kind.group, kind.version, kind.resource) is not None

    def _overlaps(self, definition: Object) -> bool:
        """Whether a built-in resource stores its objects under the same storage keys as the CRD."""
        group, plural = definition["spec"]["group"], definition["spec"]["names"]["plural"]
        return self._catalogue.has_built_in(group) and any(
            resource.kind.group == group
            and resource.kind.resource == plural
            and not resource.kind.unstructured
            for resource in self._catalogue.resources
        )

    # reading ------------------------------------------------------------------------------------

    @property
    def _resource(self) -> Resource:
        """The resource `customresourcedefinitions`."""
        resource = self._catalogue.find(GROUP, VERSION, RESOURCE)
        assert resource is not None, "definitions are served where there are some"
        return resource
