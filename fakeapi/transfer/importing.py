"""Imports manifests into a server, with the status of objects. Can continue after refused objects."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource
from fakeapi.clients.verbs import Verbs
from fakeapi.installing.installer import Installer, namespace_of, one_line
from fakeapi.installing.plan import Plan, described
from fakeapi.installing.references import Reference
from fakeapi.installing.sources import InstallError, Manifest
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.reading import Progress, no_progress

AGENT = "fakeapi-import"
"""The User-Agent of the requests, and the field manager of the applied objects."""

_OWN_STATUS = frozenset({"Namespace", "CustomResourceDefinition"})
"""Kinds whose status an import does not write, because the server writes it."""

_ALLOCATED = ("clusterIP", "clusterIPs", "healthCheckNodePort")
"""Fields of a Service with addresses and ports that a cluster allocates; another cluster may refuse them."""


@dataclass(slots=True)
class Imported:
    """The result of an import.

    - `objects`: the number of imported objects by resource, such as "deployments.apps".
    - `statuses`: the number of objects whose status was imported.
    - `problems`: one line for each object, status or owner that was left out.
    """

    objects: Counter[str] = field(default_factory=Counter)
    statuses: int = 0
    problems: list[str] = field(default_factory=list)


class Importer(Installer):
    """An Installer for `fakeapi import`, which applies one plan to one server.

    With `lenient`, for objects from another cluster:

    - A refused object becomes a problem in the result, and the import continues.
    - The server ignores unknown fields.
    - References to missing owners are removed.
    - A Service that the server refuses is applied again without its cluster IPs and node ports.
    """

    agent = AGENT

    def __init__(self, api: Verbs, *, lenient: bool = False, progress: Progress = no_progress) -> None:
        super().__init__(api)
        self.result = Imported()
        self._lenient = lenient
        self._progress = progress
        self._done = self._total = 0
        self._with_status: list[tuple[Manifest, ServedResource, Object]] = []
        if lenient:
            self.validation = "Ignore"

    async def run(self, plan: Plan, *, status: bool) -> Imported:
        """Applies the plan, and then writes the status of the objects if `status` is true.

        If the importer is not lenient, it first checks the plan with dry runs, and it raises InstallError for
        the first refused object.
        """
        self._total = len(plan.manifests) * (1 if self._lenient else 2)
        if not self._lenient:
            await self.check(plan)
        await self.install(plan)
        if status:
            self._total += len(self._with_status)
            for manifest, kind, stored in self._with_status:
                await self._import_status(manifest, kind, stored)
                self.advanced()
        return self.result

    async def dry_run(self, plan: Plan) -> Imported:
        """Checks the plan with dry runs, and counts the objects that `run` would apply.

        If the importer is not lenient, it raises InstallError for the first refused object.
        """
        self._total = len(plan.manifests)
        await self.check(plan)
        for manifest in plan.manifests:
            key = manifest.obj["apiVersion"], manifest.obj["kind"]
            kind = await self._kind(*key) or plan.defined_kinds().get(key)
            if kind is not None:
                self._count(kind)
        return self.result

    def _count(self, kind: ServedResource) -> None:
        self.result.objects[kind.qualified] += 1

    def advanced(self) -> None:
        self._done += 1
        self._progress(self._done, self._total, "")

    def applied(self, manifest: Manifest, kind: ServedResource, obj: Object) -> None:
        self._count(kind)
        if kind.has_status and manifest.obj.get("status") and manifest.obj["kind"] not in _OWN_STATUS:
            self._with_status.append((manifest, kind, obj))

    def refused(self, error: InstallError) -> None:
        if not self._lenient:
            raise error
        self.result.problems.append(str(error))

    def without_target(self, manifest: Manifest, obj: Object, reference: Reference) -> None:
        if not (self._lenient and reference.is_owner):
            super().without_target(manifest, obj, reference)
            return
        owners = [owner for owner in obj["metadata"]["ownerReferences"] if owner is not reference.holder]
        obj["metadata"]["ownerReferences"] = owners
        self.result.problems.append(f"{described(manifest.obj)}: its owner {reference}, which does not exist")

    def is_open(self, reference: Reference) -> bool:
        return super().is_open(reference) or (self._lenient and reference.is_owner)

    async def send(self, kind: ServedResource, path: str, body: Object, query: dict[str, str]) -> Object:
        try:
            return await super().send(kind, path, body, query)
        except StatusError as error:
            if error.code in {400, 500} and "typed" in error.message:
                return await self._create(path, body, query, error)
            reduced = _without_addresses(body) if self._lenient and error.code == 422 else None
            if reduced is None:
                raise
        return await super().send(kind, path, reduced, query)

    async def _create(self, path: str, body: Object, query: dict[str, str], refusal: StatusError) -> Object:
        """Creates an object that server-side apply rejects, for example because of duplicate keys in a list.

        If the create fails too, it raises the error of the apply (`refusal`).
        """
        asked = {name: value for name, value in query.items() if name != "force"}
        try:
            return await self._api.create(path.rpartition("/")[0], body, **asked)
        except StatusError:
            raise refusal from None

    async def _import_status(self, manifest: Manifest, kind: ServedResource, stored: Object) -> None:
        status = (await self.with_uids(manifest, status=True))["status"]
        patch = merge_patch(stored.get("status") or {}, status)
        if not patch:
            self.result.statuses += 1
            return
        path = kind.path(namespace_of(manifest), manifest.obj["metadata"]["name"])
        try:
            await self._api.patch(f"{path}/status", {"status": patch}, "merge", fieldManager=self.agent)
        except StatusError as error:
            words = f"{described(manifest.obj)}: status: {one_line(str(error))}"
            self.refused(manifest.error(words))
        else:
            self.result.statuses += 1


def merge_patch(old: Any, new: Any) -> Any:
    """Returns the JSON merge patch (RFC 7386) that changes `old` into `new`; {} for equal objects."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    patch: dict[str, Any] = {name: None for name in old if name not in new}
    for name, value in new.items():
        if name not in old:
            patch[name] = value
        elif old[name] != value:
            patch[name] = merge_patch(old[name], value)
    return patch


def _without_addresses(obj: Object) -> Object | None:
    """Copies a Service without its cluster IPs and node ports. Returns None for other kinds."""
    spec = obj.get("spec")
    if (obj["apiVersion"], obj["kind"]) != ("v1", "Service") or not isinstance(spec, dict):
        return None
    reduced = {name: value for name, value in spec.items() if name not in _ALLOCATED}
    ports = spec.get("ports")
    if isinstance(ports, list) and all(isinstance(port, dict) for port in ports):
        reduced["ports"] = [{k: v for k, v in port.items() if k != "nodePort"} for port in ports]
    return {**obj, "spec": reduced}
