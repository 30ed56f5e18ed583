"""Validates the update strategy, the pod template and the changes of StatefulSets."""

from typing import Any

from fakeapi.kinds.apps.validation.rolling_updates import with_zeros
from fakeapi.kinds.common.int_or_percent import (
    number_of,
    validate_at_most_100_percent,
    validate_int_or_percent,
)
from fakeapi.kinds.common.pod_templates import validate_selected
from fakeapi.kinds.common.printing.quantities import printed_int_or_string
from fakeapi.kinds.common.printing.values import (
    printed_field,
    printed_plain,
    printed_selector,
    printed_struct,
    printed_value,
)
from fakeapi.kinds.common.workloads import template_labels
from fakeapi.kinds.core.pod.validation.annotations import annotation_errors
from fakeapi.kinds.core.pod.validation.checks import PodChecks
from fakeapi.kinds.core.pod.validation.template import validate_pod_template_spec
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.machinery.meta.object_meta import validate_annotations, validate_labels
from fakeapi.machinery.meta.wording import Wording
from fakeapi.machinery.schema.unversioned_syntax import ADDRESS
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE, semantically_equal
from fakeapi.releases.rules import ReleaseRules

RECREATE_STRATEGY = "StatefulSetRecreateStrategy"
"""The feature gate of the update strategy Recreate."""

_MAY_CHANGE = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
_IMMUTABLE = ("selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy")


def validate_update_strategy(spec: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    strategy, path = spec.get("updateStrategy") or {}, "spec.updateStrategy"
    rolling, name, wording = strategy.get("rollingUpdate"), strategy.get("type", ""), rules.quirks.wording
    before = "" if old is None else (old.get("updateStrategy") or {}).get("type", "")
    recreates = rules.gates.get(RECREATE_STRATEGY, False) or before == "Recreate"
    if not name:
        return [required(path)]
    if name == "RollingUpdate":
        return (
            _rolling_update_errors(rolling, f"{path}.rollingUpdate", wording) if rolling is not None else []
        )
    if name == "OnDelete" or (name == "Recreate" and recreates):
        problem = "only allowed for updateStrategy 'RollingUpdate'"
        value = _printed_rolling_update(rolling or {}, wording)
        return [invalid(f"{path}.rollingUpdate", value, problem)] if rolling is not None else []
    problem = "must be 'RollingUpdate', 'OnDelete', or 'Recreate'" if recreates else _TWO_STRATEGIES
    printed = printed_struct(with_zeros(strategy, "partition"), "apps/v1.StatefulSetUpdateStrategy", rules)
    return [invalid(path, printed, problem)]


_TWO_STRATEGIES = "must be 'RollingUpdate' or 'OnDelete'"


def _rolling_update_errors(rolling: Object, path: str, wording: Wording) -> list[FieldError]:
    errors = validate_nonnegative(rolling.get("partition"), f"{path}.partition")
    unavailable, place = rolling.get("maxUnavailable"), f"{path}.maxUnavailable"
    if unavailable is None:
        return errors
    errors += validate_int_or_percent(unavailable, place, wording)
    if number_of(unavailable) == 0:
        errors.append(invalid(place, printed_int_or_string(unavailable, wording), "cannot be 0"))
    return errors + validate_at_most_100_percent(unavailable, place, wording)


def validate_stateful_template(
    spec: Object, old: Object | None, selector: Selector | None, rules: ReleaseRules, *, checks_pod: bool
) -> list[FieldError]:
    """Validates the pod template of a StatefulSet. Always validates the labels and annotations.

    - `spec`: the spec of the StatefulSet
    - `old`: the stored spec; None on create
    - `selector`: the compiled label selector, which must match the labels; None matches no labels
    - `checks_pod`: whether to validate the pod spec too; up to 1.33, the pod spec is never validated
    """
    template, path = spec["template"], "spec.template"
    labels, wording = template_labels(template), rules.quirks.wording
    metadata, pod = template.get("metadata") or {}, template["spec"]
    old_template = {} if old is None else old["template"]
    checks = PodChecks(rules, pod, None if old is None else old_template["spec"])
    errors = (
        [] if selector is not None and selector.empty else validate_selected(template, selector, path, rules)
    )
    if rules.quirks.workloads.stateful_set_templates_are_checked and checks_pod:
        errors += validate_pod_template_spec(
            _with_claims(spec), path, rules, old=None if old is None else old["template"]
        )
    return [
        *errors,
        *validate_labels(labels, f"{path}.labels", wording),
        *validate_annotations(metadata.get("annotations") or {}, f"{path}.annotations", wording),
        *annotation_errors(
            metadata, pod, f"{path}.annotations", checks, old_template.get("metadata") if old else None
        ),
    ]


def _with_claims(spec: Object) -> Object:
    """Returns the pod template of a StatefulSet as the StatefulSet controller uses it to create pods.

    The result has volumes for the claim templates, but no `hostname` and no `subdomain`.
    """
    template = spec["template"]
    claims = [
        (claim.get("metadata") or {}).get("name", "") for claim in spec.get("volumeClaimTemplates") or ()
    ]
    pod = {name: value for name, value in template["spec"].items() if name not in ("subdomain", "hostname")}
    if claims:
        claim_volumes = [
            {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in dict.fromkeys(claims)
        ]
        others = [volume for volume in pod.get("volumes") or () if volume.get("name", "") not in claims]
        pod["volumes"] = [*claim_volumes, *others]
    return {**template, "spec": pod}


def validate_changed_spec(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    """Returns errors if an update changes immutable fields of a StatefulSet's spec."""
    quirks = rules.quirks.workloads
    if quirks.stateful_set_fields_are_immutable:
        return [
            invalid(f"spec.{name}", _printed_field(name, new.get(name), rules), FIELD_IMMUTABLE)
            for name in _IMMUTABLE
            if not semantically_equal(new.get(name), old.get(name))
        ]
    mutable = [
        name for name in _MAY_CHANGE if quirks.stateful_sets_are_strict or name != "revisionHistoryLimit"
    ]
    if semantically_equal(_without(new, mutable), _without(old, mutable)):
        return []
    listed = ", ".join(f"'{name}'" for name in mutable[:-1])
    problem = f"updates to statefulset spec for fields other than {listed} and '{mutable[-1]}' are forbidden"
    return [forbidden("spec", problem)]


def _without(spec: Object, names: list[str]) -> dict[str, Any]:
    return {name: value for name, value in spec.items() if name not in names}


def _printed_field(name: str, value: Any, rules: ReleaseRules) -> Any:
    if name == "selector":
        return printed_selector(value, rules)
    if name == "volumeClaimTemplates":
        return printed_field(value, "apps/v1.StatefulSetSpec", name, rules)
    return printed_plain(value, rules.quirks.wording) if isinstance(value, list) else value or ""


def _printed_rolling_update(rolling: Object, wording: Wording) -> Dump:
    partition, unavailable = rolling.get("partition") or 0, rolling.get("maxUnavailable")
    pointer = "nil" if unavailable is None else ADDRESS
    return printed_value(
        {"Partition": partition, "MaxUnavailable": unavailable},
        f"apps.RollingUpdateStatefulSetStrategy{{Partition:{partition}, "
        f"MaxUnavailable:(*intstr.IntOrString)({pointer})}}",
        wording,
    )
