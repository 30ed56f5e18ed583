"""Defines the kind core/v1 LimitRange.

Follows k8s.io/kubernetes `pkg/registry/core/limitrange` and ValidateLimitRange of `pkg/apis/core/validation`.
These packages have the same rules in 1.27 to 1.37; only error messages differ. fakeapi validates resources in
the order of their names; upstream's order is random.
"""

from collections.abc import Iterator
from typing import ClassVar

from fakeapi.kinds.common.printing.quantities import printed_quantity
from fakeapi.kinds.common.resource_names import (
    may_overcommit,
    validate_container_resource_name,
    validate_resource_name,
)
from fakeapi.machinery.field_errors import FieldError, duplicate, forbidden, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names, quantity
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases.rules import ReleaseRules

CLAIM = "PersistentVolumeClaim"
_TYPES = ("Pod", "Container", CLAIM)
_FIELDS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_OF_CONTAINERS_ONLY = ("default", "defaultRequest")

_ORDERS = (
    ("min", "max", "min", "min", "min value {} is greater than max value {}"),
    (
        "min",
        "defaultRequest",
        "defaultRequest",
        "defaultRequest",
        "min value {} is greater than default request value {}",
    ),
    (
        "defaultRequest",
        "max",
        "defaultRequest",
        "defaultRequest",
        "default request value {} is greater than max value {}",
    ),
    (
        "defaultRequest",
        "default",
        "defaultRequest",
        "defaultRequest",
        "default request value {} is greater than default limit value {}",
    ),
    ("min", "default", "default", "min", "min value {} is greater than default value {}"),
    ("default", "max", "default", "max", "default value {} is greater than max value {}"),
)
"""Pairs of LimitRange fields. The amount in the first field must not be greater than in the second.

Each row has five strings:

- the first and the second field
- the field in the path of the error
- the field whose amount the error prints
- the error message, with placeholders for both amounts
"""


class LimitRangeStrategy(Strategy):
    """Validates new and updated LimitRanges."""

    creates_on_update: ClassVar[bool] = True

    def __init__(self, rules: ReleaseRules) -> None:
        self._wording = rules.quirks.wording

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        seen: set[str] = set()
        for index, limit in enumerate(obj["spec"].get("limits") or ()):
            path, kind = f"spec.limits[{index}]", limit.get("type", "")
            errors += self._type_errors(kind, f"{path}.type")
            if kind in seen:
                errors.append(duplicate(f"{path}.type", kind))
            seen.add(kind)
            errors += self._limit_errors(limit, kind, path)
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Returns the errors of an updated LimitRange, by the rules for new LimitRanges."""
        return [*metadata.of_object, *self.validate_create(new)]

    def _type_errors(self, kind: str, path: str) -> list[FieldError]:
        messages = names.is_qualified_name(kind, self._wording.length_unit)
        if not messages and "/" not in kind and kind not in _TYPES:
            messages = ["must be a standard limit type or fully qualified"]
        return [invalid(path, kind, message) for message in messages]

    def _limit_errors(self, limit: Object, kind: str, path: str) -> list[FieldError]:
        errors: list[FieldError] = []
        present: dict[str, dict[str, str]] = {}
        for field in _FIELDS:
            amounts: dict[str, str] = limit.get(field) or {}
            if field == "maxLimitRequestRatio" and kind == CLAIM and not _bounds_storage(limit):
                why = "either minimum or maximum storage value is required, but neither was provided"
                errors.append(required(f"{path}.limits", why))
            if kind == "Pod" and field in _OF_CONTAINERS_ONLY:
                if amounts:
                    errors.append(forbidden(f"{path}.{field}", "may not be specified when `type` is 'Pod'"))
                continue
            present[field] = amounts
            for name in sorted(amounts):
                errors += self._name_errors(kind, name, f"{path}.{field}[{name}]")
        for name in sorted({name for amounts in present.values() for name in amounts}):
            amounts = {field: amounts[name] for field, amounts in present.items() if name in amounts}
            errors += self._order_errors(amounts, name, path)
        return errors

    def _name_errors(self, kind: str, name: str, path: str) -> list[FieldError]:
        of_container = kind in ("Pod", "Container")
        validate = validate_container_resource_name if of_container else validate_resource_name
        return validate(name, path, self._wording)

    def _order_errors(self, amounts: dict[str, str], name: str, path: str) -> Iterator[FieldError]:
        """Yields an error for each pair of amounts that contradict each other, such as min and max.

        `amounts`: the amounts of the resource by field, such as `min`
        """
        for less, more, field, printed, words in _ORDERS:
            if less in amounts and more in amounts and quantity.compare(amounts[less], amounts[more]) > 0:
                why = words.format(amounts[less], amounts[more])
                amount = printed_quantity(amounts[printed], self._wording)
                yield invalid(f"{path}.{field}[{name}]", amount, why)
        yield from self._ratio_errors(amounts, f"{path}.maxLimitRequestRatio[{name}]")
        default, request = amounts.get("default"), amounts.get("defaultRequest")
        if default is None or request is None or may_overcommit(name):
            return
        if quantity.compare(default, request):
            why = f"default value {default} must equal to defaultRequest value {request} in {name}"
            yield invalid(f"{path}.defaultRequest[{name}]", printed_quantity(request, self._wording), why)

    def _ratio_errors(self, amounts: dict[str, str], path: str) -> Iterator[FieldError]:
        ratio, least, most = (amounts.get(field) for field in ("maxLimitRequestRatio", "min", "max"))
        if ratio is None:
            return
        if quantity.compare(ratio, "1") < 0:
            yield invalid(path, printed_quantity(ratio, self._wording), f"ratio {ratio} is less than 1")
        if least is None or most is None:
            return
        bottom, top = (float(quantity.parse(amount).amount) for amount in (least, most))
        limit = top / bottom if bottom else float("inf") if top else float("nan")
        if float(quantity.parse(ratio).amount) > limit:
            printed = f"{limit:f}" if bottom else "+Inf"
            yield invalid(
                path,
                printed_quantity(ratio, self._wording),
                f"ratio {ratio} is greater than max/min = {printed}",
            )


def _bounds_storage(limit: Object) -> bool:
    return any("storage" in (limit.get(field) or {}) for field in ("min", "max"))


LIMIT_RANGE = KindDefinition(group="", resource="limitranges", strategies=of_rules(LimitRangeStrategy))
