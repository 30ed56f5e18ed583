"""DeviceClass of resource.k8s.io/v1alpha3 and newer.

Follows k8s.io/kubernetes `pkg/registry/resource/deviceclass` and `pkg/apis/resource/validation`.
"""

from msgspec.structs import replace

from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.resource.gated_fields import DEVICE_CLASS_FIELDS
from fakeapi.kinds.resource.validation.cel_selectors import (
    CelCheck,
    accept_any_cel,
    cel_warnings,
    device_compiler,
)
from fakeapi.kinds.resource.validation.claim_devices import (
    Checks,
    expressions_of,
    validate_configuration,
    validate_selectors,
)
from fakeapi.kinds.resource.validation.collections import validate_items
from fakeapi.kinds.resource.validation.nodes import validate_nodes
from fakeapi.kinds.resource.validation.resource_names import (
    validate_extended_resource_name,
)
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import with_generation, with_next_generation
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules


class DeviceClassStrategy(Strategy):
    """Strategy for DeviceClasses, in which every field may change.

    Up to 1.34 updates report each error of the spec twice.
    """

    def __init__(self, rules: ReleaseRules, check_cel: CelCheck = accept_any_cel) -> None:
        self._rules = rules
        self._checks = Checks(rules, check_cel)

    def prepare_create(self, obj: Object) -> Object:
        return with_generation(drop_disabled_fields(obj, None, DEVICE_CLASS_FIELDS, self._rules), 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate(obj, None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        return with_next_generation(drop_disabled_fields(new, old, DEVICE_CLASS_FIELDS, self._rules), old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        once = self._rules.quirks.updates_are_checked_once
        return [
            *metadata.of_object,
            *(() if once else self._validate(new, None)),
            *metadata.of_change,
            *self._validate(new, old),
        ]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return cel_warnings(expressions_of(obj["spec"].get("selectors")), self._checks.check_cel)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _validate(self, obj: Object, old: Object | None) -> list[FieldError]:
        """Validates a DeviceClass.

        Selectors and configuration that `old` already has may exceed newer limits.
        """
        spec = obj["spec"]
        checks = replace(self._checks, stored=_is_as_it_was("config", obj, old))
        errors = validate_selectors(
            spec.get("selectors"),
            "spec.selectors",
            replace(self._checks, stored=_is_as_it_was("selectors", obj, old)),
        )
        errors += validate_items(
            spec.get("config"),
            "spec.config",
            self._rules.limits.configs,
            lambda config, path: validate_configuration(config, path, checks),
            self._rules,
        )
        if "extendedResourceName" in spec:
            name = spec["extendedResourceName"]
            errors += validate_extended_resource_name(name, "spec.extendedResourceName")
        # Upstream's path lacks `spec` here.
        return errors + validate_nodes(spec, "suitableNodes", "suitableNodes", self._rules)


def _is_as_it_was(name: str, obj: Object, old: Object | None) -> bool:
    return old is not None and semantically_equal(obj["spec"].get(name), old["spec"].get(name))


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": DeviceClassStrategy(rules, device_compiler(rules))}


DEVICE_CLASS = KindDefinition(group="resource.k8s.io", resource="deviceclasses", strategies=_strategies)
