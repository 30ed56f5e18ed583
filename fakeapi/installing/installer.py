"""Installer: applies manifests through the API of a server, like any client.

Uses server-side apply. If an existing object equals its manifest, the object does not change.
"""

import asyncio
import copy
from collections.abc import Mapping

from fakeapi.clients.discovery import served_resources
from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource, version_path
from fakeapi.clients.verbs import Verbs
from fakeapi.installing.plan import Plan, described
from fakeapi.installing.references import Identities, Reference, references_of
from fakeapi.installing.sources import InstallError, Manifest
from fakeapi.machinery.json_types import Object

AGENT = "fakeapi-install"
"""The User-Agent of the requests, and the field manager of the applied objects."""

SERVED_SECONDS = 30.0
"""Maximum number of seconds until the server serves a new CustomResourceDefinition.

After this time, the installation raises InstallError.
"""

_POLL_SECONDS = 0.02
_DEFAULT = "default"
_SOME_UID = "00000000-0000-0000-0000-000000000000"
"""The uid, in dry runs, of a referenced object that does not exist yet."""


class Installer:
    """A client of one server that applies plans.

    The installer adds uids to references, such as `metadata.ownerReferences` and `spec.claimRef`. A reference
    without a uid gets the uid of the object that it names.
    """

    agent = AGENT
    validation = "Strict"
    """The query parameter `fieldValidation` of each write: Strict, Warn or Ignore."""

    def __init__(self, api: Verbs) -> None:
        self._api = api
        self._served: dict[str, dict[str, ServedResource]] = {}
        self._uids = Identities()

    async def check(self, plan: Plan) -> None:
        """Checks the manifests of a plan with dry runs. Raises InstallError for the first refused object.

        Skips objects that the server cannot check yet:

        - objects in namespaces that the plan creates,
        - custom resources whose CustomResourceDefinition is only in the plan.
        """
        defined, namespaces = plan.defined_kinds(), plan.namespaces
        for manifest in plan.manifests:
            key = manifest.obj["apiVersion"], manifest.obj["kind"]
            kind = await self._kind(*key)
            try:
                if kind is None and key not in defined:
                    raise manifest.error(
                        f"the server has no {key[1]} in {key[0]}, and no manifest defines it"
                    )
                if kind is not None and not (kind.namespaced and namespace_of(manifest) in namespaces):
                    await self._apply(manifest, kind, dry_run=True)
            except InstallError as error:
                self.refused(error)
            self.advanced()

    async def install(self, plan: Plan) -> list[Object]:
        """Applies the manifests of a plan in order; returns the stored objects.

        Then waits until the server serves all CustomResourceDefinitions of the plan. Raises InstallError for
        the first refused object; the objects before it stay.
        """
        stored = []
        waiting = plan.defined_kinds()
        definitions = {id(definition) for definition in plan.definitions}
        served = []
        for manifest in plan.manifests:
            try:
                kind = await self._kind_now(manifest, waiting if id(manifest) not in definitions else {})
                obj = await self._apply(manifest, kind)
            except InstallError as error:
                self.refused(error)
                for key in Plan([manifest]).defined_kinds():
                    waiting.pop(key, None)
            else:
                self._uids.add(obj, obj["metadata"].get("uid", ""), kind.plural)
                stored.append(obj)
                served += [manifest] if id(manifest) in definitions else []
                self.applied(manifest, kind, obj)
            self.advanced()
        await self._all_served(Plan(served))
        return stored

    def advanced(self) -> None:
        """Called after each manifest, by `check` and by `install`. Subclasses can report progress."""

    def applied(self, manifest: Manifest, kind: ServedResource, obj: Object) -> None:
        """Called by `install` after the server has stored the object of a manifest.

        Does nothing. Subclasses can count the objects, or remember objects for later requests.

        - `manifest`: the manifest of the object.
        - `kind`: the served resource of the object.
        - `obj`: the stored object.
        """

    def refused(self, error: InstallError) -> None:
        """Called for each refused object. Raises the error, which ends the installation.

        A subclass can return instead; the installation then continues.
        """
        raise error

    async def _all_served(self, plan: Plan) -> None:
        for definition in plan.definitions:
            for api_version, kind in Plan([definition]).defined_kinds():
                await self._served_now(api_version, kind, definition)

    async def _kind_now(
        self, manifest: Manifest, defined: Mapping[tuple[str, str], ServedResource]
    ) -> ServedResource:
        """Returns the resource of a manifest. Raises InstallError if the server does not serve this resource.

        `defined`: the kinds that the plan defines. First waits until the server serves the kind, if the plan
        defines the kind.
        """
        api_version, name = manifest.obj["apiVersion"], manifest.obj["kind"]
        if (api_version, name) in defined:
            await self._served_now(api_version, name, manifest)
        kind = await self._kind(api_version, name)
        if kind is None:
            raise manifest.error(f"the server has no {name} in {api_version}")
        return kind

    async def _served_now(self, api_version: str, kind: str, manifest: Manifest) -> None:
        """Waits until the server serves a kind. Raises InstallError after SERVED_SECONDS.

        `manifest`: the object that needs the kind, for the message of the error.
        """
        until = asyncio.get_running_loop().time() + SERVED_SECONDS
        while await self._kind(api_version, kind, fresh=True) is None:
            if asyncio.get_running_loop().time() > until:
                raise manifest.error(f"{kind} of {api_version} is not served after {SERVED_SECONDS:.0f} s")
            await asyncio.sleep(_POLL_SECONDS)

    async def _kind(self, api_version: str, kind: str, *, fresh: bool = False) -> ServedResource | None:
        """Returns the resource of a kind; None if the server does not serve the kind.

        `fresh`: whether to repeat the discovery if the earlier discovery did not contain the kind. Raises
        InstallError if the discovery request fails.
        """
        known = self._served.get(api_version)
        if known is None or (fresh and kind not in known):
            known = self._served[api_version] = await self._discovered(api_version)
        return known.get(kind)

    async def _discovered(self, api_version: str) -> dict[str, ServedResource]:
        try:
            resources = served_resources(api_version, await self._api.get(version_path(api_version)))
        except StatusError as error:
            if error.is_not_found:
                return {}
            raise InstallError(f"cannot discover {api_version}: {error}") from error
        return {resource.kind: resource for resource in resources}

    async def _get(self, path: str) -> Object | None:
        try:
            return await self._api.get(path)
        except StatusError as error:
            if error.is_not_found:
                return None
            raise

    async def _apply(self, manifest: Manifest, kind: ServedResource, *, dry_run: bool = False) -> Object:
        path = kind.path(namespace_of(manifest), manifest.obj["metadata"]["name"])
        query = {"fieldManager": self.agent, "force": "true", "fieldValidation": self.validation}
        if dry_run:
            query["dryRun"] = "All"
        try:
            if _says_nothing(manifest.obj) and (existing := await self._get(path)) is not None:
                return existing
            body = await self.with_uids(manifest, status=False, dry_run=dry_run)
            return await self.send(kind, path, body, query)
        except StatusError as error:
            raise manifest.error(f"{described(manifest.obj)}: {one_line(str(error))}") from error

    async def send(self, kind: ServedResource, path: str, body: Object, query: dict[str, str]) -> Object:
        """Applies an object (server-side apply); returns the stored object.

        - `kind`: the resource of the object.
        - `path`: the path of the object.
        - `query`: the query parameters.

        Raises StatusError if the request fails.
        """
        return await self._api.patch(path, body, "apply", **query)

    async def with_uids(self, manifest: Manifest, *, status: bool, dry_run: bool = False) -> Object:
        """Returns the object of a manifest, with uids in its references.

        - `status`: whether to include references in the status.
        - `dry_run`: whether references to missing objects get a placeholder as uid.

        Without `dry_run`, an owner reference to a missing object raises InstallError. Other references to
        missing objects stay without a uid.
        """
        if not any(self.is_open(reference) for reference in references_of(manifest.obj, status=status)):
            return manifest.obj
        obj = copy.deepcopy(manifest.obj)
        for reference in references_of(obj, status=status):
            if not self.is_open(reference):
                continue
            uid = self._uids.find(reference) or await self._live_uid(reference, namespace_of(manifest))
            if uid or dry_run:
                reference.holder["uid"] = uid or _SOME_UID
            else:
                self.without_target(manifest, obj, reference)
        return obj

    def is_open(self, reference: Reference) -> bool:
        """Whether the installation must find the uid of the referenced object."""
        return not reference.uid

    def without_target(self, manifest: Manifest, obj: Object, reference: Reference) -> None:
        """Called for a reference to a missing object. Raises InstallError if it is an owner reference.

        A subclass can remove the reference from `obj` instead.
        """
        if reference.is_owner:
            raise manifest.error(f"{described(manifest.obj)}: its owner {reference} does not exist")

    async def _live_uid(self, reference: Reference, namespace: str) -> str:
        """Reads the uid of the referenced object from the server; "" if the object does not exist.

        `namespace`: the namespace of the object if the reference does not name one. Raises StatusError if the
        request fails.
        """
        holder = reference.holder
        api_version, kind_name = holder.get("apiVersion"), holder.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind_name, str):
            return ""
        kind = await self._kind(api_version, kind_name)
        if kind is None:
            return ""
        obj = await self._get(kind.path(str(holder.get("namespace") or namespace), holder["name"]))
        return "" if obj is None else str(obj["metadata"]["uid"])


def namespace_of(manifest: Manifest) -> str:
    """Returns the namespace in the metadata of a manifest, or "default" if it has none."""
    namespace: str = manifest.obj["metadata"].get("namespace") or _DEFAULT
    return namespace


def _says_nothing(obj: Object) -> bool:
    """Whether a manifest contains only the type, name and namespace of an object.

    The installer does not apply such a manifest to an existing object. Otherwise, repeated applies would
    change the managedFields of the object, although the manifest sets no field.
    """
    return obj.keys() <= {"apiVersion", "kind", "metadata"} and obj["metadata"].keys() <= {
        "name",
        "namespace",
    }


def one_line(text: str) -> str:
    """Joins the lines of a text: replaces each sequence of whitespace by one space."""
    return " ".join(text.split())
