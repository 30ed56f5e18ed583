"""Named differences between releases in CustomResourceDefinitions and custom objects.

As in `fakeapi.releases.quirks`; from k8s.io/apiextensions-apiserver at each release's last patch.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomQuirks:
    """The quirks of a release in CustomResourceDefinitions and their objects."""

    stored_version_missing: str
    """What is said of a stored version that the spec does not have; `{0}` is the version."""

    missing_storage_shows_version: bool
    """Where the storage version is not among the stored ones, the version is shown, not the stored ones."""

    schemas_required: str
    """What is said of a version without a schema."""

    selectable_prefix: str
    """How errors of selectable fields without a schema begin."""

    checks_bundles: bool
    """The certificates of a conversion webhook are looked at, once a definition is established."""

    many_selectable_fields_may_stay: bool
    """An update may keep more selectable fields than a new definition may have."""

    definition_status_keeps_metadata: bool
    """Nobody comes to own metadata by a write to the status of a definition, although it changes it."""

    object_status_resets_metadata: bool
    """Nobody comes to own metadata by a write to the status of an object."""

    warns_of_formats: bool
    """Formats that are not known are warned of."""

    warns_of_sets: bool
    """Sets of lists or objects are warned of."""

    prints_definitions: bool
    """Tables of definitions show scope, versions and more."""

    precondition_failed: str
    """Beginning of the message of a conflict about the uid of a definition."""

    warns_of_finalizers: bool
    """New finalizers of objects without a domain are warned of."""

    warns_of_finalizer_paths: bool
    """What is said of those with a domain and no path differs."""

    status_is_checked: str
    """By a write to it: with the "whole" object, or alone, its errors "unnamed" or "named" as the
    status's."""

    terminating_forbids: bool
    """While a definition is being deleted every creation is forbidden; before, a POST was not allowed, and an
    apply was."""

    status_ratchets: bool
    """Errors of what a write to the status did not change do not count either."""


_HISTORY: History = {
    "stored_version_missing": {
        27: "must appear in spec.versions",
        33: "missing from spec.versions; {0} was previously a storage version, and must remain in "
        "spec.versions until a storage migration ensures no data remains persisted in {0} and removes {0} "
        "from status.storedVersions",
    },
    "missing_storage_shows_version": {27: True, 28: False},
    "schemas_required": {27: "schemas are required", 34: ""},
    "selectable_prefix": {27: "selectableFields ", 34: ""},
    "checks_bundles": {27: False, 31: True},
    "many_selectable_fields_may_stay": {27: False, 35: True},
    "definition_status_keeps_metadata": {27: True, 36: False},
    "object_status_resets_metadata": {27: False, 36: True},
    "warns_of_formats": {27: False, 34: True},
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
    """The quirks of release 1.`minor`."""
    return CustomQuirks(**values_at(_HISTORY, minor))
