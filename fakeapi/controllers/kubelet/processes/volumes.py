"""PodVolumes: writes the contents of a pod's volumes into directories of this machine.

Follows k8s.io/kubernetes `pkg/volume`. Writes the files of a volume when a container starts. A later change
of a Secret or ConfigMap appears only after a restart of the container.
"""

import base64
from collections.abc import Iterator
from pathlib import Path

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.containers.downward_api import field_value, resource_value
from fakeapi.controllers.kubelet.containers.runtime import ContainerRun, ContainerStartError
from fakeapi.controllers.kubelet.processes import in_cluster
from fakeapi.controllers.kubelet.processes.launch_message import ProcessMount
from fakeapi.controllers.kubelet.processes.node_paths import host_path, volume_path
from fakeapi.controllers.namespace import ROOT_CA
from fakeapi.machinery.json_types import Object

_MODE = 0o644
_MISSING = "ContainerCreating"
"""The reason of a container that waits for a volume, as in the status of a real pod."""

File = tuple[str, bytes, int]
"""The path of a file in its volume, its contents and its mode."""


class PodVolumes:
    """The volumes of one pod. `root`: the directory of the pod."""

    def __init__(self, context: ControllerContext, api: InProcessClient, root: Path) -> None:
        self._context = context
        self._api = api
        self._root = root

    async def mounts(self, run: ContainerRun) -> list[ProcessMount]:
        """Returns the mounts of a container, after writing the files of their volumes.

        Adds the mount of the service account's token if the container has none. Raises ContainerStartError
        if the source of a volume does not exist, or if its type is not supported.
        """
        volumes = {volume["name"]: volume for volume in run.pod["spec"].get("volumes") or ()}
        mounts = []
        for mount in run.config.mounts:
            if mount.name:
                place = await self._place(run, volumes[mount.name])
            else:  # The mount is from a CDI device.
                chosen = host_path(run.directory, mount.source, "Existing")
                place = ProcessMount(chosen.path, "", read_only=chosen.read_only)
            read_only = place.read_only or mount.read_only
            mounts.append(ProcessMount(place.source, mount.path, mount.sub_path, read_only))
        if all(mount.target.rstrip("/") != in_cluster.MOUNT_PATH for mount in mounts):
            directory = self._root / "volumes" / "kubernetes.io~projected" / "service-account"
            if await in_cluster.write_account(self._context, self._api, run.pod, directory):
                mounts.append(ProcessMount(directory, in_cluster.MOUNT_PATH, read_only=True))
        return mounts

    async def _place(self, run: ContainerRun, volume: Object) -> ProcessMount:
        """Creates a volume; returns its path on this machine as a mount without a target.

        Raises ContainerStartError if the volume's source does not exist or its type is not supported.
        """
        kinds = [kind for kind in volume if kind != "name"] or ["emptyDir"]
        kind = kinds[0]
        if kind == "hostPath":
            chosen = volume_path(run.directory, volume["hostPath"])
            return ProcessMount(chosen.path, "", read_only=chosen.read_only)
        directory = self._root / "volumes" / f"kubernetes.io~{kind.lower()}" / volume["name"]
        if kind == "emptyDir":
            _make(directory, 0o777)
            return ProcessMount(directory, "")
        sources = {"configMap", "secret", "downwardAPI", "projected"}
        if kind not in sources:
            problem = f"volume {volume['name']}: {kind} is not supported for containers that run as processes"
            raise ContainerStartError(_MISSING, problem)
        _make(directory, 0o755)
        source: Object = volume[kind] or {}
        listed = source.get("sources") or () if kind == "projected" else ({kind: source},)
        mode = source.get("defaultMode", _MODE)
        for entry in listed:
            for path, content, file_mode in await self._files(run, volume["name"], entry, mode):
                _write(directory, path, content, file_mode)
        return ProcessMount(directory, "", read_only=True)

    async def _files(self, run: ContainerRun, name: str, entry: Object, mode: int) -> list[File]:
        """Returns the files of one source of a volume.

        Raises ContainerStartError if the source does not exist.
        """
        [(kind, source)] = [(kind, source) for kind, source in entry.items() if source is not None]
        match kind:
            case "configMap" | "secret":
                return await self._keys(run, name, kind, source, mode)
            case "downwardAPI":
                items = source.get("items") or ()
                node = await self._node(run) if any(item.get("resourceFieldRef") for item in items) else None
                return [
                    (item["path"], _field(run, item, node).encode(), item.get("mode", mode)) for item in items
                ]
            case "serviceAccountToken":
                try:
                    text = await in_cluster.token(
                        self._context, self._api, run.pod, source.get("audience", ""),
                        source.get("expirationSeconds", in_cluster.TOKEN_SECONDS),
                    )  # fmt: skip
                except StatusError as error:
                    raise ContainerStartError(_MISSING, f"volume {name}: {error.message}") from None
                return [(source["path"], text.encode(), mode)]
        raise ContainerStartError(_MISSING, f"volume {name}: the source {kind} is not supported")

    async def _node(self, run: ContainerRun) -> Object | None:
        """Returns the Node of a container; None if the Node has been deleted."""
        try:
            return await self._api.get(self._context.served("", "nodes").path("", run.node))
        except StatusError as error:
            if error.is_not_found:
                return None
            raise ContainerStartError(_MISSING, error.message) from None

    async def _keys(self, run: ContainerRun, volume: str, kind: str, source: Object, mode: int) -> list[File]:
        """Returns the files of a ConfigMap or Secret. Follows `pkg/volume/configmap` (MakePayload).

        Raises ContainerStartError if the object or a key is missing and not optional.
        """
        plural = f"{kind.lower()}s"
        name = source.get("secretName") or source.get("name") or ""
        try:
            path = self._context.served("", plural).path(run.pod["metadata"]["namespace"], name)
            found = await self._api.get(path)
        except StatusError as error:
            if error.is_not_found and source.get("optional"):
                return []
            problem = f'MountVolume.SetUp failed for volume "{volume}" : {error.message}'
            raise ContainerStartError(_MISSING, problem) from None
        data = dict(_contents(kind, found))
        if name == ROOT_CA and not data.get("ca.crt"):  # without TLS, pods use another listener
            address = await self._context.cluster.in_cluster()
            data["ca.crt"] = b"" if address is None else address.ca.encode()
        items = source.get("items")
        if not items:
            return [(key, content, mode) for key, content in data.items()]
        files = []
        for item in items:
            if item["key"] in data:
                files.append((item["path"], data[item["key"]], item.get("mode", mode)))
            elif not source.get("optional"):
                raise ContainerStartError(
                    _MISSING, f"references non-existent {kind.lower()} key: {item['key']}"
                )
        return files


def _contents(kind: str, source: Object) -> Iterator[tuple[str, bytes]]:
    encoded = ("data",) if kind == "secret" else ("binaryData",)
    for field in encoded:
        for key, text in (source.get(field) or {}).items():
            yield key, base64.b64decode(text)
    if kind == "configMap":
        for key, text in (source.get("data") or {}).items():
            yield key, text.encode()


def _field(run: ContainerRun, item: Object, node: Object | None) -> str:
    """Returns the text of a file of the downward API.

    `node`: the Node, whose allocatable resources replace missing limits. Raises ContainerStartError for an
    unknown field.
    """
    try:
        if item.get("fieldRef") is not None:
            return field_value(run, item["fieldRef"]["fieldPath"])
        return resource_value(run, item["resourceFieldRef"], node)
    except ValueError as error:
        raise ContainerStartError(_MISSING, str(error)) from None


def _make(directory: Path, mode: int) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(mode)
    except OSError as error:
        raise ContainerStartError(_MISSING, f"volume: {error}") from None


def _write(directory: Path, path: str, content: bytes, mode: int) -> None:
    """Writes a file of a volume. Raises ContainerStartError if the path leaves the volume."""
    target = directory / path
    if ".." in target.parts or not target.is_relative_to(directory):
        raise ContainerStartError(_MISSING, f"volume: the path {path} leaves the volume")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.write_bytes(content)
        target.chmod(mode)
    except OSError as error:
        raise ContainerStartError(_MISSING, f"volume: {path}: {error.strerror}") from None
