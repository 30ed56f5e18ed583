"""Validates pod templates of workloads and PodTemplates.

Follows `ValidatePodTemplateSpec` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.core.pod.validation import app_armor, seccomp
from fakeapi.kinds.core.pod.validation.annotations import annotation_errors
from fakeapi.kinds.core.pod.validation.checks import PodChecks
from fakeapi.kinds.core.pod.validation.spec import validate_pod_spec
from fakeapi.machinery.field_errors import FieldError, forbidden
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.object_meta import validate_annotations, validate_labels
from fakeapi.releases.rules import ReleaseRules


def validate_pod_template_spec(
    template: Object, path: str, rules: ReleaseRules, *, old: Object | None = None
) -> list[FieldError]:
    """Validates a pod template. The template must be in canonical form and have defaults.

    - `path`: the path of the template, such as `spec.template`
    - `old`: the stored template; an update may keep values that are invalid in new templates
    """
    spec, metadata = template.get("spec") or {}, template.get("metadata") or {}
    checks = PodChecks(rules, spec, None if old is None else old.get("spec") or {})
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    of_annotations = f"{path}.annotations"
    old_metadata = None if old is None else old.get("metadata") or {}
    errors = validate_labels(labels, f"{path}.labels", checks.wording)
    errors += validate_annotations(annotations, of_annotations, checks.wording)
    errors += annotation_errors(metadata, spec, of_annotations, checks, old_metadata)
    errors += validate_pod_spec(spec, f"{path}.spec", checks)
    errors += seccomp.mismatch_errors(annotations, spec, f"{path}.spec")
    errors += app_armor.mismatch_errors(annotations, spec, f"{path}.spec", checks)
    if spec.get("ephemeralContainers"):
        rule = "ephemeral containers not allowed in pod template"
        errors.append(forbidden(f"{path}.spec.ephemeralContainers", rule))
    return errors
