"""Validates taints of Nodes, and the old annotations that contain taints and preferAvoidPods as JSON.

Follows `validateNodeTaints` and `ValidateNodeSpecificAnnotations` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, not_supported, required
from fakeapi.machinery.golang import json_decoding
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules

TAINTS_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/taints"
AVOID_PODS_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"
EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def validate_taints(taints: Sequence[Object], path: str, rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = []
    known: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        here, key, effect = f"{path}[{index}]", taint.get("key", ""), taint.get("effect", "")
        errors += _validate_taint(taint, key, effect, here, rules)
        if (key, effect) in known:
            error = duplicate(here, printed_struct(taint, "core/v1.Taint", rules))
            errors.append(replace(error, body=f"{error.body}: taints must be unique by key and effect pair"))
        known.add((key, effect))
    return errors


def _validate_taint(taint: Object, key: str, effect: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = validate_qualified_name(key, f"{path}.key", rules.quirks.wording)
    value = taint.get("value", "")
    if messages := names.is_valid_label_value(value, rules.quirks.wording.length_unit):
        errors.append(invalid(f"{path}.value", value, ";".join(messages)))
    if not effect:
        errors.append(required(f"{path}.effect"))
    elif effect not in EFFECTS:
        errors.append(not_supported(f"{path}.effect", effect, EFFECTS))
    return errors


def validate_node_annotations(annotations: Mapping[str, str], rules: ReleaseRules) -> list[FieldError]:
    """Validates the annotations of a Node that contain taints or pods to avoid as JSON."""
    path, errors = "metadata.annotations", list[FieldError]()
    if text := annotations.get(TAINTS_ANNOTATION):
        taints = _read(text, list)
        if isinstance(taints, str):
            errors.append(invalid(path, TAINTS_ANNOTATION, taints))
        else:
            errors += validate_taints(
                [taint for taint in taints or () if isinstance(taint, dict)],
                f"{path}.{TAINTS_ANNOTATION}",
                rules,
            )
    if text := annotations.get(AVOID_PODS_ANNOTATION):
        avoided = _read(text, dict)
        if isinstance(avoided, str):
            errors.append(invalid(f"{path}.AvoidPods", AVOID_PODS_ANNOTATION, avoided))
        else:
            errors += _validate_avoided(avoided or {}, f"{path}.{AVOID_PODS_ANNOTATION}")
    return errors


def _read(text: str, wanted: type) -> Any:
    """Decodes the JSON text of an annotation. Returns a value of the type `wanted`; None for `null`.

    For invalid JSON or a value of another type, returns the error message of Go's decoder instead.
    """
    try:
        value = json_decoding.decode_lenient(text.encode("utf-8", "surrogateescape"))
    except JsonError as error:
        return str(error)
    if value is None or isinstance(value, wanted):
        return value
    kind = {dict: "object", list: "array", str: "string", bool: "bool"}.get(type(value), "number")
    target = "[]v1.Taint" if wanted is list else "v1.AvoidPods"
    return f"json: cannot unmarshal {kind} into Go value of type {target}"


def _validate_avoided(avoided: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    entries = avoided.get("preferAvoidPods")
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        here = f"{path}[{index}].PodSignature"
        signature = (entry if isinstance(entry, dict) else {}).get("podSignature")
        controller = (signature if isinstance(signature, dict) else {}).get("podController")
        if not isinstance(controller, dict):
            errors.append(required(here))
        elif controller.get("controller") is not True:
            path_of_flag = f"{here}.PodController.Controller"
            errors.append(invalid(path_of_flag, False, "must point to a controller"))
    return errors
