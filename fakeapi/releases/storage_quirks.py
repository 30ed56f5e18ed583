"""Differences between releases in volumes, leases, RuntimeClasses and storage migrations.

The source is k8s.io/kubernetes `pkg/apis/core`, `storage`, `coordination`, `node` and `storagemigration`.
"""

from dataclasses import dataclass

from fakeapi.releases.history import History


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)  # a base of `Quirks`
class StorageQuirks:
    """Describes how one release treats volumes, leases, RuntimeClasses and storage migrations.

    Contains only the behaviour that differs between releases.
    """

    # Persistent volumes and claims for them

    volumes_warn_of_deprecation: bool
    """Whether PersistentVolumes and claims with deprecated sources or annotations cause warnings."""

    mount_options_are_deprecated: bool
    """Whether a PersistentVolume with the annotation for mount options causes a deprecation warning."""

    recycling_is_deprecated: bool
    """Whether a PersistentVolume with the reclaim policy Recycle causes a deprecation warning."""

    volumes_keep_transitions: bool
    """Whether a PersistentVolume's status has the time of its last phase transition."""

    internal_volumes_follow_v1: bool
    """Whether the internal PersistentVolumeSource has its fields in the order of core/v1. Errors show it."""

    attributes_class_stays_when_off: bool
    """Whether a PersistentVolume keeps its volumeAttributesClassName.

    Only applies while the gate VolumeAttributesClass is off.
    """

    attributes_class_may_change: str
    """The condition under which a PersistentVolumeClaim's volumeAttributesClassName may change.

    - "never", "always"
    - "bound and set": while the claim is bound, if the update sets a name
    - "bound": while the claim is bound
    """

    claims_drop_resource_claims: bool
    """Whether the server drops `resources.claims` of a PersistentVolumeClaim."""

    claims_have_resize_statuses: bool
    """Whether a PersistentVolumeClaim has a resize status for each resource.

    In other releases it has only one, `resizeStatus`.
    """

    resize_statuses_field: str
    """Name of the field `allocatedResourceStatuses` in errors."""

    data_source_groups_are_checked: bool
    """Whether the API group of a PersistentVolumeClaim's data source must be a DNS subdomain."""

    # Classes, drivers and attachments of volumes

    class_changes_are_forbidden: bool
    """Whether a changed immutable field of a StorageClass is Forbidden; in other releases it is Invalid."""

    one_storage_class_is_default: bool
    """Whether `kubectl get` tables mark at most one StorageClass as the default."""

    attributes_class_may_be_default: bool
    """Whether `kubectl get` marks a VolumeAttributesClass with the default annotation as the default."""

    attributes_classes_are_checked_again: bool
    """Whether an update of a VolumeAttributesClass reports each error of the object twice."""

    capacities_are_checked_twice: bool
    """Whether a create of a CSIStorageCapacity reports each error twice."""

    csi_drivers_may_change: bool
    """Whether all fields of a CSIDriver may change except `attachRequired` and `volumeLifecycleModes`.

    If so, any change increments the generation.
    """

    csi_drivers_know_secrets: bool
    """Whether a CSIDriver that requests tokens gets a warning if `serviceAccountTokenInSecrets` is unset."""

    csi_node_updates_are_checked_once: bool
    """Whether an update of a CSINode reports each error of the object once.

    Other releases report it twice.
    """

    csi_node_driver_path: str
    """Path of the error for a changed driver of a CSINode."""

    csi_node_counts_may_change: bool
    """Whether `allocatable` of a CSINode driver may change.

    Does not apply while the gate MutableCSINodeAllocatableCount is off.
    """

    attachers_are_driver_names: bool
    """Whether creates and updates validate the attacher of a VolumeAttachment as a driver name.

    If so, the error comes before the errors of other fields. Other releases check the driver name only on
    create, after the other fields.
    """

    volume_error_limit_in_errors: int
    """Limit that errors print for an overlong error message in a VolumeAttachment's status."""

    single_pod_is_a_mode: bool
    """Whether inline volume specs of VolumeAttachments also support the access mode ReadWriteOncePod."""

    volume_node_values_are_checked: bool
    """Whether values in the node affinity of a PersistentVolume must be valid label values."""

    # Leases, runtimes and migrations

    candidates_list_strategies: bool
    """Whether a LeaseCandidate has `preferredStrategies` and may omit its version.

    In other releases it has one `strategy`.
    """

    empty_handler_is_required: bool
    """Whether the error for an empty handler of a RuntimeClass is `Required value`.

    In other releases the error is about an invalid name.
    """

    toleration_path_repeats: bool
    """Whether the path of errors in a RuntimeClass's tolerations is `scheduling.tolerations.tolerations`."""

    tolerations_compare: bool
    """Whether the error for the toleration operators Lt and Gt lists them as supported."""

    storage_versions_are_served: bool
    """Whether `servedVersions` of a StorageVersion are validated.

    If so, each API server may occur only once.
    """

    migrations_need_version: bool
    """Whether the status of a StorageVersionMigration requires a resourceVersion."""

    ended_migrations_do_not_run: bool
    """Whether a StorageVersionMigration cannot be running if it has succeeded or failed."""


HISTORY: History = {
    "volumes_warn_of_deprecation": {27: False, 28: True},
    "mount_options_are_deprecated": {27: False, 31: True},
    "recycling_is_deprecated": {27: False, 30: True},
    "volumes_keep_transitions": {27: False, 28: True},
    "internal_volumes_follow_v1": {27: False, 37: True},
    "attributes_class_stays_when_off": {27: False, 29: True, 31: False},
    "attributes_class_may_change": {27: "never", 29: "always", 31: "bound and set", 34: "bound"},
    "claims_drop_resource_claims": {27: True, 29: False},
    "claims_have_resize_statuses": {27: False, 28: True},
    "resize_statuses_field": {27: "allocatedResourceStatus", 34: "allocatedResourceStatuses"},
    "data_source_groups_are_checked": {27: False, 29: True},
    "class_changes_are_forbidden": {27: True, 36: False},
    "one_storage_class_is_default": {27: False, 37: True},
    "attributes_class_may_be_default": {27: True, 34: False},
    "attributes_classes_are_checked_again": {27: False, 30: True},
    "capacities_are_checked_twice": {27: True, 28: False},
    "csi_drivers_may_change": {27: False, 30: True},
    "csi_drivers_know_secrets": {27: False, 35: True},
    "csi_node_updates_are_checked_once": {27: False, 36: True},
    "csi_node_driver_path": {27: "CSINodeDriver", 33: "spec.drivers"},
    "csi_node_counts_may_change": {27: False, 33: True},
    "attachers_are_driver_names": {27: False, 36: True},
    "volume_error_limit_in_errors": {27: 262144, 37: 1024},
    "single_pod_is_a_mode": {27: False, 29: True},
    "volume_node_values_are_checked": {27: False, 33: True},
    "candidates_list_strategies": {27: True, 32: False},
    "empty_handler_is_required": {27: False, 36: True},
    "toleration_path_repeats": {27: True, 35: False},
    "tolerations_compare": {27: False, 35: True},
    "storage_versions_are_served": {27: False, 28: True},
    "migrations_need_version": {27: True, 36: False},
    "ended_migrations_do_not_run": {27: True, 36: False},
}
