"""Specification: a CustomResourceDefinition, parsed from its stored form.

Follows `CustomResourceDefinitionSpec` of k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/v1`. Names
come from `status.acceptedNames`.
"""

from collections.abc import Sequence

import msgspec

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.parsed_schemas import SCHEMAS
from fakeapi.machinery.structural.schema import Schema
from fakeapi.releases.version_order import version_rank


class Names(msgspec.Struct, frozen=True):
    """The accepted names of a CustomResourceDefinition: plural, singular, kind, short names and others.

    The server serves the objects under these names.
    """

    plural: str
    singular: str
    kind: str
    list_kind: str
    short_names: tuple[str, ...]
    categories: tuple[str, ...]


class PrinterColumn(msgspec.Struct, frozen=True):
    """A column of `kubectl get` for custom objects: an entry of additionalPrinterColumns.

    `path`: the JSONPath of the cell, without braces.
    """

    name: str
    type: str
    path: str
    format: str
    description: str
    priority: int


class ScalePaths(msgspec.Struct, frozen=True):
    """The JSONPaths of the subresource scale, for example ".spec.replicas".

    `selector`: "" if the CRD has no labelSelectorPath.
    """

    replicas: str
    status_replicas: str
    selector: str


class VersionSpecification(msgspec.Struct, frozen=True):
    """A version of a CustomResourceDefinition.

    - `warning`: the text of the Warning header if the version is deprecated; "" for other versions.
    - `schema`: the field openAPIV3Schema; None if the version has no schema.
    - `selectable`: the JSONPaths of the field selectableFields.
    """

    name: str
    served: bool
    storage: bool
    warning: str
    schema: Schema | None
    has_status: bool
    scale: ScalePaths | None
    columns: tuple[PrinterColumn, ...]
    selectable: tuple[str, ...]


class Specification(msgspec.Struct, frozen=True):
    """A parsed CustomResourceDefinition with its accepted names.

    `conversion`: the field `spec.conversion`.
    """

    name: str
    uid: str
    group: str
    namespaced: bool
    names: Names
    versions: tuple[VersionSpecification, ...]
    preserves_unknown_fields: bool
    conversion: Object

    @property
    def storage_version(self) -> str:
        """The name of the version in which objects are stored."""
        return next((version.name for version in self.versions if version.storage), "")

    @property
    def served(self) -> tuple[VersionSpecification, ...]:
        return tuple(version for version in self.versions if version.served)

    @property
    def prefix(self) -> str:
        """The prefix of the storage keys of the custom objects."""
        return f"/{self.group}/{self.names.plural}/"

    def version(self, name: str) -> VersionSpecification | None:
        return next((version for version in self.versions if version.name == name), None)


def specification_of(definition: Object) -> Specification:
    """Parses a stored CustomResourceDefinition, which must be valid.

    Raises SchemaTooDeep if a schema is nested too deeply.
    """
    spec, status = definition["spec"], definition["status"]
    names = status["acceptedNames"]
    return Specification(
        name=definition["metadata"]["name"],
        uid=definition["metadata"]["uid"],
        group=spec["group"],
        namespaced=spec["scope"] == "Namespaced",
        names=Names(
            plural=names["plural"],
            singular=names.get("singular", ""),
            kind=names["kind"],
            list_kind=names.get("listKind", ""),
            short_names=tuple(names.get("shortNames") or ()),
            categories=tuple(names.get("categories") or ()),
        ),
        versions=tuple(_version(version, spec) for version in spec["versions"]),
        preserves_unknown_fields=bool(spec.get("preserveUnknownFields")),
        conversion=spec.get("conversion") or {"strategy": "None"},
    )


def _version(version: Object, spec: Object) -> VersionSpecification:
    subresources = version.get("subresources") or {}
    scale = subresources.get("scale")
    props = (version.get("schema") or {}).get("openAPIV3Schema")
    return VersionSpecification(
        name=version["name"],
        served=version["served"],
        storage=version["storage"],
        warning=_deprecation(version, spec),
        schema=None if props is None else SCHEMAS.parse(props),
        has_status=subresources.get("status") is not None,
        scale=None if scale is None else _scale_paths(scale),
        columns=tuple(_column(column) for column in version.get("additionalPrinterColumns") or ()),
        selectable=tuple(field["jsonPath"] for field in version.get("selectableFields") or ()),
    )


def _scale_paths(scale: Object) -> ScalePaths:
    return ScalePaths(
        scale["specReplicasPath"], scale["statusReplicasPath"], scale.get("labelSelectorPath") or ""
    )


def _column(column: Object) -> PrinterColumn:
    return PrinterColumn(
        name=column["name"],
        type=column["type"],
        path=column["jsonPath"],
        format=column.get("format", ""),
        description=column.get("description", ""),
        priority=column.get("priority", 0),
    )


def _deprecation(version: Object, spec: Object) -> str:
    """Returns the text of the Warning header for a deprecated version; "" for other versions."""
    if not version.get("deprecated"):
        return ""
    own = version.get("deprecationWarning")
    if own is not None:
        return str(own)
    kind, group = spec["names"]["kind"], spec["group"]
    text = f"{group}/{version['name']} {kind} is deprecated"
    newer = _newer_served(version["name"], spec["versions"])
    return f"{text}; use {group}/{newer[0]} {kind}" if newer else text


def _newer_served(name: str, versions: Sequence[Object]) -> list[str]:
    """Returns the served versions that are newer than the version `name` and not deprecated, newest first."""
    newer = [
        version["name"]
        for version in versions
        if version["served"]
        and not version.get("deprecated")
        and version_rank(version["name"]) > version_rank(name)
    ]
    return sorted(newer, key=version_rank, reverse=True)
