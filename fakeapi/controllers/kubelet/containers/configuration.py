"""ConfigurationResolver: resolves the spec of a container, as a kubelet does before the start."""

from collections.abc import Iterable
from pathlib import Path

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.kubelet.containers import cdi
from fakeapi.controllers.kubelet.containers.environment import environment
from fakeapi.controllers.kubelet.containers.expansion import expand
from fakeapi.controllers.kubelet.containers.non_root import check_non_root
from fakeapi.controllers.kubelet.containers.runtime import (
    ContainerConfig,
    ContainerRun,
    ContainerStartError,
    Mount,
)
from fakeapi.controllers.kubelet.prepared import Prepared, PreparedClaim
from fakeapi.controllers.pod_claims import ClaimNameUnknown, claim_of_pod
from fakeapi.machinery.json_types import Object


class ConfigurationResolver:
    """Resolves the environment, command, mounts and CDI devices of the containers of one node."""

    def __init__(
        self,
        context: ControllerContext,
        api: InProcessClient,
        node_informer: Informer,
        service_informer: Informer,
        prepared: Prepared,
        directory: Path,
    ) -> None:
        """Prepares the resolver. `directory`: the directory of the node, with CDI files in the subdirectory
        `cdi`.
        """
        self._context = context
        self._api = api
        self._nodes = node_informer
        self._services = service_informer
        self._prepared = prepared
        self._directories = (*cdi.DIRECTORIES, directory / cdi.NODE_DIRECTORY)
        self._by_pod = not context.has_field("", "pods", "status", "resourceClaimStatuses")

    async def resolve(self, run: ContainerRun) -> ContainerConfig:
        """Returns the resolved configuration of a container.

        Raises ContainerStartError if a ConfigMap, Secret or key is missing, a reference is invalid, or
        runAsUser breaks runAsNonRoot. Raises StatusError if a request fails.
        """
        container = run.container
        check_non_root(run)
        values = await environment(run, self)
        names = self.cdi_devices(run.pod, container)
        edits = cdi.edits_of(names, self._directories)
        return ContainerConfig(
            command=tuple(expand(part, values) for part in container.get("command") or ()),
            args=tuple(expand(part, values) for part in container.get("args") or ()),
            env={**values, **edits.env},
            working_dir=container.get("workingDir", ""),
            cdi_devices=names,
            devices=edits.devices,
            mounts=(*_mounts(run, values), *edits.mounts),
        )

    def cdi_devices(self, pod: Object, container: Object) -> tuple[str, ...]:
        """Returns the names of the CDI devices that a container uses, without duplicates."""
        entries = {entry.claim.name: entry for entry in self._prepared.of_pod(pod["metadata"]["uid"])}
        claims = {claim["name"]: claim for claim in pod["spec"].get("resourceClaims") or ()}
        names: list[str] = []
        for used in (container.get("resources") or {}).get("claims") or ():
            try:
                name = claim_of_pod(pod, claims[used["name"]], by_pod=self._by_pod)
            except (ClaimNameUnknown, KeyError):
                continue
            if name in entries:
                names += _devices(entries[name], used.get("request", ""))
        extended = pod["status"].get("extendedResourceClaimStatus") or {}
        entry = entries.get(extended.get("resourceClaimName", ""))
        for mapping in extended.get("requestMappings") or () if entry is not None else ():
            if mapping["containerName"] == container["name"] and entry is not None:
                names += _devices(entry, mapping["requestName"])
        return tuple(dict.fromkeys(names))

    # methods of the protocol Sources ----------------------------------------------------------------

    async def config_map(self, namespace: str, name: str) -> Object | None:
        return await self._get("configmaps", namespace, name)

    async def secret(self, namespace: str, name: str) -> Object | None:
        return await self._get("secrets", namespace, name)

    def services(self) -> Iterable[Object]:
        return self._services.objects.values()

    def node(self, name: str) -> Object | None:
        return self._nodes.get("", name)

    async def _get(self, plural: str, namespace: str, name: str) -> Object | None:
        try:
            return await self._api.get(self._context.served("", plural).path(namespace, name))
        except StatusError as problem:
            if problem.is_not_found:
                return None
            raise


def _devices(entry: PreparedClaim, request: str) -> list[str]:
    return [
        name
        for devices in entry.devices.values()
        for device in devices
        if not request or not device.requests or request in {part.split("/")[0] for part in device.requests}
        for name in device.cdi_devices
    ]


def _mounts(run: ContainerRun, values: dict[str, str]) -> list[Mount]:
    volumes = {volume["name"]: volume for volume in run.pod["spec"].get("volumes") or ()}
    mounts = []
    for mount in run.container.get("volumeMounts") or ():
        sub_path = mount.get("subPath", "")
        if mount.get("subPathExpr"):
            sub_path = expand(mount["subPathExpr"], values)
            if "$(" in sub_path:
                raise ContainerStartError(
                    "CreateContainerConfigError", f"failed to expand subPath {mount['subPathExpr']}"
                )
        host_path = (volumes.get(mount["name"], {}).get("hostPath") or {}).get("path", "")
        mounts.append(
            Mount(mount["mountPath"], mount["name"], host_path, sub_path, bool(mount.get("readOnly")))
        )
    return mounts
