"""Validates the PersistentVolumeClaim templates of ephemeral volumes.

Follows `ValidatePersistentVolumeClaimTemplate` and `ValidateTemplateObjectMeta` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from fakeapi.kinds.core.persistent_volume_claim.validation import (
    claim_options,
    validate_claim_spec,
)
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import forbidden
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.object_meta import validate_annotations, validate_labels

_FORBIDDEN = {
    "name": "name",
    "generateName": "generateName",
    "namespace": "namespace",
    "selfLink": "selfLink",
    "uid": "uID",
    "resourceVersion": "resourceVersion",
    "generation": "generation",
    "creationTimestamp": "creationTimestamp",
    "deletionTimestamp": "deletionTimestamp",
    "deletionGracePeriodSeconds": "deletionGracePeriodSeconds",
    "ownerReferences": "ownerReferences",
    "finalizers": "finalizers",
    "managedFields": "managedFields",
}
"""The forbidden metadata: the field -> its name in errors, in the order of Go's ObjectMeta.

The names in errors are the Go names with a lower-case first letter.
"""


def claim_template_errors(template: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the metadata and spec of a PersistentVolumeClaim template."""
    metadata, place = template.get("metadata") or {}, f"{path}.metadata"
    yield from validate_annotations(metadata.get("annotations") or {}, f"{place}.annotations", checks.wording)
    yield from validate_labels(metadata.get("labels") or {}, f"{place}.labels", checks.wording)
    for name, shown in _FORBIDDEN.items():
        if metadata.get(name) not in (None, "", 0):
            yield forbidden(f"{place}.{shown}", "cannot be set")
    options = claim_options(checks.rules, None)
    yield from validate_claim_spec(template.get("spec") or {}, f"{path}.spec", checks.rules, options)
