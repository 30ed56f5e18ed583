"""Validates the volume source of a PersistentVolume.

Follows the `validate…PersistentVolumeSource` and `validate…VolumeSource` functions of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from fakeapi.kinds.common.driver_names import validate_csi_driver_name
from fakeapi.kinds.common.file_paths import validate_no_backsteps
from fakeapi.kinds.common.invalid_texts import (
    each_invalid,
    validate_dns_label,
    validate_dns_subdomain,
)
from fakeapi.kinds.common.numbers import range_error, validate_within
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.storage_addresses import is_host_port, iscsi_name_problem
from fakeapi.kinds.common.volume_choices import (
    BLOB_DISK,
    CACHING_MODES,
    DISK_KINDS,
    HOST_AND_PORT,
    HOST_PATH_TYPES,
    MANAGED_DISK,
)
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

PARTITION_MAX: Final = 255
LUN_MAX: Final = 255
TENANT_MAX: Final = 64
INITIATOR_MAX: Final = 64
ONE_TYPE: Final = "may not specify more than 1 volume type"


class Context(NamedTuple):
    """The release rules and the volume name for the validation of a volume source.

    `volume_name`: the name of the PersistentVolume; "" for a volume spec inside another object.
    """

    rules: ReleaseRules
    volume_name: str


SourceValidator: TypeAlias = Callable[[Object, str, Context], list[FieldError]]
"""A function that returns the errors of a volume source.

The arguments are the source, the path of the source and the context.
"""


def validate_source(spec: Object, path: str, context: Context) -> list[FieldError]:
    """Validates the source of a volume spec. Exactly one source must be set."""
    errors: list[FieldError] = []
    has_source = False
    for name, (path_name, validate) in _SOURCES.items():
        source = spec.get(name)
        if source is None:
            continue
        if has_source and name != "flexVolume":
            errors.append(forbidden(f"{path}.{_NAMES_IN_REFUSALS.get(name, name)}", ONE_TYPE))
            continue
        has_source = True
        errors += validate(source, f"{path}.{path_name}", context)
        if name == "local" and spec.get("nodeAffinity") is None:
            errors.append(required(f"{path}.nodeAffinity", "Local volume requires node affinity"))
    return errors if has_source else [*errors, required(path, "must specify a volume type")]


def _needs(*fields: str) -> SourceValidator:
    """Returns a validator that requires the given fields and checks nothing else."""

    def validate(source: Object, path: str, context: Context) -> list[FieldError]:
        return _missing(source, path, *fields)

    return validate


def _missing(source: Object, path: str, *fields: str) -> list[FieldError]:
    return [required(f"{path}.{name}") for name in fields if not source.get(name)]


def _host_path(source: Object, path: str, context: Context) -> list[FieldError]:
    if not source["path"]:
        return [required(f"{path}.path")]
    errors = validate_no_backsteps(source["path"], f"{path}.path")
    kind = source.get("type")
    if kind is not None and kind not in HOST_PATH_TYPES:
        errors.append(not_supported(f"{path}.type", kind, HOST_PATH_TYPES))
    return errors


def _disk_of(name: str) -> SourceValidator:
    def validate(source: Object, path: str, context: Context) -> list[FieldError]:
        errors = _missing(source, path, name)
        partition = source.get("partition", 0)
        if not 0 <= partition <= PARTITION_MAX:
            errors.append(invalid(f"{path}.partition", partition, range_error(1, PARTITION_MAX)))
        return errors

    return validate


def _glusterfs(source: Object, path: str, context: Context) -> list[FieldError]:
    errors = _missing(source, path, "endpoints", "path")
    namespace = source.get("endpointsNamespace")
    if namespace == "":
        rule = "if the endpointnamespace is set, it must be a valid namespace name"
        errors.append(invalid(f"{path}.endpointsNamespace", namespace, rule))
    elif namespace is not None:
        errors += validate_dns_label(namespace, f"{path}.endpointsNamespace")
    return errors


def _flocker(source: Object, path: str, context: Context) -> list[FieldError]:
    name, uuid, errors = source.get("datasetName", ""), source.get("datasetUUID", ""), list[FieldError]()
    if not name and not uuid:
        errors.append(required(path, "one of datasetName and datasetUUID is required"))
    if name and uuid:
        rule = "datasetName and datasetUUID can not be specified simultaneously"
        errors.append(invalid(path, "resource", rule))
    if "/" in name:
        errors.append(invalid(f"{path}.datasetName", name, "must not contain '/'"))
    return errors


def _nfs(source: Object, path: str, context: Context) -> list[FieldError]:
    errors = _missing(source, path, "server", "path")
    if not source["path"].startswith("/"):
        errors.append(invalid(f"{path}.path", source["path"], "must be an absolute path"))
    return errors


def _quobyte(source: Object, path: str, context: Context) -> list[FieldError]:
    registry, errors = source["registry"], list[FieldError]()
    if not registry:
        errors.append(required(f"{path}.registry", HOST_AND_PORT))
    elif names.byte_length(source.get("tenant", "")) > TENANT_MAX:
        rule = "must be a UUID and may not exceed a length of 64 characters"
        errors.append(required(f"{path}.tenant", rule))
    else:
        errors += [
            invalid(f"{path}.registry", registry, HOST_AND_PORT)
            for pair in registry.split(",")
            if not is_host_port(pair)
        ]
    return errors + _missing(source, path, "volume")


def _iscsi(source: Object, path: str, context: Context) -> list[FieldError]:
    portal, iqn, initiator = source["targetPortal"], source["iqn"], source.get("initiatorName")
    errors = _missing(source, path, "targetPortal")
    if initiator is not None and names.byte_length(f"{context.volume_name}:{portal}") > INITIATOR_MAX:
        rule = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
            "iscsi.initiatorName is specified."
        )
        errors.append(invalid(f"{path}.targetportal", portal, rule))
    errors += _iqn_errors(iqn, f"{path}.iqn") if iqn else [required(f"{path}.iqn")]
    if not 0 <= source["lun"] <= LUN_MAX:
        errors.append(invalid(f"{path}.lun", source["lun"], range_error(0, LUN_MAX)))
    secret = source.get("secretRef")
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and secret is None:
        errors.append(required(f"{path}.secretRef"))
    if secret is not None:
        errors += _missing(secret, f"{path}.secretRef", "name")
    return errors + ([] if initiator is None else _iqn_errors(initiator, f"{path}.initiatorname"))


def _iqn_errors(name: str, path: str) -> list[FieldError]:
    return [invalid(path, name, "must be valid format")] if iscsi_name_problem(name) else []


def _cinder(source: Object, path: str, context: Context) -> list[FieldError]:
    return _missing(source, path, "volumeID") + _secret_with_namespace(source, path)


def _secret_with_namespace(source: Object, path: str) -> list[FieldError]:
    secret = source.get("secretRef")
    return [] if secret is None else _missing(secret, f"{path}.secretRef", "name", "namespace")


def _fibre_channel(source: Object, path: str, context: Context) -> list[FieldError]:
    targets, ids, lun = source.get("targetWWNs") or (), source.get("wwids") or (), source.get("lun")
    errors: list[FieldError] = []
    if not targets and not ids:
        errors.append(required(f"{path}.targetWWNs", "must specify either targetWWNs or wwids, but not both"))
    if targets and ids:
        rule = "targetWWNs and wwids can not be specified simultaneously"
        errors.append(
            invalid(f"{path}.targetWWNs", printed_strings(targets, context.rules.quirks.wording), rule)
        )
    if not targets:
        return errors
    if lun is None:
        return [*errors, required(f"{path}.lun", "lun is required if targetWWNs is specified")]
    return errors + validate_within(lun, f"{path}.lun", 0, LUN_MAX)


def _flex(source: Object, path: str, context: Context) -> list[FieldError]:
    errors = _missing(source, path, "driver")
    for key in source.get("options") or {}:
        namespace = f".{key.partition('/')[0].lower()}"
        if namespace.endswith((".kubernetes.io", ".k8s.io")):
            rule = "kubernetes.io and k8s.io namespaces are reserved"
            errors.append(invalid(f"{path}.options[{key}]", key, rule))
    return errors


def _azure_file(source: Object, path: str, context: Context) -> list[FieldError]:
    errors = _missing(source, path, "secretName", "shareName")
    if source.get("secretNamespace") == "":
        errors.append(required(f"{path}.secretNamespace"))
    return errors


def _azure_disk(source: Object, path: str, context: Context) -> list[FieldError]:
    errors = _missing(source, path, "diskName", "diskURI")
    mode, kind, uri = source.get("cachingMode"), source.get("kind"), source["diskURI"]
    if mode is not None and mode not in CACHING_MODES:
        errors.append(not_supported(f"{path}.cachingMode", mode, CACHING_MODES))
    if kind is not None and kind not in DISK_KINDS:
        errors.append(not_supported(f"{path}.kind", kind, DISK_KINDS))
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        errors.append(not_supported(f"{path}.diskURI", uri, [MANAGED_DISK]))
    if kind is not None and kind != "Managed" and not uri.startswith("https://"):
        errors.append(not_supported(f"{path}.diskURI", uri, [BLOB_DISK]))
    return errors


def _local(source: Object, path: str, context: Context) -> list[FieldError]:
    if not source["path"]:
        return [required(f"{path}.path")]
    return validate_no_backsteps(source["path"], f"{path}.path")


def _storage_os(source: Object, path: str, context: Context) -> list[FieldError]:
    name, namespace = source.get("volumeName", ""), source.get("volumeNamespace", "")
    errors = validate_dns_label(name, f"{path}.volumeName") if name else [required(f"{path}.volumeName")]
    if namespace:
        errors += validate_dns_label(namespace, f"{path}.volumeNamespace")
    return errors + _secret_with_namespace(source, path)


def _csi(source: Object, path: str, context: Context) -> list[FieldError]:
    errors = validate_csi_driver_name(source["driver"], f"{path}.driver", context.rules)
    errors += _missing(source, path, "volumeHandle")
    for name in (
        "controllerPublishSecretRef",
        "controllerExpandSecretRef",
        "nodePublishSecretRef",
        "nodeExpandSecretRef",
    ):
        if source.get(name) is not None:
            errors += _secret_reference(source[name], f"{path}.{name}")
    return errors


def _secret_reference(secret: Object, path: str) -> list[FieldError]:
    name, namespace = secret.get("name", ""), secret.get("namespace", "")
    errors = validate_dns_subdomain(name, f"{path}.name") if name else [required(f"{path}.name")]
    if namespace:
        return errors + each_invalid(f"{path}.namespace", namespace, names.is_dns1123_label(namespace))
    return [*errors, required(f"{path}.namespace")]


_SOURCES: Final[Mapping[str, tuple[str, SourceValidator]]] = {
    "hostPath": ("hostPath", _host_path),
    "gcePersistentDisk": ("persistentDisk", _disk_of("pdName")),
    "awsElasticBlockStore": ("awsElasticBlockStore", _disk_of("volumeID")),
    "glusterfs": ("glusterfs", _glusterfs),
    "flocker": ("flocker", _flocker),
    "nfs": ("nfs", _nfs),
    "rbd": ("rbd", _needs("monitors", "image")),
    "quobyte": ("quobyte", _quobyte),
    "cephfs": ("cephfs", _needs("monitors")),
    "iscsi": ("iscsi", _iscsi),
    "cinder": ("cinder", _cinder),
    "fc": ("fc", _fibre_channel),
    "flexVolume": ("flexVolume", _flex),
    "azureFile": ("azureFile", _azure_file),
    "vsphereVolume": ("vsphereVolume", _needs("volumePath")),
    "photonPersistentDisk": ("photonPersistentDisk", _needs("pdID")),
    "portworxVolume": ("portworxVolume", _needs("volumeID")),
    "azureDisk": ("azureDisk", _azure_disk),
    "scaleIO": ("scaleIO", _needs("gateway", "system", "volumeName")),
    "local": ("local", _local),
    "storageos": ("storageos", _storage_os),
    "csi": ("csi", _csi),
}
"""Maps each source field, in the order of upstream, to its name in error paths and its validator."""
SOURCES: Final = tuple(_SOURCES)
_NAMES_IN_REFUSALS: Final = {"cephfs": "cephFS"}
