"""Validates pod templates of workloads: labels must match the selector, and pods must always restart.

Follows `ValidatePodTemplateSpecForReplicaSet` of k8s.io/kubernetes `pkg/apis/apps/validation` and similar
functions.
"""

from fakeapi.kinds.common.label_matching import selects
from fakeapi.kinds.common.printing.texts import printed_string_map
from fakeapi.kinds.common.workloads import template_labels
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.releases.rules import ReleaseRules


def validate_selected(
    template: Object, selector: Selector | None, path: str, rules: ReleaseRules
) -> list[FieldError]:
    """Returns an error if the selector does not match the labels of the template."""
    labels = template_labels(template)
    if selects(selector, labels):
        return []
    problem = "`selector` does not match template `labels`"
    return [invalid(f"{path}.metadata.labels", printed_string_map(labels, rules.quirks.wording), problem)]


def validate_always_restarted(template: Object, path: str, kind: str) -> list[FieldError]:
    """Validates the pod template of pods that run indefinitely.

    The restartPolicy must be Always, and activeDeadlineSeconds must be unset. `kind`: the kind of the
    workload.
    """
    spec, errors = template["spec"], []
    if spec.get("restartPolicy", "") != "Always":
        errors.append(not_supported(f"{path}.spec.restartPolicy", spec.get("restartPolicy", ""), ("Always",)))
    if spec.get("activeDeadlineSeconds") is not None:
        problem = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(forbidden(f"{path}.spec.activeDeadlineSeconds", problem))
    return errors
