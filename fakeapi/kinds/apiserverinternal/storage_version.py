"""Defines the kind StorageVersion of internal.apiserver.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/apiserverinternal/storageversion` and
`pkg/apis/apiserverinternal/validation`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from fakeapi.kinds.common.invalid_texts import each_invalid, validate_qualified_name
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.common.status_strategies import StatusKeptStrategy, StatusOnlyStrategy
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks
from fakeapi.releases.rules import ReleaseRules

SHOWN_VERSIONS: Final = 3
_EMPTY: Final = "must be non-empty"
_API_VERSION: Final = (
    "an apiVersion is "
    + names.regex_error(
        "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?",
        "my-name",
        "abc-123",
    )
    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')"
)


class StorageVersionStrategy(StatusKeptStrategy, RulesStrategy):
    """Strategy for creates and updates of StorageVersions. Validates only the name."""

    updates_unconditionally: ClassVar[bool] = False

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return []


class StorageVersionStatusStrategy(StatusOnlyStrategy, StorageVersionStrategy):
    """Strategy for `/status` of StorageVersions.

    In the status, each API server reports the versions that it encodes and decodes.
    """

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        status, rules, errors = new["status"], self._rules, list[FieldError]()
        known: set[str] = set()
        for index, server in enumerate(status.get("storageVersions") or ()):
            path, server_id = f"status.storageVersions[{index}]", server.get("apiServerID", "")
            if server_id in known and rules.quirks.storage_versions_are_served:
                errors.append(duplicate(f"{path}.apiServerID", server_id))
            known.add(server_id)
            errors += _validate_server(server, server_id, path, rules)
        errors += _validate_common(status, rules)
        return errors + _validate_conditions(status.get("conditions") or (), rules)


def _validate_server(server: Object, server_id: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    encoding, decodable = server.get("encodingVersion", ""), server.get("decodableVersions") or []
    errors = each_invalid(f"{path}.apiServerID", server_id, names.is_dns1123_subdomain(server_id))
    errors += _validate_version(encoding, f"{path}.encodingVersion")
    for index, version in enumerate(decodable):
        errors += _validate_version(version, f"{path}.decodableVersions[{index}]")
    if encoding not in decodable:
        problem = f"decodableVersions must include encodingVersion {encoding}"
        bad_value = printed_strings(decodable or None, rules.quirks.wording)
        errors.append(invalid(f"{path}.decodableVersions", bad_value, problem))
    if not rules.quirks.storage_versions_are_served:
        return errors
    for index, version in enumerate(server.get("servedVersions") or ()):
        here = f"{path}.servedVersions[{index}]"
        errors += _validate_version(version, here)
        if version not in decodable:
            listed = f"[{' '.join(decodable)}]"
            problem = (
                f"individual served version : {version} must be included in decodableVersions : {listed}"
            )
            errors.append(invalid(here, version, problem))
    return errors


def _validate_version(version: str, path: str) -> list[FieldError]:
    messages = _version_messages(version)
    return [invalid(path, version, ",".join(messages))] if messages else []


def _version_messages(text: str) -> list[str]:
    *group, version = text.split("/")
    if len(group) > 1:
        return [_API_VERSION]
    problems: list[str] = []
    for part in group:
        messages = names.is_dns1123_subdomain(part) if part else [_EMPTY]
        problems += [f"group part: {message}" for message in messages]
    messages = names.is_dns1035_label(version) if version else [_EMPTY]
    return problems + [f"version part: {message}" for message in messages]


def _validate_common(status: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates `commonEncodingVersion`: the version that all API servers encode.

    The field must be unset if no server reports a version, or if the servers encode different versions.
    """
    path, reported = "status.commonEncodingVersion", status.get("commonEncodingVersion")
    encoded = [server.get("encodingVersion", "") for server in status.get("storageVersions") or ()]
    common = encoded[0] if encoded and set(encoded) == {encoded[0]} else None
    if common == reported:
        return []
    if common is None:
        problem = (
            "should be nil if servers do not agree on the same encoding version, or if there is no server "
            "reporting the supported versions yet"
        )
        return [invalid(path, reported, problem)]
    if reported is None:
        printed = printed_plain(None, rules.quirks.wording)
        return [invalid(path, printed, f"the common encoding version is {common}")]
    return [invalid(path, reported, f"the actual common encoding version is {common}")]


def _validate_conditions(conditions: Sequence[Object], rules: ReleaseRules) -> list[FieldError]:
    """Validates the conditions of a StorageVersion.

    Like upstream, error paths are `status[INDEX]` without `conditions`.
    """
    errors: list[FieldError] = []
    known: dict[str, int] = {}
    for index, condition in enumerate(conditions):
        path, kind = f"status[{index}]", condition["type"]
        if kind in known:
            problem = f"the type of the condition is not unique, it also appears in conditions[{known[kind]}]"
            errors.append(invalid(f"{path}.type", kind, problem))
        known[kind] = index
        for name in ("type", "status"):
            errors += validate_qualified_name(condition[name], f"{path}.{name}", rules.quirks.wording)
        has_detail = rules.quirks.storage_version_conditions_have_details
        errors += [
            required(f"{path}.{name}", f"{name} cannot be empty" if has_detail else "")
            for name in ("reason", "message")
            if not condition.get(name)
        ]
    return errors


def _name_is_group_and_resource(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - a NameValidator
    group, dot, resource = name.rpartition(".")
    if not dot:
        return ["name must be in the form of <group>.<resource>"]
    messages = [f"the group segment {message}" for message in names.is_dns1123_subdomain(group)]
    return messages + [f"the resource segment {message}" for message in names.is_dns1035_label(resource)]


def _versions(obj: Object, now: float) -> str:
    servers = obj["status"].get("storageVersions") or ()
    texts = [f"{server.get('apiServerID', '')}={server.get('encodingVersion', '')}" for server in servers]
    text = ",".join(texts[:SHOWN_VERSIONS])
    if len(texts) <= SHOWN_VERSIONS:
        return text or "<unset>"
    return f"{text} + {len(texts) - SHOWN_VERSIONS} more..."


def _common(obj: Object, now: float) -> str:
    version: str | None = obj["status"].get("commonEncodingVersion")
    return "<unset>" if version is None else version


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"CommonEncodingVersion": _common, "StorageVersions": _versions}


STORAGE_VERSION = KindDefinition(
    group="internal.apiserver.k8s.io",
    resource="storageversions",
    strategies=of_rules(StorageVersionStrategy, StorageVersionStatusStrategy),
    name_validator=_name_is_group_and_resource,
    cells=_cells,
    table_subresources=frozenset(("status",)),
)
