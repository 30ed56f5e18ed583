"""Validates the PersistentVolumeClaim templates of ephemeral volumes.

Follows `ValidatePersistentVolumeClaimTemplate` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from fakeapi.kinds.common.template_metadata import template_metadata_errors
from fakeapi.kinds.core.persistent_volume_claim.validation import (
    claim_options,
    validate_claim_spec,
)
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.json_types import Object


def claim_template_errors(template: Object, path: str, checks: PodChecks) -> Errors:
    """Validates the metadata and spec of a PersistentVolumeClaim template."""
    yield from template_metadata_errors(template.get("metadata") or {}, f"{path}.metadata", checks.wording)
    options = claim_options(checks.rules, None)
    yield from validate_claim_spec(template.get("spec") or {}, f"{path}.spec", checks.rules, options)
