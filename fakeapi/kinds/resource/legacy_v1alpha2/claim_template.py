"""ResourceClaimTemplate of resource.k8s.io/v1alpha2: Kubernetes 1.27 to 1.30.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaimtemplate` and `pkg/apis/resource/validation`.
"""

from typing import Any

from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.common.template_metadata import template_metadata_errors
from fakeapi.kinds.resource.claim_template import restore_empty_lists
from fakeapi.kinds.resource.legacy_v1alpha2 import CLASSIC_VERSIONS
from fakeapi.kinds.resource.legacy_v1alpha2.claim import (
    class_and_mode,
    default_claim_spec,
    validate_claim_spec,
)
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import CLASSIC, KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy


class ClaimTemplateStrategy(RulesStrategy):
    """Strategy for ResourceClaimTemplates of v1alpha2. Rejects changes of the spec."""

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        return restore_empty_lists(obj, sent)

    def default(self, obj: Object) -> Object:
        default_claim_spec(obj["spec"]["spec"])
        return obj

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [
            *template_metadata_errors(obj["spec"]["metadata"], "spec.metadata", self._rules.quirks.wording),
            *validate_claim_spec(obj["spec"]["spec"], "spec.spec"),
        ]

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Validates an update of a v1alpha2 ResourceClaimTemplate.

        Like upstream, reports each error of the spec twice.
        """
        errors = [*metadata.of_object, *self.validate_create(new)]
        return [
            *errors,
            *metadata.of_change,
            *validate_immutable_struct(
                new["spec"],
                old["spec"],
                "spec",
                self._rules.schemas.newest_type("resource", "ResourceClaimTemplateSpec"),
                self._rules,
            ),
            *errors,
        ]


CLASSIC_CLAIM_TEMPLATE = KindDefinition(
    group="resource.k8s.io",
    resource="resourceclaimtemplates",
    versions=CLASSIC_VERSIONS,
    hub=CLASSIC,
    strategies=of_rules(ClaimTemplateStrategy),
    columns=lambda schema, quirks: class_and_mode("spec", "spec"),
)
