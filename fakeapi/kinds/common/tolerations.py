"""Validates tolerations in objects other than pods.

Follows `ValidateTolerations` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Sequence
from typing import Final

from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
OPERATORS: Final = ("Equal", "Exists")
COMPARING: Final = ("Lt", "Gt")


def validate_tolerations(tolerations: Sequence[Object], path: str, rules: ReleaseRules) -> list[FieldError]:
    return [
        error
        for index, toleration in enumerate(tolerations)
        for error in _validate_toleration(toleration, f"{path}[{index}]", rules)
    ]


def _validate_toleration(toleration: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    key, operator = toleration.get("key", ""), toleration.get("operator", "")
    effect, errors = toleration.get("effect", ""), list[FieldError]()
    if key:
        errors += validate_qualified_name(key, f"{path}.key", rules.quirks.wording)
    elif operator != "Exists":
        rule = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        errors.append(invalid(f"{path}.operator", operator, rule))
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        rule = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        errors.append(invalid(f"{path}.effect", effect, rule))
    errors += _validate_value(operator, toleration.get("value", ""), f"{path}.operator", rules)
    if effect and effect not in EFFECTS:
        errors.append(not_supported(f"{path}.effect", effect, EFFECTS))
    return errors


def _validate_value(operator: str, value: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    if operator in ("Equal", ""):
        messages = names.is_valid_label_value(value, rules.quirks.wording.length_unit)
        return [invalid(path, value, ";".join(messages))] if messages else []
    if operator == "Exists":
        return [invalid(path, value, "value must be empty when `operator` is 'Exists'")] if value else []
    known = (
        (*OPERATORS, *COMPARING) if operator in COMPARING and rules.quirks.tolerations_compare else OPERATORS
    )
    return [not_supported(path, operator, known)]
