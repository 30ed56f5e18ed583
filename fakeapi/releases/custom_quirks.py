"""Behaviour of CustomResourceDefinitions and custom objects that differs between releases.

The sources are the packages named below at each release's last patch.
"""

from fakeapi.releases.history import ReleaseValues, since

_VALIDATION = "staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
_DEFINITIONS = "staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
_OBJECTS = "staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource"
_HANDLER = "staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver"
_TABLES = "pkg/printers/internalversion"


class CustomQuirks(ReleaseValues):
    """Describes how one release treats CustomResourceDefinitions and custom objects.

    Contains only the behaviour that differs between releases.
    """

    stored_version_missing: str = since(
        {
            27: "must appear in spec.versions",
            33: "missing from spec.versions; {0} was previously a storage version, and must remain in "
            "spec.versions until a storage migration ensures no data remains persisted in {0} and removes "
            "{0} from status.storedVersions",
        },
        _VALIDATION,
    )
    """Detail of the error for an entry of `status.storedVersions` that is not a version of the spec.

    `{0}` is the version.
    """

    schemas_required: str = since({27: "schemas are required", 34: ""}, _VALIDATION)
    """Detail of the error for a version without a schema."""

    selectable_prefix: str = since({27: "selectableFields ", 34: ""}, _VALIDATION)
    """Beginning of the errors for selectable fields without a schema."""

    checks_bundles: bool = since({27: False, 31: True}, _VALIDATION)
    """Whether the server validates the CA bundle of a conversion webhook.

    If so, an invalid bundle prevents the condition Established. Updates of established
    CustomResourceDefinitions must not set an invalid bundle.
    """

    many_selectable_fields_may_stay: bool = since({27: False, 35: True}, _VALIDATION)
    """Whether an update may keep more selectable fields than a create may have."""

    definition_status_keeps_metadata: bool = since({27: True, 36: False}, _DEFINITIONS)
    """Whether managedFields omit the metadata that a write to a CustomResourceDefinition's status changes."""

    object_status_resets_metadata: bool = since({27: False, 36: True}, _OBJECTS)
    """Whether managedFields omit the metadata that a write to a custom object's status contains."""

    warns_of_sets: bool = since({27: False, 37: True}, _DEFINITIONS)
    """Whether sets (x-kubernetes-list-type) of lists or objects in a schema cause a warning."""

    prints_definitions: bool = since({27: False, 37: True}, _TABLES)
    """Whether tables of CustomResourceDefinitions have further columns, such as the scope.

    In other releases the only columns are the name and the creation time.
    """

    precondition_failed: str = since({27: "Precondition failed", 37: "precondition failed"}, _DEFINITIONS)
    """Beginning of the error 409 if a delete's precondition does not match a CustomResourceDefinition."""

    warns_of_finalizers: bool = since({27: False, 29: True}, _OBJECTS)
    """Whether adding a finalizer without a domain to a custom object causes a warning."""

    warns_of_finalizer_paths: bool = since({27: False, 32: True}, _OBJECTS)
    """Whether a finalizer with a domain but without a path has its own warning text."""

    status_is_checked: str = since({27: "whole", 28: "unnamed", 31: "named"}, _OBJECTS)
    """The part of a custom object that a write to its status validates.

    - "whole": the whole object
    - "unnamed": the status, with error paths that omit `status`
    - "named": the status, with error paths that include `status`
    """

    terminating_forbids: bool = since({27: False, 34: True}, _HANDLER)
    """Whether creates of custom objects fail with 403 while their CustomResourceDefinition is being deleted.

    In other releases a POST fails with 405, and an apply succeeds.
    """

    status_ratchets: bool = since({27: False, 33: True}, _OBJECTS)
    """Whether a write to a custom object's status ignores errors in values that the write does not change."""
