"""ResourceClass of resource.k8s.io/v1alpha2: Kubernetes 1.27 to 1.30.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclass` and `pkg/apis/resource/validation`.
"""

from fakeapi.kinds.resource.legacy_v1alpha2 import CLASSIC_VERSIONS
from fakeapi.kinds.resource.legacy_v1alpha2.parameter_references import (
    validate_class_reference,
)
from fakeapi.kinds.resource.validation.identifiers import validate_driver_name
from fakeapi.kinds.resource.validation.nodes import validate_nodes
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Column, at
from fakeapi.registry.model.definition import CLASSIC, KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy


class ResourceClassStrategy(RulesStrategy):
    """Strategy for ResourceClasses of v1alpha2, in which every field may change."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [
            *validate_driver_name(obj["driverName"], "driverName", self._rules),
            *validate_class_reference(obj, "parametersRef", "parametersRef"),
            *validate_nodes(obj, "suitableNodes", "suitableNodes", self._rules),
        ]

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Validates an update of a v1alpha2 ResourceClass. Like upstream, reports each error twice."""
        errors = [*metadata.of_object, *self.validate_create(new)]
        return [*errors, *metadata.of_change, *errors]


DRIVER_TEXT = (
    "DriverName defines the name of the dynamic resource driver that is used for allocation of a "
    "ResourceClaim that uses this class.\n\nResource drivers have a unique name in forward domain order "
    "(acme.example.com)."
)


RESOURCE_CLASS = KindDefinition(
    group="resource.k8s.io",
    resource="resourceclasses",
    versions=CLASSIC_VERSIONS,
    hub=CLASSIC,
    strategies=of_rules(ResourceClassStrategy),
    columns=lambda schema, quirks: (Column("DriverName", DRIVER_TEXT, at("driverName")),),
)
