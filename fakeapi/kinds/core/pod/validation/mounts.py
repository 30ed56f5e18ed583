"""Validates the volume mounts and block devices of a container.

Follows `ValidateVolumeMounts` and `ValidateVolumeDevices` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Mapping

from fakeapi.kinds.common.file_paths import validate_descending, validate_no_backsteps
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import duplicate, forbidden, invalid, not_found, not_supported, required
from fakeapi.machinery.json_types import Object

_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE_READ_ONLY = ("Disabled", "Enabled", "IfPossible")
_BIND_OPTIONS = ("nodev", "noexec", "nosuid")


def mount_errors(container: Object, volumes: Mapping[str, Object], path: str, checks: PodChecks) -> Errors:
    """Validates the volume mounts of a container.

    - `volumes`: the valid volumes of the pod by name
    - `path`: the path of `volumeMounts`
    """
    seen: set[str] = set()
    devices = {device.get("name", ""): device for device in container.get("volumeDevices") or ()}
    device_paths = {device.get("devicePath", "") for device in devices.values()}
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        place = f"{path}[{index}]"
        name, target = mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            yield required(f"{place}.name")
        if name not in volumes:
            yield not_found(f"{place}.name", name)
        if not target:
            yield required(f"{place}.mountPath")
        if target in seen:
            yield invalid(f"{place}.mountPath", target, "must be unique")
        seen.add(target)
        yield from _image_volume_errors(mount, volumes.get(name), place, checks)
        if name in devices:
            yield invalid(f"{place}.name", name, "must not already exist in volumeDevices")
        if target in device_paths:
            rule = "must not already exist as a path in volumeDevices"
            yield invalid(f"{place}.mountPath", target, rule)
        yield from _option_errors(mount, container, (path, place), checks)
        yield from _bind_option_errors(mount, volumes.get(name), f"{place}.bindMountOptions", checks)


def device_errors(container: Object, volumes: Mapping[str, Object], path: str) -> Errors:
    """Validates the block devices of a container.

    - `volumes`: the valid volumes of the pod by name
    - `path`: the path of `volumeDevices`
    """
    names: set[str] = set()
    paths: set[str] = set()
    mounts = {
        mount.get("name", ""): mount.get("mountPath", "") for mount in container.get("volumeMounts") or ()
    }
    for index, device in enumerate(container.get("volumeDevices") or ()):
        place = f"{path}[{index}]"
        name, target = device.get("name", ""), device.get("devicePath", "")
        volume = volumes.get(name)
        if not name:
            yield required(f"{place}.name")
        if name in names:
            yield invalid(f"{place}.name", name, "must be unique")
        if volume is not None and "persistentVolumeClaim" not in volume and "ephemeral" not in volume:
            rule = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            yield invalid(f"{place}.name", name, rule)
        if volume is None:
            yield not_found(f"{place}.name", name)
        if not target:
            yield required(f"{place}.devicePath")
        if target in paths:
            yield invalid(f"{place}.devicePath", target, "must be unique")
        if validate_no_backsteps(target, ""):
            yield invalid(f"{place}.devicePath", target, "can not contain backsteps ('..')")
        else:
            paths.add(target)
        if name in mounts:
            yield invalid(f"{place}.name", name, "must not already exist in volumeMounts")
        if target in mounts.values():
            rule = "must not already exist as a path in volumeMounts"
            yield invalid(f"{place}.devicePath", target, rule)
        if name:
            names.add(name)


def _image_volume_errors(mount: Object, volume: Object | None, path: str, checks: PodChecks) -> Errors:
    if not (checks.image_volumes and checks.quirks.image_volumes_have_no_subpaths):
        return
    if volume is None or "image" not in volume:
        return
    for name in ("subPath", "subPathExpr"):
        if mount.get(name):
            yield invalid(f"{path}.{name}", mount[name], "not allowed in image volume sources")


def _option_errors(mount: Object, container: Object, paths: tuple[str, str], checks: PodChecks) -> Errors:
    """Validates the options of a volume mount. Like upstream, most errors have the path of `volumeMounts`.

    `paths`: the path of `volumeMounts`, and the path of the mount
    """
    of_list, place = paths
    if mount.get("subPath"):
        yield from validate_descending(mount["subPath"], f"{of_list}.subPath")
    if mount.get("subPathExpr"):
        if mount.get("subPath"):
            rule = "subPathExpr and subPath are mutually exclusive"
            yield invalid(f"{place}.subPathExpr", mount["subPathExpr"], rule)
        yield from validate_descending(mount["subPathExpr"], f"{of_list}.subPathExpr")
    if "mountPropagation" in mount:
        yield from _propagation_errors(mount, container, f"{of_list}.mountPropagation", checks)
    if "recursiveReadOnly" in mount:
        yield from _recursive_read_only_errors(mount, f"{of_list}.recursiveReadOnly", checks)


def _propagation_errors(mount: Object, container: Object, path: str, checks: PodChecks) -> Errors:
    propagation = mount["mountPropagation"]
    if propagation not in _PROPAGATIONS:
        yield not_supported(path, printed_plain(propagation, checks.wording), _PROPAGATIONS)
    is_privileged = (container.get("securityContext") or {}).get("privileged")
    if propagation == "Bidirectional" and not is_privileged:
        rule = "Bidirectional mount propagation is available only to privileged containers"
        yield forbidden(path, rule)


def _recursive_read_only_errors(mount: Object, path: str, checks: PodChecks) -> Errors:
    mode = mount["recursiveReadOnly"]
    if mode not in _RECURSIVE_READ_ONLY:
        yield not_supported(path, printed_plain(mode, checks.wording), _RECURSIVE_READ_ONLY)
        return
    if mode == "Disabled":
        return
    if not mount.get("readOnly"):
        yield forbidden(path, "may only be specified when readOnly is true")
    if mount.get("mountPropagation", "None") != "None":
        yield forbidden(path, "may only be specified when mountPropagation is None or not specified")


def _bind_option_errors(mount: Object, volume: Object | None, path: str, checks: PodChecks) -> Errors:
    options = mount.get("bindMountOptions") or ()
    seen: set[str] = set()
    for index, option in enumerate(options):
        if option not in _BIND_OPTIONS:
            yield not_supported(f"{path}[{index}]", option, _BIND_OPTIONS)
        if option in seen:
            yield duplicate(f"{path}[{index}]", option)
        seen.add(option)
    if options and volume is not None and "image" in volume:
        rule = "bindMountOptions may not be used with image volumes"
        yield invalid(path, printed_strings(list(options), checks.wording), rule)
