"""Validates projected volumes, which contain files from several sources.

Follows `validateProjectedVolumeSource` and `validateProjectionSources` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from collections.abc import Mapping

from fakeapi.kinds.common.file_paths import validate_not_reserved
from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.numbers import validate_file_mode, validate_user_id
from fakeapi.kinds.common.printing.values import printed_field, printed_struct
from fakeapi.kinds.common.signer_names import (
    is_bundle_name,
    is_kubernetes_signer,
    signer_of_bundle,
    validate_signer_name,
)
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.kinds.core.pod.validation.downward_api import downward_file_errors
from fakeapi.machinery.field_errors import forbidden, invalid, not_supported, required, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.object_meta import TOTAL_ANNOTATION_SIZE_LIMIT

TOKEN_MIN_SECONDS = 10 * 60
TOKEN_MAX_SECONDS = 1 << 32
CERTIFICATE_MIN_SECONDS = 3600
CERTIFICATE_MAX_SECONDS = 91 * 24 * 3600
KUBERNETES_CERTIFICATE_MAX_SECONDS = 24 * 3600

_KEY_TYPES = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_CERTIFICATE_PATHS = ("credentialBundlePath", "keyPath", "certificateChainPath")
_SOURCES = (
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
)


class _Paths:
    """The file paths in one projected volume. Detects duplicate paths. Errors have the path of the volume."""

    def __init__(self, volume: str) -> None:
        self._volume = volume
        self._taken: set[str] = set()

    def errors(self, path: str, printed: str) -> Errors:
        """Yields an error if the file path is a duplicate, and remembers the path.

        `printed`: the value that the error prints.
        """
        if path in self._taken:
            yield invalid(self._volume, printed, "conflicting duplicate paths")
        self._taken.add(path)


def projected_errors(volume: Object, path: str, checks: PodChecks) -> Errors:
    yield from validate_file_mode(volume, "defaultMode", path)
    yield from validate_user_id(volume, "defaultUser", path)
    taken = _Paths(path)
    for index, source in enumerate(volume.get("sources") or ()):
        place = f"{path}.sources[{index}]"
        kinds = [name for name in _SOURCES if name in source]
        for name in ("secret", "configMap"):
            if name in source:
                yield from _keys_errors(source[name], f"{place}.{name}", taken)
        for file in (source.get("downwardAPI") or {}).get("items") or ():
            yield from downward_file_errors(file, f"{place}.downwardAPI", checks)
            if file.get("path"):
                yield from taken.errors(file["path"], file["path"])
        if "serviceAccountToken" in source:
            token = source["serviceAccountToken"]
            yield from _token_errors(token, f"{place}.serviceAccountToken", path, checks)
        if "clusterTrustBundle" in source:
            bundle = source["clusterTrustBundle"]
            name = checks.quirks.trust_bundle_field
            yield from _bundle_errors(bundle, f"{place}.{name}", taken, checks)
        if "podCertificate" in source:
            certificate = source["podCertificate"]
            yield from _certificate_errors(certificate, f"{place}.podCertificate", taken, checks)
        if len(kinds) > 1:
            yield forbidden(place, checks.quirks.one_projection_source)


def key_path_errors(item: Object, path: str) -> Errors:
    """Validates an item that maps a key of a Secret or ConfigMap to a file."""
    for name in ("key", "path"):
        if not item.get(name):
            yield required(f"{path}.{name}")
    yield from validate_not_reserved(item.get("path", ""), f"{path}.path")
    yield from validate_file_mode(item, "mode", path)
    yield from validate_user_id(item, "user", path)


def _keys_errors(source: Object, path: str, taken: _Paths) -> Errors:
    if not source.get("name"):
        yield required(f"{path}.name")
    for index, item in enumerate(source.get("items") or ()):
        yield from key_path_errors(item, f"{path}.items[{index}]")
        if item.get("path"):
            yield from taken.errors(item["path"], source.get("name", ""))


def _token_errors(token: Object, path: str, volume: str, checks: PodChecks) -> Errors:
    seconds, target = token.get("expirationSeconds", 0), token.get("path", "")
    place = f"{path}.expirationSeconds"
    if seconds < TOKEN_MIN_SECONDS:
        yield invalid(place, seconds, "may not specify a duration less than 10 minutes")
    if seconds > TOKEN_MAX_SECONDS:
        yield invalid(place, seconds, "may not specify a duration larger than 2^32 seconds")
    if not target:
        yield required(f"{volume}.path")
    elif checks.quirks.token_paths_are_local and not _has_free_token_path(checks.old):
        yield from validate_not_reserved(target, f"{volume}.path")
    yield from validate_user_id(token, "user", path)


def _has_free_token_path(spec: Object) -> bool:
    return any(
        validate_not_reserved(source["serviceAccountToken"].get("path", ""), "")
        for volume in spec.get("volumes") or ()
        for source in (volume.get("projected") or {}).get("sources") or ()
        if "serviceAccountToken" in source
    )


def _bundle_errors(bundle: Object, path: str, taken: _Paths, checks: PodChecks) -> Errors:
    name, signer = bundle.get("name"), bundle.get("signerName")
    selector = bundle.get("labelSelector")
    if name is not None and signer is not None:
        printed = printed_struct(bundle, "core/v1.ClusterTrustBundleProjection", checks.rules)
        yield invalid(path, printed, "only one of name and signerName may be used")
    elif name is not None:
        if not name:
            yield required(f"{path}.name", "must be a valid object name")
        for message in is_bundle_name(name, signer_of_bundle(name) or ""):
            yield invalid(f"{path}.name", name, f"not a valid clustertrustbundlename: {message}")
        if selector is not None:
            printed = printed_field(
                selector, "core/v1.ClusterTrustBundleProjection", "labelSelector", checks.rules
            )
            yield invalid(
                f"{path}.labelSelector", printed, "labelSelector must be unset if name is specified"
            )
    elif signer is not None:
        if not signer:
            yield required(f"{path}.signerName", "must be a valid signer name")
        yield from validate_signer_name(signer, f"{path}.signerName", checks.wording)
        yield from validate_label_selector(selector, f"{path}.labelSelector", checks.wording)
    else:
        yield required(path, "either name or signerName must be specified")
    target = bundle.get("path", "")
    if not target:
        yield required(f"{path}.path")
    yield from validate_user_id(bundle, "user", path)
    yield from validate_not_reserved(target, f"{path}.path")
    yield from taken.errors(target, target)


def _certificate_errors(certificate: Object, path: str, taken: _Paths, checks: PodChecks) -> Errors:
    signer, key_type = certificate.get("signerName", ""), certificate.get("keyType", "")
    yield from validate_signer_name(signer, f"{path}.signerName", checks.wording)
    annotations = certificate.get("userAnnotations")
    if annotations is not None:
        yield from _user_annotation_errors(annotations, f"{path}.userAnnotations", checks)
    yield from validate_user_id(certificate, "user", path)
    if key_type not in _KEY_TYPES:
        yield not_supported(f"{path}.keyType", key_type, _KEY_TYPES)
    seconds = certificate.get("maxExpirationSeconds")
    if seconds is not None:
        yield from _lifetime_errors(seconds, signer, f"{path}.maxExpirationSeconds")
    targets = [name for name in _CERTIFICATE_PATHS if certificate.get(name)]
    for name in targets:
        yield from validate_not_reserved(certificate[name], f"{path}.{name}")
        yield from taken.errors(certificate[name], certificate[name])
    if not targets:
        rule = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        yield required(path, rule)


def _lifetime_errors(seconds: int, signer: str, path: str) -> Errors:
    most = CERTIFICATE_MAX_SECONDS
    if is_kubernetes_signer(signer):
        most = KUBERNETES_CERTIFICATE_MAX_SECONDS
    if seconds < CERTIFICATE_MIN_SECONDS:
        yield invalid(
            path, seconds, f"if provided, maxExpirationSeconds must be >= {CERTIFICATE_MIN_SECONDS}"
        )
    if seconds > most:
        yield invalid(path, seconds, f"if provided, maxExpirationSeconds must be <= {most}")


def _user_annotation_errors(annotations: Mapping[str, str], path: str, checks: PodChecks) -> Errors:
    for key in sorted(annotations):
        yield from _prefixed_key_errors(key.lower(), path, checks)
    size = sum(names.byte_length(key) + names.byte_length(value) for key, value in annotations.items())
    if size > TOTAL_ANNOTATION_SIZE_LIMIT:
        yield too_long(path, TOTAL_ANNOTATION_SIZE_LIMIT, checks.wording.too_long)


def _prefixed_key_errors(key: str, path: str, checks: PodChecks) -> Errors:
    if not key:
        yield required(path)
        return
    errors = validate_qualified_name(key, path, checks.wording)
    yield from errors
    if not errors and "/" not in key:
        yield invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')
