"""DeviceTaintRule of resource.k8s.io/v1alpha3: Kubernetes 1.33.

Follows k8s.io/kubernetes `pkg/registry/resource/devicetaintrule` and `pkg/apis/resource/validation`.
"""

from dataclasses import replace

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.groups.resource_k8s_io.validation.cel_selectors import (
    CelCheck,
    accept_any_cel,
    cel_warnings,
)
from fakeapi.registry.groups.resource_k8s_io.validation.claim_devices import (
    Checks,
    expressions_of,
    validate_selectors,
)
from fakeapi.registry.groups.resource_k8s_io.validation.identifiers import (
    validate_dns_label,
    validate_dns_subdomain,
    validate_driver_name,
    validate_pool_name,
)
from fakeapi.registry.groups.resource_k8s_io.validation.taints import Now, default_taint, validate_taint
from fakeapi.registry.object_meta import with_generation, with_next_generation
from fakeapi.registry.semantic_equality import semantically_equal
from fakeapi.registry.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases.rules import ReleaseRules


class DeviceTaintRuleStrategy(Strategy):
    """Everything of a rule may change."""

    def __init__(self, rules: ReleaseRules, now: Now, check_cel: CelCheck = accept_any_cel) -> None:
        self._rules = rules
        self._now = now
        self._checks = Checks(rules, check_cel)

    def default(self, obj: Object) -> Object:
        obj["spec"]["taint"] = default_taint(obj["spec"]["taint"], self._now)
        return obj

    def prepare_create(self, obj: Object) -> Object:
        return with_generation(obj, 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate(obj, None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        return with_next_generation(new, old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self._validate(new, old)]

    def warnings_on_create(self, obj: Object) -> list[str]:
        selectors = obj["spec"].get("deviceSelector", {}).get("selectors")
        return cel_warnings(expressions_of(selectors), self._checks.check_cel)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _validate(self, obj: Object, old: Object | None) -> list[FieldError]:
        errors = self._validate_selector(obj, old)
        return errors + validate_taint(obj["spec"]["taint"], "spec.taint")

    def _validate_selector(self, obj: Object, old: Object | None) -> list[FieldError]:
        if "deviceSelector" not in obj["spec"]:
            return []
        selector, path, rules = obj["spec"]["deviceSelector"], "spec.deviceSelector", self._rules
        errors: list[FieldError] = []
        if "deviceClassName" in selector:
            errors += validate_dns_subdomain(selector["deviceClassName"], f"{path}.deviceClassName")
        if "driver" in selector:
            errors += validate_driver_name(selector["driver"], f"{path}.driver", rules)
        if "pool" in selector:
            errors += validate_pool_name(selector["pool"], f"{path}.pool", rules)
        if "device" in selector:
            errors += validate_dns_label(selector["device"], f"{path}.device")
        before = None if old is None else old["spec"].get("deviceSelector")
        selectors = selector.get("selectors")
        is_storage_version = before is not None and semantically_equal(selectors, before.get("selectors"))
        checks = replace(self._checks, stored=is_storage_version)
        return errors + validate_selectors(selectors, f"{path}.selectors", checks)
