"""Installer: applies a plan through the API of a server, as a client of its own.

Objects are applied by server-side apply, so that what is there already and alike stays as it is.
"""

import asyncio

from fakeapi.controllers.api import API, Refused
from fakeapi.installing.plan import Kind, Plan, described
from fakeapi.installing.sources import InstallError, Manifest
from fakeapi.machinery.json_types import Object

AGENT = "fakeapi-install"
"""The User-Agent of the requests, and the field manager of what is applied."""

SERVED_SECONDS = 30.0
"""Timeout for a definition to be served; after it the installation fails."""

_POLL_SECONDS = 0.02
_DEFAULT = "default"


class Installer:
    """Applies plans to one server."""

    def __init__(self, api: API) -> None:
        self._api = api
        self._served: dict[str, dict[str, Kind]] = {}

    async def check(self, plan: Plan) -> None:
        """Dry runs of all that can be tried before anything is there. Raises InstallError.

        Objects of kinds that the plan defines, or in namespaces that it makes, cannot be tried.
        """
        defined, made = plan.defined_kinds(), plan.namespaces
        for each in plan.manifests:
            key = each.obj["apiVersion"], each.obj["kind"]
            kind = await self._kind(*key)
            if kind is None and key not in defined:
                raise each.error(f"the server has no {key[1]} in {key[0]}, and no manifest defines it")
            if kind is not None and not (kind.namespaced and _namespace(each) in made):
                await self._apply(each, kind, dry_run=True)

    async def install(self, plan: Plan) -> list[Object]:
        """Applies the plan; returns the objects as they are stored, in the order in which they were applied.

        Raises InstallError at the first that is refused; those before it stay.
        """
        stored = []
        waiting = plan.defined_kinds()
        definitions = {id(each) for each in plan.definitions}
        for each in plan.manifests:
            key = each.obj["apiVersion"], each.obj["kind"]
            if id(each) not in definitions and key in waiting:
                await self._served_now(*key, each)
            kind = await self._kind(*key)
            if kind is None:
                raise each.error(f"the server has no {key[1]} in {key[0]}")
            stored.append(await self._apply(each, kind))
        await self._all_served(plan)
        return stored

    async def _all_served(self, plan: Plan) -> None:
        for each in plan.definitions:
            for api_version, kind in Plan([each]).defined_kinds():
                await self._served_now(api_version, kind, each)

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
        return {
            each["kind"]: Kind(api_version, each["name"], each["namespaced"])
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
        path = kind.path(_namespace(manifest), manifest.obj["metadata"]["name"])
        query = {"fieldManager": AGENT, "force": "true", "fieldValidation": "Strict"}
        if dry_run:
            query["dryRun"] = "All"
        try:
            if _says_nothing(manifest.obj) and (found := await self._found(path)) is not None:
                return found
            return await self._api.patch(path, manifest.obj, "apply", **query)
        except Refused as error:
            raise manifest.error(f"{described(manifest.obj)}: {_one_line(str(error))}") from error


def _namespace(manifest: Manifest) -> str:
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


def _one_line(text: str) -> str:
    return " ".join(text.split())
