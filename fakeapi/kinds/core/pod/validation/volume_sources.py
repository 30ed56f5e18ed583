"""Validates the volume sources of pods, in the order of upstream.

Follows `validateVolumeSource` of k8s.io/kubernetes `pkg/apis/core/validation`, and the functions that
`validateVolumeSource` calls.
"""

import re
from collections.abc import Callable

from fakeapi.kinds.common.driver_names import validate_csi_driver_name
from fakeapi.kinds.common.file_paths import validate_descending, validate_no_backsteps
from fakeapi.kinds.common.invalid_texts import each_invalid, validate_dns_label
from fakeapi.kinds.common.numbers import validate_file_mode, validate_user_id, validate_within
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.common.storage_addresses import is_host_port, iscsi_name_problem
from fakeapi.kinds.common.volume_choices import (
    BLOB_DISK,
    CACHING_MODES,
    DISK_KINDS,
    HOST_AND_PORT,
    HOST_PATH_TYPES,
    MANAGED_DISK,
)
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.claim_templates import claim_template_errors
from fakeapi.kinds.core.pod.validation.containers import pull_policy_errors
from fakeapi.kinds.core.pod.validation.downward_api import downward_api_errors
from fakeapi.kinds.core.pod.validation.projected import key_path_errors, projected_errors
from fakeapi.machinery.field_errors import invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names

Source = Callable[[Object, str, PodChecks], Errors]

QUOBYTE_TENANT_MAX_LENGTH = 64

_is_reserved_option = re.compile(r"(?:.*\.)?(?:kubernetes\.io|k8s\.io)", re.IGNORECASE).fullmatch


def _requires(*fields: str) -> Source:
    """Returns a validator that requires the given fields and checks nothing else."""

    def errors(source: Object, path: str, checks: PodChecks) -> Errors:
        for name in fields:
            if not source.get(name):
                yield required(f"{path}.{name}")

    return errors


def _host_path_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    if not source.get("path"):
        yield required(f"{path}.path")
        return
    yield from validate_no_backsteps(source["path"], f"{path}.path")
    kind = source.get("type")
    if kind is not None and kind not in HOST_PATH_TYPES:
        yield not_supported(f"{path}.type", printed_plain(kind, checks.wording), HOST_PATH_TYPES)


def _git_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    if not source.get("repository"):
        yield required(f"{path}.repository")
    yield from validate_descending(source.get("directory", ""), f"{path}.directory")


def _disk_errors(id_field: str) -> Source:
    def errors(source: Object, path: str, checks: PodChecks) -> Errors:
        if not source.get(id_field):
            yield required(f"{path}.{id_field}")
        partition = source.get("partition", 0)
        if not 0 <= partition <= 255:
            yield invalid(f"{path}.partition", partition, "must be between 1 and 255, inclusive")

    return errors


def _keys_errors(name_field: str) -> Source:
    """Returns a validator for Secret or ConfigMap volumes. Keys of the Secret or ConfigMap become files.

    `name_field`: the field with the name of the Secret or ConfigMap.
    """

    def errors(source: Object, path: str, checks: PodChecks) -> Errors:
        if not source.get(name_field):
            yield required(f"{path}.{name_field}")
        yield from validate_file_mode(source, "defaultMode", path)
        yield from validate_user_id(source, "defaultUser", path)
        for index, item in enumerate(source.get("items") or ()):
            yield from key_path_errors(item, f"{path}.items[{index}]")

    return errors


def _nfs_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    yield from _requires("server", "path")(source, path, checks)
    if not source.get("path", "").startswith("/"):
        yield invalid(f"{path}.path", source.get("path", ""), "must be an absolute path")


def _iscsi_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    name, initiator = source.get("iqn", ""), source.get("initiatorName")
    if not source.get("targetPortal"):
        yield required(f"{path}.targetPortal")
    if not name:
        yield required(f"{path}.iqn")
    elif problem := iscsi_name_problem(name):
        yield invalid(f"{path}.iqn", name, problem)
    yield from validate_within(source.get("lun", 0), f"{path}.lun", 0, 255)
    uses_secret = source.get("chapAuthDiscovery") or source.get("chapAuthSession")
    if uses_secret and "secretRef" not in source:
        yield required(f"{path}.secretRef")
    if initiator is not None and (problem := iscsi_name_problem(initiator)):
        yield invalid(f"{path}.initiatorname", initiator, problem)


def _flocker_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    name, uuid = source.get("datasetName", ""), source.get("datasetUUID", "")
    if not name and not uuid:
        yield required(path, "one of datasetName and datasetUUID is required")
    if name and uuid:
        yield invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        yield invalid(f"{path}.datasetName", name, "must not contain '/'")


def _cinder_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    yield from _requires("volumeID")(source, path, checks)
    yield from _secret_errors(source, path)


def _secret_errors(source: Object, path: str) -> Errors:
    if "secretRef" in source and not source["secretRef"].get("name"):
        yield required(f"{path}.secretRef.name")


def _quobyte_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    registry = source.get("registry", "")
    if not registry:
        yield required(f"{path}.registry", HOST_AND_PORT)
    elif names.byte_length(source.get("tenant", "")) > QUOBYTE_TENANT_MAX_LENGTH:
        yield required(f"{path}.tenant", "must be a UUID and may not exceed a length of 64 characters")
    else:
        for pair in registry.split(","):
            if not is_host_port(pair):
                yield invalid(f"{path}.registry", registry, HOST_AND_PORT)
    if not source.get("volume"):
        yield required(f"{path}.volume")


def _fibre_channel_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    wwns, wwids, lun = source.get("targetWWNs"), source.get("wwids"), source.get("lun")
    if not wwns and not wwids:
        yield required(f"{path}.targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if wwns and wwids:
        rule = "targetWWNs and wwids can not be specified simultaneously"
        yield invalid(f"{path}.targetWWNs", printed_strings(wwns, checks.wording), rule)
    if not wwns:
        return
    if lun is None:
        yield required(f"{path}.lun", "lun is required if targetWWNs is specified")
    else:
        yield from validate_within(lun, f"{path}.lun", 0, 255)


def _flex_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    yield from _requires("driver")(source, path, checks)
    for key in sorted(source.get("options") or ()):
        if _is_reserved_option(key.partition("/")[0]):
            rule = "kubernetes.io and k8s.io namespaces are reserved"
            yield invalid(f"{path}.options[{key}]", key, rule)


def _azure_disk_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    yield from _requires("diskName", "diskURI")(source, path, checks)
    caching, kind, uri = source.get("cachingMode"), source.get("kind"), source.get("diskURI", "")
    if caching is not None and caching not in CACHING_MODES:
        yield not_supported(f"{path}.cachingMode", printed_plain(caching, checks.wording), CACHING_MODES)
    if kind is None:
        return
    if kind not in DISK_KINDS:
        yield not_supported(f"{path}.kind", printed_plain(kind, checks.wording), DISK_KINDS)
    if kind == "Managed":
        if not uri.startswith("/subscriptions/"):
            yield not_supported(f"{path}.diskURI", uri, (MANAGED_DISK,))
    elif not uri.startswith("https://"):
        yield not_supported(f"{path}.diskURI", uri, (BLOB_DISK,))


def _storage_os_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    name, namespace = source.get("volumeName", ""), source.get("volumeNamespace", "")
    if not name:
        yield required(f"{path}.volumeName")
    else:
        yield from validate_dns_label(name, f"{path}.volumeName")
    if namespace:
        yield from validate_dns_label(namespace, f"{path}.volumeNamespace")
    yield from _secret_errors(source, path)


def _csi_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    secret = source.get("nodePublishSecretRef")
    yield from validate_csi_driver_name(source.get("driver", ""), f"{path}.driver", checks.rules)
    if secret is None:
        return
    if not secret.get("name"):
        yield required(f"{path}.nodePublishSecretRef.name")
    else:
        messages = names.name_is_dns_subdomain(secret["name"], False)
        yield from each_invalid(f"{path}.name", secret["name"], messages)


def _ephemeral_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    if "volumeClaimTemplate" not in source:
        yield required(f"{path}.volumeClaimTemplate")
    else:
        template = source["volumeClaimTemplate"]
        yield from claim_template_errors(template, f"{path}.volumeClaimTemplate", checks)


def _image_errors(source: Object, path: str, checks: PodChecks) -> Errors:
    if not source.get("reference") and _needs_reference(checks):
        yield required(f"{path}.reference")
    yield from pull_policy_errors(source.get("pullPolicy", ""), f"{path}.pullPolicy", checks)


def _needs_reference(checks: PodChecks) -> bool:
    if not checks.quirks.image_volumes_need_references:
        return checks.is_pod
    return not any(
        "image" in volume and not volume["image"].get("reference")
        for volume in checks.old.get("volumes") or ()
    )


SOURCES: dict[str, Source] = {
    "hostPath": _host_path_errors,
    "gitRepo": _git_errors,
    "gcePersistentDisk": _disk_errors("pdName"),
    "awsElasticBlockStore": _disk_errors("volumeID"),
    "secret": _keys_errors("secretName"),
    "nfs": _nfs_errors,
    "iscsi": _iscsi_errors,
    "glusterfs": _requires("endpoints", "path"),
    "flocker": _flocker_errors,
    "persistentVolumeClaim": _requires("claimName"),
    "rbd": _requires("monitors", "image"),
    "cinder": _cinder_errors,
    "cephfs": _requires("monitors"),
    "quobyte": _quobyte_errors,
    "downwardAPI": downward_api_errors,
    "fc": _fibre_channel_errors,
    "flexVolume": _flex_errors,
    "configMap": _keys_errors("name"),
    "azureFile": _requires("secretName", "shareName"),
    "vsphereVolume": _requires("volumePath"),
    "photonPersistentDisk": _requires("pdID"),
    "portworxVolume": _requires("volumeID"),
    "azureDisk": _azure_disk_errors,
    "storageos": _storage_os_errors,
    "projected": projected_errors,
    "scaleIO": _requires("gateway", "system", "volumeName"),
    "csi": _csi_errors,
    "ephemeral": _ephemeral_errors,
    "image": _image_errors,
}
