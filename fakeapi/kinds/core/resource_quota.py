"""Defines the kind core/v1 ResourceQuota.

Follows k8s.io/kubernetes `pkg/registry/core/resourcequota` and ValidateResourceQuota of
`pkg/apis/core/validation`. fakeapi validates resources in the order of their names; upstream's order is
random.
"""

from collections.abc import Iterable

from fakeapi.kinds.common.printing.quantities import printed_invalid_resource_name
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.common.resource_names import (
    HUGE_PAGES,
    QUOTA_PREFIX,
    validate_resource_amount,
    validate_resource_name,
)
from fakeapi.kinds.common.status_strategies import SpecKeptStrategy, StatusKeptStrategy
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy

OF_PODS = ("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity")
"""Scopes for which a scope selector allows only the operator Exists."""

_CONFLICTING = ({"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"})
_COMPUTE = frozenset(
    {"cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"},
)
_STANDARD = _COMPUTE | {
    "configmaps",
    "ephemeral-storage",
    "limits.ephemeral-storage",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "requests.ephemeral-storage",
    "requests.storage",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
}
_BOUNDED = ("cpu", "memory", "storage", "ephemeral-storage")
"""Resources for which the server warns if the quota of requests is greater than the quota of limits."""


class ResourceQuotaStrategy(StatusKeptStrategy, RulesStrategy):
    """Prepares and validates new and updated ResourceQuotas. Updates keep the status."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        errors = self._amount_errors(spec.get("hard"), "spec.hard")
        errors += self._scope_errors(spec)
        if spec.get("scopeSelector") is not None:
            errors += self._selector_errors(spec)
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_change, *self.validate_create(new)]
        scopes = new["spec"].get("scopes")
        if set(scopes or ()) != set(old["spec"].get("scopes") or ()):
            errors.append(invalid("spec.scopes", self._printed_scopes(scopes), FIELD_IMMUTABLE))
        return errors

    def warnings_on_create(self, obj: Object) -> list[str]:
        if not self._rules.quirks.quota_requests_above_limits_are_warned_about:
            return []
        hard: dict[str, str] = obj["spec"].get("hard") or {}
        warnings: list[str] = []
        for name in _BOUNDED:
            request, limit = f"requests.{name}", f"limits.{name}"
            if request not in hard and name in ("cpu", "memory"):
                request = name
            if request in hard and limit in hard and quantity.compare(hard[request], hard[limit]) > 0:
                warnings.append(
                    f"ResourceQuota {request} ({hard[request]}) should be less than {limit} ({hard[limit]})"
                )
        return warnings

    def _amount_errors(self, amounts: dict[str, str] | None, path: str) -> list[FieldError]:
        wording, errors = self._rules.quirks.wording, list[FieldError]()
        for name, amount in sorted((amounts or {}).items()):
            place = f"{path}[{name}]"
            errors += validate_resource_name(name, place, wording)
            if "/" not in name and not _is_standard(name):
                printed = printed_invalid_resource_name(name, wording)
                errors.append(invalid(place, printed, "must be a standard resource for quota"))
            errors += validate_resource_amount(name, amount, place, wording)
        return errors

    def _scope_errors(self, spec: Object) -> list[FieldError]:
        scopes: list[str] = spec.get("scopes") or []
        path, printed = "spec.scopes", self._printed_scopes(scopes)
        errors: list[FieldError] = []
        for scope in scopes:
            if not self._is_known(scope):
                errors.append(invalid(path, printed, "unsupported scope"))
            errors += [
                invalid(path, printed, "unsupported scope applied to resource")
                for name in self._outside(scope, spec.get("hard") or ())
            ]
        return errors + self._conflicts(scopes, spec)

    def _selector_errors(self, spec: Object) -> list[FieldError]:
        path, errors = "spec.scopeSelector.matchExpressions", list[FieldError]()
        expressions: list[Object] = spec["scopeSelector"].get("matchExpressions") or []
        for requirement in expressions:
            scope, operator, values = (
                requirement["scopeName"],
                requirement["operator"],
                requirement.get("values"),
            )
            if not self._is_known(scope):
                errors.append(invalid(f"{path}.scopeName", scope, "unsupported scope"))
            for _ in self._outside(scope, spec.get("hard") or ()):
                printed = printed_struct(spec["scopeSelector"], "core/v1.ScopeSelector", self._rules)
                errors.append(invalid(path, printed, "unsupported scope applied to resource"))
            if scope in OF_PODS and operator != "Exists":
                errors.append(invalid(f"{path}.operator", operator, self._rules.quirks.quota_scopes_exist))
            errors += self._operator_errors(operator, values, path)
        return errors + self._conflicts([requirement["scopeName"] for requirement in expressions], spec)

    def _operator_errors(self, operator: str, values: list[str] | None, path: str) -> list[FieldError]:
        if operator in ("In", "NotIn"):
            why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            return [] if values else [required(f"{path}.values", why)]
        if operator in ("Exists", "DoesNotExist"):
            printed = printed_strings(values, self._rules.quirks.wording)
            why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            return [invalid(f"{path}.values", printed, why)] if values else []
        return [invalid(f"{path}.operator", operator, "not a valid selector operator")]

    def _conflicts(self, scopes: Iterable[str], spec: Object) -> list[FieldError]:
        chosen, printed = set(scopes), self._printed_scopes(spec.get("scopes"))
        pairs = [pair for pair in _CONFLICTING if pair <= chosen]
        return [invalid("spec.scopes", printed, "conflicting scopes") for _ in pairs]

    def _printed_scopes(self, scopes: list[str] | None) -> Dump:
        return printed_strings(scopes, self._rules.quirks.wording, "[]core.ResourceQuotaScope")

    def _is_known(self, scope: str) -> bool:
        of_volumes = scope == "VolumeAttributesClass" and self._rules.quirks.quota_has_scope_of_volumes
        return scope in (*OF_PODS, "PriorityClass") or of_volumes

    def _outside(self, scope: str, hard: Iterable[str]) -> list[str]:
        """Returns the standard resources in `hard` to which the scope does not apply, sorted by name."""
        return [name for name in sorted(hard) if _is_standard(name) and not self._applies(scope, name)]

    def _applies(self, scope: str, name: str) -> bool:
        if scope == "BestEffort":
            return name == "pods"
        if scope in (*OF_PODS, "PriorityClass"):
            return name == "pods" or name in _COMPUTE
        if scope == "VolumeAttributesClass" and self._rules.quirks.quota_has_scope_of_volumes:
            return name in ("persistentvolumeclaims", "requests.storage")
        return True


class ResourceQuotaStatusStrategy(SpecKeptStrategy, ResourceQuotaStrategy):
    """Prepares and validates writes to `/status` of a ResourceQuota. Such writes keep the spec."""

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = list(metadata.of_change)
        for field in ("hard", "used"):
            errors += self._amount_errors(new["status"].get(field), f"status.{field}")
        return errors

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return []


def _is_standard(name: str) -> bool:
    return name in _STANDARD or name.startswith((HUGE_PAGES, f"{QUOTA_PREFIX}{HUGE_PAGES}"))


def _used(*, limits: bool) -> Cell:
    """Returns a table cell function that prints the used and the allowed amounts of resources.

    `limits`: whether the cell shows the resources `limits.…`; if false, the cell shows all other resources
    """

    def cell(obj: Object, now: float) -> str:
        status = obj["status"]
        used = status.get("used") or {}
        return ", ".join(
            f"{name}: {used.get(name, '0')}/{hard}"
            for name, hard in sorted((status.get("hard") or {}).items())
            if name.startswith("limits.") == limits
        )

    return cell


RESOURCE_QUOTA = KindDefinition(
    group="",
    resource="resourcequotas",
    strategies=of_rules(ResourceQuotaStrategy, ResourceQuotaStatusStrategy),
    cells=lambda quirks: {"Request": _used(limits=False), "Limit": _used(limits=True)},
    table_subresources=frozenset(("status",)),
)
