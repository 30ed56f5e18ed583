"""Defines the media types of patches.

Follows k8s.io/apimachinery `pkg/types/patch.go`.
"""

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
APPLY_CBOR_PATCH = "application/apply-patch+cbor"

SHORT_NAMES = {
    "json": JSON_PATCH,
    "merge": MERGE_PATCH,
    "strategic": STRATEGIC_MERGE_PATCH,
    "apply": APPLY_PATCH,
}
"""Media types of patches by short name, as in `kubectl patch --type` and in options of fakeapi."""
