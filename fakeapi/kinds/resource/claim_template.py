"""ResourceClaimTemplate of resource.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaimtemplate` and `pkg/apis/resource/validation`.
"""

from typing import Any, ClassVar

from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.common.template_metadata import FORBIDDEN, template_metadata_errors
from fakeapi.kinds.resource.claim_spec import ClaimSpecStrategy, validate_claim_spec
from fakeapi.kinds.resource.conversion.requests import TEMPLATE_CONVERSIONS, spec_from_hub
from fakeapi.kinds.resource.gated_fields import CLAIM_TEMPLATE_FIELDS
from fakeapi.kinds.resource.layout import NESTED_PATHS, layout_of
from fakeapi.kinds.resource.validation.cel_selectors import device_compiler
from fakeapi.kinds.resource.validation.claim_devices import Checks
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules


def restore_empty_lists(obj: Object, sent: Any) -> Object:
    """Restores explicitly empty lists in the metadata of the template, such as `finalizers: []`.

    Validation must reject these lists, but decoding drops them. `sent`: the decoded JSON of the request body.
    """
    spec = sent.get("spec") if isinstance(sent, dict) else None
    metadata = spec.get("metadata") if isinstance(spec, dict) else None
    if not isinstance(metadata, dict):
        return obj
    empty: Object = {name: [] for name in FORBIDDEN if metadata.get(name) == []}
    if empty:
        obj["spec"]["metadata"] = {**obj["spec"]["metadata"], **empty}
    return obj


class ClaimTemplateStrategy(ClaimSpecStrategy):
    """Strategy for ResourceClaimTemplates of v1alpha3 and newer. Rejects changes of the spec."""

    claim_path: ClassVar[tuple[str, ...]] = ("spec", "spec")
    spec_type: ClassVar[str] = "ResourceClaimTemplateSpec"
    is_checked_by_updates: ClassVar[bool] = True

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        return restore_empty_lists(super().restore_after_decoding(obj, sent), sent)

    def prepare_create(self, obj: Object) -> Object:
        return drop_disabled_fields(obj, None, CLAIM_TEMPLATE_FIELDS, self._rules)

    def prepare_update(self, new: Object, old: Object) -> Object:
        return drop_disabled_fields(new, old, CLAIM_TEMPLATE_FIELDS, self._rules)

    def validate(self, obj: Object, checks: Checks) -> list[FieldError]:
        return [
            *template_metadata_errors(obj["spec"]["metadata"], "spec.metadata", self._rules.quirks.wording),
            *validate_claim_spec(obj["spec"]["spec"], "spec.spec", checks),
        ]

    def nested_spec(self, obj: Object) -> Object:
        return {**obj["spec"], "spec": spec_from_hub(obj["spec"]["spec"])}


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    check_cel = device_compiler(rules)
    return {"": ClaimTemplateStrategy(rules, context.namespace_labels, check_cel, layout=layout_of(kind))}


CLAIM_TEMPLATE = KindDefinition(
    group="resource.k8s.io",
    resource="resourceclaimtemplates",
    strategies=_strategies,
    conversions=TEMPLATE_CONVERSIONS,
    declared_paths=NESTED_PATHS,
)
