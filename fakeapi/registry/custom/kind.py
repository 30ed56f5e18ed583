"""CustomKind: the kind of a CustomResourceDefinition in one of its versions."""

import base64
import hashlib
from dataclasses import dataclass, field, fields
from functools import cached_property

import msgspec

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Field, Scalar, ScalarKind, Struct
from fakeapi.machinery.structural.apply_types import apply_type
from fakeapi.machinery.structural.default_validation import prune_defaults
from fakeapi.machinery.structural.rules import SchemaRules
from fakeapi.registry.custom.reading import ObjectReader
from fakeapi.registry.custom.specification import Specification, VersionSpecification
from fakeapi.releases import Kind, Release
from fakeapi.releases.kinds import Lifecycle, Subresource
from fakeapi.releases.schema_rules import schema_rules_of

VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
"""The verbs of custom resources in the order of discovery."""
_TERMINATING_VERBS = ("delete", "deletecollection", "get", "list", "watch")
_SUBRESOURCE_VERBS = ("get", "patch", "update")
_STRING = Scalar(ScalarKind.STRING, "string")
_HASHED_BYTES = 8


class DefinitionState(msgspec.Struct):
    """The changing data of a served CRD. `terminating`: whether the CRD is being deleted."""

    terminating: bool = False


@dataclass(frozen=True)
class CustomKind(Kind):
    """The kind of a CustomResourceDefinition in one of its versions.

    - `schema`: the type that decodes objects, with only the fields apiVersion, kind and metadata.
    - `apply_schema`: the type for server-side apply, with all fields.
    - `published`: a cache of the kind's OpenAPI schemas; the key is True for OpenAPI v2, False for v3.
    """

    specification: Specification = field(repr=False, compare=False)
    version_specification: VersionSpecification = field(repr=False, compare=False)
    object_meta: Struct = field(repr=False, compare=False)
    reader: ObjectReader = field(repr=False, compare=False)
    state: DefinitionState = field(repr=False, compare=False)
    rules: SchemaRules = field(repr=False, compare=False)
    keys_may_be_absent: bool = field(repr=False, compare=False)
    published: dict[bool, Object] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def unstructured(self) -> bool:
        return True

    @property
    def plain(self) -> Kind:
        return Kind(**{attribute.name: getattr(self, attribute.name) for attribute in fields(Kind)})

    @property
    def shown_verbs(self) -> tuple[str, ...]:
        return _TERMINATING_VERBS if self.state.terminating else self.verbs

    @cached_property
    def schema(self) -> Struct:
        return Struct(
            go_type="unstructured.Unstructured",
            fields={
                "apiVersion": Field("apiVersion", _STRING),
                "kind": Field("kind", _STRING),
                "metadata": Field("metadata", self.object_meta, omitempty=False),
            },
            reader=self.reader.read,
        )

    @cached_property
    def apply_schema(self) -> Struct:
        return apply_type(
            self.version_specification.schema,
            self.object_meta,
            preserves_unknown_fields=self.specification.preserves_unknown_fields,
            keys_may_be_absent=self.keys_may_be_absent,
        )


def reader_of(specification: Specification, release: Release) -> ObjectReader:
    """Returns the reader that decodes the objects of a CRD, with the ObjectMeta of the release."""
    object_meta = release.schemas.struct("meta/v1.ObjectMeta")
    schemas = {version.name: version.schema for version in specification.versions}
    if not specification.preserves_unknown_fields:
        schemas = {
            name: None if schema is None else prune_defaults(schema, object_meta)
            for name, schema in schemas.items()
        }
    return ObjectReader(
        group=specification.group,
        kind=specification.names.kind,
        schemas=schemas,
        object_meta=object_meta,
        rules=schema_rules_of(release),
        preserves_unknown_fields=specification.preserves_unknown_fields,
    )


def custom_kind(
    specification: Specification,
    version: VersionSpecification,
    reader: ObjectReader,
    state: DefinitionState,
    release: Release,
) -> CustomKind:
    """Returns the kind of one version of a CRD, with the data for discovery."""
    names = specification.names
    return CustomKind(
        group=specification.group,
        version=version.name,
        kind=names.kind,
        list_kind=names.list_kind,
        resource=names.plural,
        singular=names.singular,
        short_names=names.short_names,
        categories=names.categories,
        namespaced=specification.namespaced,
        verbs=VERBS,
        subresources=_subresources(specification, version),
        storage_version_hash=_storage_version_hash(specification),
        lifecycle=Lifecycle(),
        type_name="",
        list_type_name="",
        schemas=release.schemas,
        specification=specification,
        version_specification=version,
        object_meta=reader.object_meta,
        reader=reader,
        state=state,
        rules=reader.rules,
        keys_may_be_absent=release.quirks.list_keys_may_be_absent,
    )


def _subresources(specification: Specification, version: VersionSpecification) -> tuple[Subresource, ...]:
    subresources = []
    if version.has_status:
        kind, group = specification.names.kind, specification.group
        subresources.append(Subresource("status", kind, _SUBRESOURCE_VERBS, group, version.name))
    if version.scale is not None:
        subresources.append(Subresource("scale", "Scale", _SUBRESOURCE_VERBS, "autoscaling", "v1"))
    return tuple(subresources)


def _storage_version_hash(specification: Specification) -> str:
    """Returns storageVersionHash for discovery, computed like k8s.io/apiserver `pkg/endpoints/discovery`."""
    text = f"{specification.group}/{specification.storage_version}/{specification.names.kind}"
    digest = hashlib.sha256(text.encode()).digest()[:_HASHED_BYTES]
    return base64.b64encode(digest).decode()
