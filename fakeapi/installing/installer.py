"""Installer: applies a plan through the API of a server, like any client.

It uses server-side apply, so that existing objects that are equal do not change.
"""

import asyncio
import copy
from collections.abc import Mapping
from typing import Any, Protocol

from fakeapi.clients.discovery import served_resources
from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource, version_path
from fakeapi.installing.plan import Plan, described
from fakeapi.installing.references import Identities, Reference, references_of
from fakeapi.installing.sources import InstallError, Manifest
from fakeapi.machinery.json_types import Object

AGENT = "fakeapi-install"
"""The User-Agent of the requests, and the field manager of the applied objects."""

SERVED_SECONDS = 30.0
"""Seconds to wait until the server serves a new definition; after that the installation fails."""

_POLL_SECONDS = 0.02
_DEFAULT = "default"
_SOME_UID = "00000000-0000-0000-0000-000000000000"
"""Placeholder in dry runs for the uid of an owner that does not exist yet."""


class Server(Protocol):
    """The methods of an API server that an installation needs. Each raises StatusError."""

    async def get(self, path: str) -> Object: ...

    async def create(self, path: str, obj: Object, **query: str) -> Object: ...

    async def patch(self, path: str, patch: Any, kind: str = "merge", **query: str) -> Object: ...


class Installer:
    """Applies plans to one server.

    A reference without a uid (`metadata.ownerReferences`, `spec.claimRef`) gets the uid of the object that it
    names.
    """

    agent = AGENT
    validation = "Strict"
    """The `fieldValidation` of each write: Strict, Warn or Ignore."""

    def __init__(self, api: Server) -> None:
        self._api = api
        self._served: dict[str, dict[str, ServedResource]] = {}
        self._uids = Identities()

    async def check(self, plan: Plan) -> None:
        """Checks the plan with dry runs, before the first object is created. Raises InstallError.

        Objects of kinds that the plan defines, or in namespaces that the plan creates, cannot be checked.
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
        """Applies the plan; returns the stored objects in the order of applying.

        Raises InstallError for the first refused object; earlier objects stay.
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
        """Called after each manifest, both in `check` and in `install`."""

    def applied(self, manifest: Manifest, kind: ServedResource, obj: Object) -> None:
        """Called with each stored object."""

    def refused(self, error: InstallError) -> None:
        """Called with each refusal; raises it to end the installation, or returns to continue."""
        raise error

    async def _all_served(self, plan: Plan) -> None:
        for definition in plan.definitions:
            for api_version, kind in Plan([definition]).defined_kinds():
                await self._served_now(api_version, kind, definition)

    async def _kind_now(
        self, manifest: Manifest, defined: Mapping[tuple[str, str], ServedResource]
    ) -> ServedResource:
        """Returns the kind of a manifest; waits for it if the plan defines it. Raises InstallError."""
        api_version, name = manifest.obj["apiVersion"], manifest.obj["kind"]
        if (api_version, name) in defined:
            await self._served_now(api_version, name, manifest)
        kind = await self._kind(api_version, name)
        if kind is None:
            raise manifest.error(f"the server has no {name} in {api_version}")
        return kind

    async def _served_now(self, api_version: str, kind: str, manifest: Manifest) -> None:
        """Waits until the server serves a kind. Raises InstallError after SERVED_SECONDS."""
        until = asyncio.get_running_loop().time() + SERVED_SECONDS
        while await self._kind(api_version, kind, fresh=True) is None:
            if asyncio.get_running_loop().time() > until:
                raise manifest.error(f"{kind} of {api_version} is not served after {SERVED_SECONDS:.0f} s")
            await asyncio.sleep(_POLL_SECONDS)

    async def _kind(self, api_version: str, kind: str, *, fresh: bool = False) -> ServedResource | None:
        """Returns a kind, or None if the server does not serve it.

        `fresh`: an unknown kind is discovered again.
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
        """Applies an object; returns the stored one. Raises StatusError."""
        return await self._api.patch(path, body, "apply", **query)

    async def with_uids(self, manifest: Manifest, *, status: bool, dry_run: bool = False) -> Object:
        """Returns the object, or a copy with the uids that its references lack.

        Raises InstallError if an owner does not exist.
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
        """Whether the installation looks up the uid of the reference."""
        return not reference.uid

    def without_target(self, manifest: Manifest, obj: Object, reference: Reference) -> None:
        """Called for a reference to a missing object. Raises InstallError, or changes the object."""
        if reference.is_owner:
            raise manifest.error(f"{described(manifest.obj)}: its owner {reference} does not exist")

    async def _live_uid(self, reference: Reference, namespace: str) -> str:
        """Returns the uid of an object in the server, or "" if it does not exist."""
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
    """Returns the namespace of a manifest, by default `default`."""
    namespace: str = manifest.obj["metadata"].get("namespace") or _DEFAULT
    return namespace


def _says_nothing(obj: Object) -> bool:
    """Whether an object has only a name.

    Applying such an object would own no fields. The next apply would then start to track the owners of the
    other fields.
    """
    return obj.keys() <= {"apiVersion", "kind", "metadata"} and obj["metadata"].keys() <= {
        "name",
        "namespace",
    }


def one_line(text: str) -> str:
    """Replaces the line breaks of a text by spaces."""
    return " ".join(text.split())
