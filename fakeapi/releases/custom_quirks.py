"""Behaviour of CustomResourceDefinitions and custom objects that differs between releases.

Each attribute says what a release does; the table at the end says from which release on. The source is
k8s.io/apiextensions-apiserver at each release's last patch.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomQuirks:
    """The behaviour of one release with CustomResourceDefinitions and their objects."""

    stored_version_missing: str
    """Detail of the error for a stored version that the spec does not have; `{0}` is the version."""

    schemas_required: str
    """Detail of the error for a version without a schema."""

    selectable_prefix: str
    """Beginning of the errors for selectable fields without a schema."""

    checks_bundles: bool
    """The CA bundle of a conversion webhook is validated once a definition is established."""

    many_selectable_fields_may_stay: bool
    """An update may keep more selectable fields than a new definition may have."""

    definition_status_keeps_metadata: bool
    """A write to a definition's status does not own metadata fields, although it changes metadata."""

    object_status_resets_metadata: bool
    """A write to a custom object's status does not own metadata fields."""

    warns_of_sets: bool
    """Sets (x-kubernetes-list-type) of lists or objects in a schema return a warning."""

    prints_definitions: bool
    """Tables of definitions show scope, versions and more, not only the creation time."""

    precondition_failed: str
    """Beginning of the conflict error for a failed precondition (uid or resourceVersion) on a definition."""

    warns_of_finalizers: bool
    """New finalizers of custom objects without a domain return a warning."""

    warns_of_finalizer_paths: bool
    """The warning for a finalizer with a domain, but without a path, has a text of its own."""

    status_is_checked: str
    """Validation of a write to the status: of the "whole" object, or of the status only, with error paths
    that omit `status` ("unnamed") or include it ("named").
    """

    terminating_forbids: bool
    """While a definition is being deleted, all creations of its objects fail with 403. In other releases a
    POST fails with 405, and an apply succeeds.
    """

    status_ratchets: bool
    """A write to the status ignores errors in values that it does not change."""


HISTORY: History = {
    "stored_version_missing": {
        27: "must appear in spec.versions",
        33: "missing from spec.versions; {0} was previously a storage version, and must remain in "
        "spec.versions until a storage migration ensures no data remains persisted in {0} and removes {0} "
        "from status.storedVersions",
    },
    "schemas_required": {27: "schemas are required", 34: ""},
    "selectable_prefix": {27: "selectableFields ", 34: ""},
    "checks_bundles": {27: False, 31: True},
    "many_selectable_fields_may_stay": {27: False, 35: True},
    "definition_status_keeps_metadata": {27: True, 36: False},
    "object_status_resets_metadata": {27: False, 36: True},
    "warns_of_sets": {27: False, 37: True},
    "prints_definitions": {27: False, 37: True},
    "precondition_failed": {27: "Precondition failed", 37: "precondition failed"},
    "warns_of_finalizers": {27: False, 29: True},
    "warns_of_finalizer_paths": {27: False, 32: True},
    "status_is_checked": {27: "whole", 28: "unnamed", 31: "named"},
    "terminating_forbids": {27: False, 34: True},
    "status_ratchets": {27: False, 33: True},
}


def custom_quirks_of(minor: int) -> CustomQuirks:
    """The quirks of release 1.`minor` for CustomResourceDefinitions and custom objects."""
    return CustomQuirks(**values_at(HISTORY, minor))
