"""Validates the metadata in a template of claims, for ResourceClaimTemplates and for volumes of pods.

Follows `ValidateTemplateObjectMeta` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Iterator

from fakeapi.machinery.field_errors import FieldError, forbidden
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.object_meta import validate_annotations, validate_labels
from fakeapi.machinery.meta.wording import Wording

FORBIDDEN = {
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
"""Metadata that a template must not set: the field -> its name in errors, in the order of Go's ObjectMeta.

The names in errors are the Go names with a lower-case first letter.
"""


def template_metadata_errors(metadata: Object, path: str, wording: Wording) -> Iterator[FieldError]:
    """Yields the errors of metadata in a template. Only labels and annotations are allowed."""
    yield from validate_annotations(metadata.get("annotations") or {}, f"{path}.annotations", wording)
    yield from validate_labels(metadata.get("labels") or {}, f"{path}.labels", wording)
    for name, shown in FORBIDDEN.items():
        if metadata.get(name) is not None:
            yield forbidden(f"{path}.{shown}", "cannot be set")
