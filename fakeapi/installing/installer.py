"""Installer: applies a plan through the API of a server, as a client of its own.

Objects are applied by server-side apply, so that what is there already and alike stays as it is.
"""

import asyncio
import copy
from collections.abc import Mapping
from typing import Any, Protocol

from fakeapi.controllers.api import Refused
from fakeapi.installing.plan import Kind, Plan, described
from fakeapi.installing.references import Identities, Reference, references_of
from fakeapi.installing.sources import InstallError, Manifest
from fakeapi.machinery.json_types import Object

AGENT = "fakeapi-install"
"""The User-Agent of the requests, and the field manager of what is applied."""

SERVED_SECONDS = 30.0
"""Timeout for a definition to be served; after it the installation fails."""

_POLL_SECONDS = 0.02
_DEFAULT = "default"
_SOME_UID = "00000000-0000-0000-0000-000000000000"
"""In a dry run, for an owner that is not there yet."""


class Server(Protocol):
    """The API of a server as an installation asks it. Every method raises Refused."""

    async def get(self, path: str) -> Object: ...

    async def create(self, path: str, obj: Object, **query: str) -> Object: ...

    async def patch(self, path: str, patch: Any, kind: str = "merge", **query: str) -> Object: ...


class Installer:
    """Applies plans to one server.

    A reference by uid that has none (`metadata.ownerReferences`, `spec.claimRef`) gets that of the object
    of this name.
    """

    agent = AGENT
    validation = "Strict"
    """The `fieldValidation` of each write: Strict, Warn or Ignore."""

    def __init__(self, api: Server) -> None:
        self._api = api
        self._served: dict[str, dict[str, Kind]] = {}
        self._uids = Identities()

    async def check(self, plan: Plan) -> None:
        """Dry runs of all that can be tried before anything is there. Raises InstallError.

        Objects of kinds that the plan defines, or in namespaces that it makes, cannot be tried.
        """
        defined, made = plan.defined_kinds(), plan.namespaces
        for each in plan.manifests:
            key = each.obj["apiVersion"], each.obj["kind"]
            kind = await self._kind(*key)
            try:
                if kind is None and key not in defined:
                    raise each.error(f"the server has no {key[1]} in {key[0]}, and no manifest defines it")
                if kind is not None and not (kind.namespaced and namespace_of(each) in made):
                    await self._apply(each, kind, dry_run=True)
            except InstallError as error:
                self.refused(error)
            self.advanced()

    async def install(self, plan: Plan) -> list[Object]:
        """Applies the plan; returns the objects as they are stored, in the order in which they were applied.

        Raises InstallError at the first that is refused; those before it stay.
        """
        stored = []
        waiting = plan.defined_kinds()
        definitions = {id(each) for each in plan.definitions}
        served = []
        for each in plan.manifests:
            try:
                kind = await self._kind_now(each, waiting if id(each) not in definitions else {})
                obj = await self._apply(each, kind)
            except InstallError as error:
                self.refused(error)
                for key in Plan([each]).defined_kinds():
                    waiting.pop(key, None)
            else:
                self._uids.add(obj, obj["metadata"].get("uid", ""), kind.plural)
                stored.append(obj)
                served += [each] if id(each) in definitions else []
                self.applied(each, kind, obj)
            self.advanced()
        await self._all_served(Plan(served))
        return stored

    def advanced(self) -> None:
        """Called after each manifest, in a check as well."""

    def applied(self, manifest: Manifest, kind: Kind, obj: Object) -> None:
        """Called with each object as it is stored."""

    def refused(self, error: InstallError) -> None:
        """Called with what the server refused; ends the installation unless it returns."""
        raise error

    async def _all_served(self, plan: Plan) -> None:
        for each in plan.definitions:
            for api_version, kind in Plan([each]).defined_kinds():
                await self._served_now(api_version, kind, each)

    async def _kind_now(self, manifest: Manifest, defined: Mapping[tuple[str, str], Kind]) -> Kind:
        """The kind of a manifest, which is waited for where it was defined. Raises InstallError."""
        api_version, name = manifest.obj["apiVersion"], manifest.obj["kind"]
        if (api_version, name) in defined:
            await self._served_now(api_version, name, manifest)
        kind = await self._kind(api_version, name)
        if kind is None:
            raise manifest.error(f"the server has no {name} in {api_version}")
        return kind

    async def _served_now(self, api_version: str, kind: str, manifest: Manifest) -> None:
        """Waits until a kind is served."""
        until = asyncio.get_running_loop().time() + SERVED_SECONDS
        while await self._kind(api_version, kind, fresh=True) is None:
            if asyncio.get_running_loop().time() > until:
                raise manifest.error(f"{kind} of {api_version} is not served after {SERVED_SECONDS:.0f} s")
            await asyncio.sleep(_POLL_SECONDS)

    async def _kind(self, api_version: str, kind: str, *, fresh: bool = False) -> Kind | None:
        """The path of a kind; None if it is not served. `fresh`: ask discovery again if unknown."""
        known = self._served.get(api_version)
        if known is None or (fresh and kind not in known):
            known = self._served[api_version] = await self._discovered(api_version)
        return known.get(kind)

    async def _discovered(self, api_version: str) -> dict[str, Kind]:
        root = "/apis/" if "/" in api_version else "/api/"
        try:
            listed = await self._api.get(root + api_version)
        except Refused as error:
            if error.is_missing:
                return {}
            raise InstallError(f"cannot discover {api_version}: {error}") from error
        names = {each["name"] for each in listed["resources"]}
        return {
            each["kind"]: Kind(
                api_version, each["name"], each["namespaced"], f"{each['name']}/status" in names
            )
            for each in listed["resources"]
            if "/" not in each["name"]
        }

    async def _found(self, path: str) -> Object | None:
        try:
            return await self._api.get(path)
        except Refused as error:
            if error.is_missing:
                return None
            raise

    async def _apply(self, manifest: Manifest, kind: Kind, *, dry_run: bool = False) -> Object:
        path = kind.path(namespace_of(manifest), manifest.obj["metadata"]["name"])
        query = {"fieldManager": self.agent, "force": "true", "fieldValidation": self.validation}
        if dry_run:
            query["dryRun"] = "All"
        try:
            if _says_nothing(manifest.obj) and (found := await self._found(path)) is not None:
                return found
            body = await self.with_uids(manifest, status=False, dry_run=dry_run)
            return await self.send(kind, path, body, query)
        except Refused as error:
            raise manifest.error(f"{described(manifest.obj)}: {one_line(str(error))}") from error

    async def send(self, kind: Kind, path: str, body: Object, query: dict[str, str]) -> Object:
        """Applies an object; returns it as it is stored. Raises Refused."""
        return await self._api.patch(path, body, "apply", **query)

    async def with_uids(self, manifest: Manifest, *, status: bool, dry_run: bool = False) -> Object:
        """The object with the uids of what it refers to; the same one where it refers to nothing.

        Raises InstallError for an owner that is not there.
        """
        if not any(self.is_open(each) for each in references_of(manifest.obj, status=status)):
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
        """Whether the uid is looked for."""
        return not reference.uid

    def without_target(self, manifest: Manifest, obj: Object, reference: Reference) -> None:
        """Called for a reference to what is not there. Raises InstallError, or changes the object."""
        if reference.is_owner:
            raise manifest.error(f"{described(manifest.obj)}: its owner {reference} is not there")

    async def _live_uid(self, reference: Reference, namespace: str) -> str:
        """The uid of an object of the server; "" where there is none of the name."""
        holder = reference.holder
        api_version, kind_name = holder.get("apiVersion"), holder.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind_name, str):
            return ""
        kind = await self._kind(api_version, kind_name)
        if kind is None:
            return ""
        found = await self._found(kind.path(str(holder.get("namespace") or namespace), holder["name"]))
        return "" if found is None else str(found["metadata"]["uid"])


def namespace_of(manifest: Manifest) -> str:
    """The namespace that a manifest says, or `default`."""
    namespace: str = manifest.obj["metadata"].get("namespace") or _DEFAULT
    return namespace


def _says_nothing(obj: Object) -> bool:
    """Whether an object has a name and no more. An apply of it owns nothing, and so the next would begin to
    keep who owns the rest of it.
    """
    return obj.keys() <= {"apiVersion", "kind", "metadata"} and obj["metadata"].keys() <= {
        "name",
        "namespace",
    }


def one_line(text: str) -> str:
    """The text with its line breaks as spaces."""
    return " ".join(text.split())
