"""ResourceSlice of resource.k8s.io/v1alpha2: Kubernetes 1.30.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceslice`, `pkg/apis/resource/validation` and
`pkg/apis/resource/structured/namedresources/validation`.
"""

from collections.abc import Mapping
from typing import Any

from fakeapi.kinds.common.invalid_texts import validate_dns_subdomain
from fakeapi.kinds.resource.legacy_v1alpha2 import CLASSIC_VERSIONS
from fakeapi.kinds.resource.legacy_v1alpha2.parameters import NO_MODEL
from fakeapi.kinds.resource.validation.collections import validate_named
from fakeapi.kinds.resource.validation.identifiers import validate_driver_name
from fakeapi.kinds.resource.validation.nodes import validate_node_name
from fakeapi.kinds.resource.validation.semver import validate_version
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.golang import go_syntax
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Column, at
from fakeapi.registry.model.definition import CLASSIC, KindDefinition, of_rules
from fakeapi.registry.model.field_labels import NAME, FieldLabels
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Kind, Quirks

NO_PATH = "<nil>"
"""The path that Go prints in errors about the whole object."""

VALUES = ("bool", "int", "intSlice", "quantity", "string", "stringSlice", "version")


class ResourceSliceStrategy(RulesStrategy):
    """Strategy for ResourceSlices of v1alpha2. Rejects changes of the node name and driver name."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors = validate_node_name(obj["nodeName"], "nodeName") if "nodeName" in obj else []
        errors += validate_driver_name(obj["driverName"], "driverName", self._rules)
        if "namedResources" not in obj:
            return [*errors, required(NO_PATH, NO_MODEL)]
        return errors + validate_named(
            obj["namedResources"]["instances"],
            "namedResources.instances",
            "name",
            validate_dns_subdomain,
            _validate_instance,
        )

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [
            *metadata.of_change,
            *metadata.of_object,
            *self.validate_create(new),
            *validate_immutable(new.get("nodeName", ""), old.get("nodeName", ""), "nodeName"),
            *validate_immutable(new["driverName"], old["driverName"], "driverName"),
        ]


def _validate_instance(instance: Object, path: str) -> list[FieldError]:
    return validate_named(
        instance.get("attributes"), f"{path}.attributes", "name", validate_dns_subdomain, _validate_value
    )


def _validate_value(attribute: Object, path: str) -> list[FieldError]:
    errors = validate_version(attribute["version"], f"{path}.version") if "version" in attribute else []
    present = [name for name in VALUES if name in attribute]
    if not present:
        errors.append(required(path, "exactly one value must be set"))
    elif len(present) > 1:
        problem = "exactly one field must be set, not several"
        errors.append(invalid(path, go_syntax.strings(present), problem))
    return errors


NODE_TEXT = (
    "NodeName identifies the node which provides the resources if they are local to a node.\n\nA field "
    "selector can be used to list only ResourceSlice objects with a certain node name."
)
DRIVER_TEXT = (
    "DriverName identifies the DRA driver providing the capacity information. A field selector can be used "
    "to list only ResourceSlice objects with a certain driver name."
)


def _field_labels(kind: Kind) -> FieldLabels:
    refusal = f"field label not supported for {kind.api_version}, Kind={kind.kind}: {{label}}"
    return FieldLabels((NAME, "nodeName", "driverName"), refusal, _fields, indexed="nodeName")


def _fields(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"nodeName": obj.get("nodeName", ""), "driverName": obj["driverName"]}


def _columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    return (Column("Node", NODE_TEXT, at("nodeName")), Column("Driver", DRIVER_TEXT, at("driverName")))


CLASSIC_RESOURCE_SLICE = KindDefinition(
    group="resource.k8s.io",
    resource="resourceslices",
    versions=CLASSIC_VERSIONS,
    hub=CLASSIC,
    strategies=of_rules(ResourceSliceStrategy),
    field_labels=_field_labels,
    columns=_columns,
)
