"""Validates tolerations of pods.

Follows `ValidateTolerations` and `validateOnlyAddedTolerations` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

import re
from collections.abc import Sequence

from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.kinds.common.printing.values import printed_plain, printed_struct
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import forbidden, invalid, not_supported
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS = ("Equal", "Exists")
_COMPARING = ("Lt", "Gt")

_is_decimal = re.compile(r"0|-?[1-9][0-9]*").fullmatch
_is_parsed = re.compile(r"[+-]?[0-9]+").fullmatch


def toleration_errors(tolerations: Sequence[Object], path: str, checks: PodChecks) -> Errors:
    for index, toleration in enumerate(tolerations):
        yield from _toleration_errors(toleration, f"{path}[{index}]", checks)


def added_toleration_errors(
    new: Sequence[Object], old: Sequence[Object], path: str, checks: PodChecks
) -> Errors:
    """Validates an update of tolerations. Updates may only add tolerations and change tolerationSeconds."""
    kept = [_without_time(toleration) for toleration in new]
    if any(_without_time(toleration) not in kept for toleration in old):
        yield forbidden(path, "existing toleration can not be modified except its tolerationSeconds")
        return
    yield from toleration_errors(new, path, checks)


def _without_time(toleration: Object) -> Object:
    return {name: value for name, value in toleration.items() if name != "tolerationSeconds"}


def _toleration_errors(toleration: Object, path: str, checks: PodChecks) -> Errors:
    key, operator = toleration.get("key", ""), toleration.get("operator", "")
    effect = toleration.get("effect", "")
    if key:
        yield from validate_qualified_name(key, f"{path}.key", checks.wording)
    elif operator != "Exists":
        rule = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        yield invalid(f"{path}.operator", printed_plain(operator, checks.wording), rule)
    if "tolerationSeconds" in toleration and effect != "NoExecute":
        rule = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        yield invalid(f"{path}.effect", printed_plain(effect, checks.wording), rule)
    yield from _value_errors(toleration, path, checks)
    if effect and effect not in EFFECTS:
        yield not_supported(f"{path}.effect", printed_plain(effect, checks.wording), EFFECTS)


def _value_errors(toleration: Object, path: str, checks: PodChecks) -> Errors:
    operator, value = toleration.get("operator", ""), toleration.get("value", "")
    place = f"{path}.operator"
    if operator in ("Equal", ""):
        if messages := names.is_valid_label_value(value, checks.wording.length_unit):
            yield invalid(place, value, ";".join(messages))
    elif operator == "Exists":
        if value:
            printed = (
                printed_struct(toleration, "core/v1.Toleration", checks.rules)
                if checks.quirks.toleration_is_shown
                else value
            )
            yield invalid(place, printed, "value must be empty when `operator` is 'Exists'")
    elif operator in _COMPARING and checks.quirks.tolerations_can_compare:
        if checks.comparing_tolerations:
            yield from _number_errors(value, f"{path}.value")
        else:
            yield not_supported(place, printed_plain(operator, checks.wording), (*_OPERATORS, *_COMPARING))
    else:
        yield not_supported(place, printed_plain(operator, checks.wording), _OPERATORS)


def _number_errors(value: str, path: str) -> Errors:
    if not value:
        yield invalid(path, value, "must be non-empty")
    elif not _is_decimal(value):
        yield invalid(path, value, "must be a valid decimal integer in canonical form")
    if not _is_parsed(value):
        yield invalid(path, value, f"strconv.ParseInt: parsing {quote(value)}: invalid syntax")
    elif not -(1 << 63) <= int(value[:21]) < 1 << 63:
        yield invalid(path, value, f"strconv.ParseInt: parsing {quote(value)}: value out of range")
