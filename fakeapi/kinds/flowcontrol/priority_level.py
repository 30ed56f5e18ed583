"""Defines the kind PriorityLevelConfiguration of flowcontrol.apiserver.k8s.io.

Follows k8s.io/kubernetes `pkg/apis/flowcontrol/validation`, the conversions of `pkg/apis/flowcontrol/v1beta2`
and `v1beta3`, and `pkg/registry/flowcontrol/prioritylevelconfiguration`. Objects are stored in the layout of
v1.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.flowcontrol.strategy import (
    GROUP,
    FlowControlStatusStrategy,
    FlowControlStrategy,
)
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.conversion import Conversion
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

KEEPS_ZERO = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
"""The annotation that distinguishes concurrency shares of 0 from unset shares in v1beta3."""

SHARES, ASSURED = "nominalConcurrencyShares", "assuredConcurrencyShares"
SHARES_DEFAULT = 30
QUEUES_MAX = 10_000_000
HASH_BITS_MAX = 60
EXEMPT, LIMITED = "Exempt", "Limited"
_MANDATORY: dict[str, dict[str, Any]] = {
    "exempt": {"type": EXEMPT},
    "catch-all": {
        "type": LIMITED,
        "limited": {SHARES: 5, "limitResponse": {"type": "Reject"}, "lendablePercent": 0},
    },
}
"""Specs of the mandatory PriorityLevelConfigurations.

Clients can only change the field `exempt` of the level "exempt".
"""


class PriorityLevelStrategy(FlowControlStrategy):
    """Strategy for PriorityLevelConfigurations in one API version.

    Errors about concurrency shares use the field name of this version.
    """

    def __init__(self, rules: ReleaseRules, version: str) -> None:
        super().__init__(rules)
        self._version = version
        self._shares = ASSURED if version == "v1beta2" else SHARES

    def default(self, obj: Object) -> Object:
        """Sets the default concurrency shares in v1beta3, unless an annotation marks 0 shares as intended."""
        limited = obj["spec"].get("limited")
        keeps = KEEPS_ZERO in (obj["metadata"].get("annotations") or {})
        if self._version == "v1beta3" and limited is not None and not limited.get(SHARES) and not keeps:
            limited[SHARES] = SHARES_DEFAULT
        return obj

    def errors_of(self, obj: Object) -> list[FieldError]:
        spec, metadata = obj["spec"], obj["metadata"]
        name = metadata.get("name", "")
        errors: list[FieldError] = []
        if KEEPS_ZERO in (metadata.get("annotations") or {}):
            errors.append(forbidden("metadata.annotations", f"annotation '{KEEPS_ZERO}' is forbidden"))
        errors += self._spec_errors(spec, name)
        mandatory = _MANDATORY.get(name)
        if mandatory is None:
            return errors
        seen = {field: value for field, value in spec.items() if field != "exempt" or name != "exempt"}
        if not semantically_equal(_sorted(seen), _sorted(mandatory)):
            but = " except the 'spec.exempt' field" if self._may_be_exempt and name == "exempt" else ""
            bad_value = printed_struct(
                spec,
                self._rules.schemas.newest_type("flowcontrol", "PriorityLevelConfigurationSpec"),
                self._rules,
            )
            errors.append(invalid("spec", bad_value, f"spec of '{name}'{but} must equal the fixed value"))
        return errors

    @property
    def _may_be_exempt(self) -> bool:
        """Whether the release has the field `spec.exempt`."""
        name = self._rules.schemas.newest_type("flowcontrol", "PriorityLevelConfigurationSpec")
        return "exempt" in self._rules.schemas.struct(name).fields

    def _spec_errors(self, spec: dict[str, Any], name: str) -> list[FieldError]:
        errors: list[FieldError] = []
        kind, limited, exempt = spec["type"], spec.get("limited"), spec.get("exempt")
        if (name == "exempt") != (kind == EXEMPT):
            errors.append(invalid("spec.type", kind, self._rules.quirks.exempt_level))
        if kind == EXEMPT:
            if limited is not None:
                errors.append(forbidden("spec.limited", "must be nil if the type is not Limited"))
            if exempt is not None:
                errors += _exempt_errors(exempt)
        elif kind == LIMITED:
            if exempt is not None:
                errors.append(forbidden("spec.exempt", "must be nil if the type is Limited"))
            if limited is None:
                errors.append(required("spec.limited", "must not be empty when type is Limited"))
            else:
                errors += self._limited_errors(limited)
        else:
            errors.append(self._unknown("spec.type", kind, (EXEMPT, LIMITED)))
        return errors

    def _limited_errors(self, limited: dict[str, Any]) -> list[FieldError]:
        shares, path = limited.get(SHARES) or 0, f"spec.limited.{self._shares}"
        errors: list[FieldError] = []
        if shares < 0 and self._rules.quirks.levels_may_have_no_shares:
            errors.append(invalid(path, shares, "must be a non-negative integer"))
        elif shares <= 0 and not self._rules.quirks.levels_may_have_no_shares:
            errors.append(invalid(path, shares, "must be positive"))
        errors += self._response_errors(limited["limitResponse"], "spec.limited.limitResponse")
        errors += _percent_errors(limited.get("lendablePercent"), "spec.limited.lendablePercent")
        borrowed = limited.get("borrowingLimitPercent")
        if borrowed is not None and borrowed < 0:
            why = "if specified, must be a non-negative integer"
            errors.append(invalid("spec.limited.borrowingLimitPercent", borrowed, why))
        return errors

    def _response_errors(self, response: dict[str, Any], path: str) -> list[FieldError]:
        queuing: Any = response.get("queuing")
        match response["type"]:
            case "Reject" if queuing is None:
                return []
            case "Reject":
                why = "must be nil if limited.limitResponse.type is not Limited"
                return [forbidden(f"{path}.queuing", why)]
            case "Queue" if queuing is None:
                why = "must not be empty if limited.limitResponse.type is Limited"
                return [required(f"{path}.queuing", why)]
            case "Queue":
                return _queuing_errors(queuing, f"{path}.queuing")
            case other:
                return [self._unknown(f"{path}.type", other, ("Queue", "Reject"))]

    def _unknown(self, path: str, value: str, known: tuple[str, ...]) -> FieldError:
        if not value and self._rules.quirks.empty_level_type_is_required:
            return required(path)
        return not_supported(path, value, known)


def _exempt_errors(exempt: dict[str, Any]) -> list[FieldError]:
    shares = exempt.get(SHARES)
    errors = _percent_errors(exempt.get("lendablePercent"), "spec.exempt.lendablePercent")
    if shares is None or shares >= 0:
        return errors
    return [invalid(f"spec.exempt.{SHARES}", shares, "must be a non-negative integer"), *errors]


def _percent_errors(percent: int | None, path: str) -> list[FieldError]:
    if percent is None or 0 <= percent <= 100:
        return []
    return [invalid(path, percent, "must be between 0 and 100, inclusive")]


def _queuing_errors(queuing: dict[str, Any], path: str) -> list[FieldError]:
    queues, hand, length = queuing["queues"], queuing["handSize"], queuing["queueLengthLimit"]
    errors: list[FieldError] = []
    if length <= 0:
        errors.append(invalid(f"{path}.queueLengthLimit", length, "must be positive"))
    if queues <= 0:
        errors.append(invalid(f"{path}.queues", queues, "must be positive"))
    elif queues > QUEUES_MAX:
        errors.append(invalid(f"{path}.queues", queues, f"must not be greater than {QUEUES_MAX}"))
    if hand <= 0:
        errors.append(invalid(f"{path}.handSize", hand, "must be positive"))
    elif hand > queues:
        why = f"should not be greater than queues ({queues})"
        errors.append(invalid(f"{path}.handSize", hand, why))
    elif math.ceil(math.log2(queues) * hand) > HASH_BITS_MAX:
        why = (
            f"required entropy bits of deckSize {queues} and handSize {hand} "
            f"should not be greater than {HASH_BITS_MAX}"
        )
        errors.append(invalid(f"{path}.handSize", hand, why))
    return errors


def _sorted(value: Any) -> Any:
    """Returns the value with the keys of its mappings in sorted order."""
    return {name: _sorted(value[name]) for name in sorted(value)} if isinstance(value, dict) else value


def _with_limited(obj: Object, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Object:
    limited = obj["spec"].get("limited")
    if limited is None:
        return obj
    return {**obj, "spec": {**obj["spec"], "limited": change(limited)}}


def _renamed(old: str, new: str) -> Callable[[Object], Object]:
    def change(limited: dict[str, Any]) -> dict[str, Any]:
        return {new if name == old else name: value for name, value in limited.items()}

    return lambda obj: _with_limited(obj, change)


def _with_annotations(obj: Object, annotations: dict[str, str]) -> Object:
    metadata = {name: value for name, value in obj["metadata"].items() if name != "annotations"}
    if annotations:
        metadata["annotations"] = dict(sorted(annotations.items()))
    return {**obj, "metadata": in_order(metadata)}


def _from_v1beta3(obj: Object) -> Object:
    annotations = obj["metadata"].get("annotations") or {}
    if KEEPS_ZERO not in annotations:
        return obj
    return _with_annotations(obj, {name: text for name, text in annotations.items() if name != KEEPS_ZERO})


def _to_v1beta3(obj: Object) -> Object:
    limited = obj["spec"].get("limited")
    if limited is None or limited.get(SHARES):
        return obj
    obj = _with_limited(obj, lambda settings: {SHARES: 0, **settings})
    return _with_annotations(obj, {**(obj["metadata"].get("annotations") or {}), KEEPS_ZERO: ""})


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": PriorityLevelStrategy(rules, kind.version), "status": FlowControlStatusStrategy(rules)}


def _limited_cell(*path: str) -> Cell:
    def cell(obj: Object, now: float) -> str | int:
        value: Any = obj["spec"].get("limited")
        for name in path:
            value = None if value is None else value.get(name)
        return "<none>" if value is None else value

    return cell


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    queuing = ("limitResponse", "queuing")
    return {
        "Type": lambda obj, now: obj["spec"]["type"],
        "NominalConcurrencyShares": _shares_cell,
        "Queues": _limited_cell(*queuing, "queues"),
        "HandSize": _limited_cell(*queuing, "handSize"),
        "QueueLengthLimit": _limited_cell(*queuing, "queueLengthLimit"),
    }


def _shares_cell(obj: Object, now: float) -> str | int:
    """Returns the table cell for concurrency shares (in v1beta2: assuredConcurrencyShares)."""
    limited = obj["spec"].get("limited")
    return "<none>" if limited is None else limited.get(SHARES, limited.get(ASSURED, 0))


PRIORITY_LEVEL = KindDefinition(
    group=GROUP,
    resource="prioritylevelconfigurations",
    strategies=_strategies,
    conversions={
        "v1beta2": Conversion(_renamed(ASSURED, SHARES), _renamed(SHARES, ASSURED)),
        "v1beta3": Conversion(_from_v1beta3, _to_v1beta3),
    },
    cells=_cells,
    table_subresources=frozenset({"status"}),
)
