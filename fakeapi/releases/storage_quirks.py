"""Differences between releases in volumes, leases, RuntimeClasses and storage migrations."""

from fakeapi.releases.history import ReleaseValues, since

_VALIDATION = "pkg/apis/core/validation"
_VOLUMES = "pkg/registry/core/persistentvolume"
_VOLUME_WARNINGS = "pkg/api/persistentvolume"
_CLAIMS = "pkg/api/persistentvolumeclaim"
_TYPES = "pkg/apis/core"
_STORAGE = "pkg/apis/storage/validation"
_TABLES = "pkg/printers/internalversion"
_CSI_DRIVERS = "pkg/registry/storage/csidriver"
_CSI_NODES = "pkg/registry/storage/csinode"
_CLASSES = "pkg/registry/storage/volumeattributesclass"
_CAPACITIES = "pkg/registry/storage/csistoragecapacity"
_COORDINATION = "pkg/apis/coordination/validation"
_NODE = "pkg/apis/node/validation"
_VERSIONS = "pkg/apis/apiserverinternal/validation"
_MIGRATIONS = "pkg/apis/storagemigration/validation"


class StorageQuirks(ReleaseValues):
    """Describes how one release treats volumes, leases, RuntimeClasses and storage migrations.

    Contains only the behaviour that differs between releases.
    """

    # Persistent volumes and claims for them

    volumes_warn_of_deprecation: bool = since({27: False, 28: True}, _VOLUME_WARNINGS)
    """Whether PersistentVolumes and claims with deprecated sources or annotations cause warnings."""

    mount_options_are_deprecated: bool = since({27: False, 31: True}, _VOLUME_WARNINGS)
    """Whether a PersistentVolume with the annotation for mount options causes a deprecation warning."""

    recycling_is_deprecated: bool = since({27: False, 30: True}, _VOLUME_WARNINGS)
    """Whether a PersistentVolume with the reclaim policy Recycle causes a deprecation warning."""

    volumes_keep_transitions: bool = since({27: False, 28: True}, _VOLUMES)
    """Whether a PersistentVolume's status has the time of its last phase transition."""

    internal_volumes_follow_v1: bool = since({27: False, 37: True}, _TYPES)
    """Whether errors print the fields of a PersistentVolumeSource in the order of core/v1."""

    attributes_class_stays_when_off: bool = since({27: False, 29: True, 31: False}, _VOLUME_WARNINGS)
    """Whether a PersistentVolume keeps its volumeAttributesClassName.

    Only applies while the gate VolumeAttributesClass is off.
    """

    attributes_class_may_change: str = since(
        {27: "never", 29: "always", 31: "bound and set", 34: "bound"}, _VALIDATION
    )
    """The condition under which a PersistentVolumeClaim's volumeAttributesClassName may change.

    - "never", "always"
    - "bound and set": while the claim is bound, if the update sets a name
    - "bound": while the claim is bound
    """

    claims_drop_resource_claims: bool = since({27: True, 29: False}, _CLAIMS)
    """Whether the server drops `resources.claims` of a PersistentVolumeClaim."""

    claims_have_resize_statuses: bool = since({27: False, 28: True}, _VALIDATION)
    """Whether a PersistentVolumeClaim has a resize status for each resource.

    In other releases the claim has only one status, `resizeStatus`.
    """

    resize_statuses_field: str = since(
        {27: "allocatedResourceStatus", 34: "allocatedResourceStatuses"}, _VALIDATION
    )
    """Name of the field `allocatedResourceStatuses` in errors."""

    data_source_groups_are_checked: bool = since({27: False, 29: True}, _VALIDATION)
    """Whether the API group of a PersistentVolumeClaim's data source must be a DNS subdomain."""

    # Classes, drivers and attachments of volumes

    class_changes_are_forbidden: bool = since({27: True, 36: False}, _STORAGE)
    """Whether the error for a changed immutable field of a StorageClass is Forbidden, not Invalid.

    For a changed `volumeBindingMode`, the error is Invalid in all releases.
    """

    one_storage_class_is_default: bool = since({27: False, 37: True}, _TABLES)
    """Whether `kubectl get` tables mark at most one StorageClass as the default."""

    attributes_class_may_be_default: bool = since({27: True, 34: False}, _TABLES)
    """Whether `kubectl get` marks a VolumeAttributesClass with the default annotation as the default."""

    attributes_classes_are_checked_again: bool = since({27: False, 30: True}, _CLASSES)
    """Whether an update of a VolumeAttributesClass reports each error of the object twice.

    Does not apply if `updates_are_checked_once` is true, as from 1.35 on.
    """

    capacities_are_checked_twice: bool = since({27: True, 28: False}, _CAPACITIES)
    """Whether a create of a CSIStorageCapacity reports each error twice."""

    csi_drivers_may_change: bool = since({27: False, 30: True}, _STORAGE)
    """Whether all fields of a CSIDriver may change except `attachRequired` and `volumeLifecycleModes`.

    If so, any change increments the generation.
    """

    csi_drivers_know_secrets: bool = since({27: False, 35: True}, _CSI_DRIVERS)
    """Whether a CSIDriver that requests tokens gets a warning if `serviceAccountTokenInSecrets` is unset."""

    csi_node_updates_are_checked_once: bool = since({27: False, 36: True}, _CSI_NODES)
    """Whether an update of a CSINode reports each error of the object once, not twice."""

    csi_node_driver_path: str = since({27: "CSINodeDriver", 33: "spec.drivers"}, _STORAGE)
    """Path of the error for a changed driver of a CSINode."""

    csi_node_counts_may_change: bool = since({27: False, 33: True}, _STORAGE)
    """Whether `allocatable` of a CSINode driver may change.

    Does not apply while the gate MutableCSINodeAllocatableCount is off.
    """

    attachers_are_driver_names: bool = since({27: False, 36: True}, _STORAGE)
    """Whether creates and updates validate the attacher of a VolumeAttachment as a driver name.

    If so, the error comes before the errors of other fields. Other releases check the driver name only on
    create, after the other fields.
    """

    volume_error_limit_in_errors: int = since({27: 262144, 37: 1024}, _STORAGE)
    """Limit that errors print for an overlong error message in a VolumeAttachment's status."""

    single_pod_is_a_mode: bool = since({27: False, 29: True}, _STORAGE)
    """Whether inline volume specs of VolumeAttachments also support the access mode ReadWriteOncePod."""

    volume_node_values_are_checked: bool = since({27: False, 33: True}, _VALIDATION)
    """Whether values in the node affinity of a PersistentVolume must be valid label values."""

    # Leases, runtimes and migrations

    candidates_list_strategies: bool = since({27: True, 32: False}, _COORDINATION)
    """Whether a LeaseCandidate has `preferredStrategies` and may omit its version.

    In other releases a LeaseCandidate has one `strategy`.
    """

    empty_handler_is_required: bool = since({27: False, 36: True}, _NODE)
    """Whether the error for an empty handler of a RuntimeClass is `Required value`.

    In other releases the error is about an invalid name.
    """

    toleration_path_repeats: bool = since({27: True, 35: False}, _NODE)
    """Whether the path of errors in a RuntimeClass's tolerations is `scheduling.tolerations.tolerations`."""

    tolerations_compare: bool = since({27: False, 35: True}, _NODE)
    """Whether the error for the toleration operators Lt and Gt lists them as supported."""

    storage_versions_are_served: bool = since({27: False, 28: True}, _VERSIONS)
    """Whether `servedVersions` of a StorageVersion are validated.

    If so, each API server may occur only once.
    """

    migration_conditions_have_details: bool = since({27: True, 34: False}, _MIGRATIONS)
    """Whether errors for missing fields of a StorageVersionMigration's condition have a detail."""

    migrations_need_version: bool = since({27: True, 36: False}, _MIGRATIONS)
    """Whether the status of a StorageVersionMigration requires a resourceVersion."""

    ended_migrations_do_not_run: bool = since({27: True, 36: False}, _MIGRATIONS)
    """Whether a StorageVersionMigration cannot be running if it has succeeded or failed."""
