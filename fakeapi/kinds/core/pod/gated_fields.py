"""Fields of pods and pod templates that the server drops while a feature gate is off.

Follows DropDisabledPodFields and DropDisabledTemplateFields of k8s.io/kubernetes `pkg/api/pod/util.go`. A
write keeps a gated field only if the gate is on or the stored object already uses the field. One table serves
all releases, because the types of a release do not contain the fields of later releases.
"""

from collections.abc import Callable

from fakeapi.kinds.common.gated_fields import GatedFields
from fakeapi.kinds.common.paths import drop, holders, is_set
from fakeapi.machinery.json_types import Object

ALWAYS = "Always"
_DEFAULT_PROC_MOUNT = "Default"
_PROC_MOUNT = "spec.@containers.securityContext.procMount"


# conditions and changes that paths cannot express ------------------------------------------------------


def _has_resources(old: Object) -> bool:
    resources = old["spec"].get("resources") or {}
    return bool(resources.get("requests") or resources.get("limits"))


def _has_sidecars(old: Object) -> bool:
    return any(
        holder.get(name) == ALWAYS for holder, name in holders(old, "spec.initContainers[].restartPolicy")
    )


def _has_restart_rules(old: Object) -> bool:
    spec = old["spec"]
    return any(
        container.get("restartPolicy") not in (None, ALWAYS) or container.get("restartPolicyRules")
        for container in spec.get("initContainers") or ()
    ) or is_set(old, "spec.containers[].restartPolicy")


def _drop_restart_rules(obj: Object) -> None:
    for holder, name in holders(obj, "spec.initContainers[].restartPolicy"):
        if holder.get(name) != ALWAYS:
            holder.pop(name, None)
    for path in ("spec.containers[].restartPolicy", "spec.ephemeralContainers[].restartPolicy"):
        drop(obj, path)
    drop(obj, "spec.@containers.restartPolicyRules")


def _has_other_proc_mount(old: Object) -> bool:
    return any(
        holder.get(name) not in (None, _DEFAULT_PROC_MOUNT) for holder, name in holders(old, _PROC_MOUNT)
    )


def _reset_proc_mount(obj: Object) -> None:
    for holder, name in holders(obj, _PROC_MOUNT):
        if holder.get(name) is not None:
            holder[name] = _DEFAULT_PROC_MOUNT


def _drop_handlers(member: str) -> Callable[[Object], None]:
    """Returns a function that drops the field `member` from the lifecycle handlers of containers.

    The function also drops handlers and lifecycles that become empty.
    """

    def take_away(obj: Object) -> None:
        for holder, name in holders(obj, "spec.@containers.lifecycle"):
            lifecycle = holder.get(name)
            if lifecycle is None:
                continue
            for hook in ("preStop", "postStart"):
                handler = lifecycle.get(hook)
                if handler is not None and handler.pop(member, None) is not None and not handler:
                    del lifecycle[hook]
            if not lifecycle:
                del holder[name]

    return take_away


def _drop_stop_signals(obj: Object) -> None:
    for holder, name in holders(obj, "spec.@containers.lifecycle"):
        lifecycle = holder.get(name)
        if lifecycle is not None and lifecycle.pop("stopSignal", None) is not None and not lifecycle:
            del holder[name]


def _drop_image_volumes(obj: Object) -> None:
    """Drops image volumes and their mounts. Also drops lists that are or become empty, like Kubernetes."""
    spec = obj["spec"]
    gone = {volume.get("name") for volume in spec.get("volumes") or () if volume.get("image") is not None}
    kept = [volume for volume in spec.pop("volumes", None) or () if volume.get("image") is None]
    if kept:
        spec["volumes"] = kept
    for holder, name in [*holders(obj, "spec.@containers.volumeMounts")]:
        mounts = [mount for mount in holder.pop(name, None) or () if mount.get("name") not in gone]
        if mounts:
            holder[name] = mounts


_FILE_VOLUMES = ("secret", "configMap", "downwardAPI", "projected")
_PROJECTIONS = (
    "secret",
    "downwardAPI",
    "configMap",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
)


def _drop_user_fields(obj: Object) -> None:
    """Drops the users of files in volumes. Changes only the first source of a volume with several sources."""
    for volume in obj["spec"].get("volumes") or ():
        kind, source = _first_of(volume, _FILE_VOLUMES)
        source.pop("defaultUser", None)
        files = [source]
        if kind == "projected":
            files = [_first_of(each, _PROJECTIONS)[1] for each in source.get("sources") or ()]
        for file in files:
            file.pop("user", None)
            for item in file.get("items") or ():
                item.pop("user", None)


def _first_of(holder: Object, names: tuple[str, ...]) -> tuple[str, Object]:
    """Returns the first of these names that has a value, and the value; ("", {}) if no name has a value."""
    return next(((name, holder[name]) for name in names if holder.get(name) is not None), ("", {}))


# tables of gated fields ---------------------------------------------------------------------------

_TERMS = tuple(
    f"spec.affinity.{kind}.{terms}.{keys}"
    for kind in ("podAffinity", "podAntiAffinity")
    for terms in (
        "requiredDuringSchedulingIgnoredDuringExecution[]",
        "preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm",
    )
    for keys in ("matchLabelKeys", "mismatchLabelKeys")
)
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_FILES = ("secret", "configMap", "downwardAPI", "projected.sources[].secret", "projected.sources[].configMap",
          "projected.sources[].downwardAPI")  # fmt: skip
_WITH_USER = (
    *(
        f"spec.volumes[].{source}.defaultUser"
        for source in ("secret", "configMap", "downwardAPI", "projected")
    ),
    *(f"spec.volumes[].{holder}.items[].user" for holder in _FILES),
    *(
        f"spec.volumes[].projected.sources[].{projection}.user"
        for projection in ("serviceAccountToken", "clusterTrustBundle", "podCertificate")
    ),
)
_RESIZE = ("spec.containers[].resizePolicy", "spec.initContainers[].resizePolicy")
_READ_ONLY = "spec.@containers.volumeMounts[].recursiveReadOnly"
_GROUPS = "spec.securityContext.supplementalGroupsPolicy"


def _simple(gate: str, *paths: str) -> GatedFields:
    return GatedFields(gate, tuple(f"spec.{path}" for path in paths))


POD_TEMPLATE_FIELDS: tuple[GatedFields, ...] = (
    _simple(
        "AppArmorFields", "securityContext.appArmorProfile", "@containers.securityContext.appArmorProfile"
    ),
    _simple("UserNamespacesStatelessPodsSupport", "hostUsers"),
    _simple("UserNamespacesSupport", "hostUsers"),
    _simple("SupplementalGroupsPolicy", "securityContext.supplementalGroupsPolicy"),
    GatedFields(
        "PodLevelResources", ("spec.resources",), in_use=_has_resources
    ),
    GatedFields("ProcMountType", (_PROC_MOUNT,), in_use=_has_other_proc_mount, take_away=_reset_proc_mount),
    _simple("PodSchedulingReadiness", "schedulingGates"),
    _simple("MinDomainsInPodTopologySpread", "topologySpreadConstraints[].minDomains"),
    _simple("NodeInclusionPolicyInPodTopologySpread", "topologySpreadConstraints[].nodeTaintsPolicy"),
    _simple("NodeInclusionPolicyInPodTopologySpread", "topologySpreadConstraints[].nodeAffinityPolicy"),
    _simple("MatchLabelKeysInPodTopologySpread", "topologySpreadConstraints[].matchLabelKeys"),
    GatedFields("MatchLabelKeysInPodAffinity", _TERMS),
    GatedFields(
        "DynamicResourceAllocation",
        ("spec.@containers.resources.claims", "spec.resourceClaims"),
        ("spec.resourceClaims",),
    ),
    _simple("ClusterTrustBundleProjection", "volumes[].projected.sources[].clusterTrustBundle"),
    _simple("PodCertificateRequest", "volumes[].projected.sources[].podCertificate"),
    GatedFields("AtomicWriteVolumeUserFields", _WITH_USER, take_away=_drop_user_fields),
    _simple("GenericWorkload", "workloadRef", "schedulingGroup"),
    _simple("GRPCContainerProbeTLS", *(f"@containers.{probe}.grpc.mode" for probe in _PROBES)),
    _simple("EvictionRequestAPI", "evictionResponders"),
    GatedFields("InPlacePodVerticalScaling", ("spec.@containers.resizePolicy",), _RESIZE),
    GatedFields("SidecarContainers", ("spec.initContainers[].restartPolicy",), in_use=_has_sidecars),
    GatedFields(
        "ContainerRestartRules",
        ("spec.@containers.restartPolicy", "spec.@containers.restartPolicyRules"),
        in_use=_has_restart_rules,
        take_away=_drop_restart_rules,
    ),
    GatedFields("RecursiveReadOnlyMounts", (_READ_ONLY,)),
    _simple("EmptyDirVolumeMode", "volumes[].emptyDir.mode"),
    _simple("VolumeBindMountOptions", "@containers.volumeMounts[].bindMountOptions"),
    _simple("HostnameOverride", "hostnameOverride"),
    _simple("EnvFiles", "@containers.env[].valueFrom.fileKeyRef"),
    GatedFields(
        "PodLifecycleSleepAction",
        ("spec.@containers.lifecycle.preStop.sleep", "spec.@containers.lifecycle.postStart.sleep"),
        take_away=_drop_handlers("sleep"),
    ),
    GatedFields(
        "ImageVolume",
        ("spec.volumes", "spec.@containers.volumeMounts"),
        ("spec.volumes[].image",),
        take_away=_drop_image_volumes,
    ),
    _simple("SELinuxChangePolicy", "securityContext.seLinuxChangePolicy"),
    GatedFields(
        "ContainerStopSignals", ("spec.@containers.lifecycle.stopSignal",), take_away=_drop_stop_signals
    ),
    _simple(
        "H2CContainerProbe",
        *(f"@containers.{probe}.httpGet.protocol" for probe in _PROBES),
        *(f"@containers.lifecycle.{hook}.httpGet.protocol" for hook in ("preStop", "postStart")),
    ),
)  # fmt: skip

POD_FIELDS: tuple[GatedFields, ...] = (
    *POD_TEMPLATE_FIELDS,
    GatedFields("InPlacePodLevelResourcesVerticalScaling", ("status.resources", "status.allocatedResources")),
    GatedFields(
        "InPlacePodVerticalScaling",
        ("status.@statuses.resources", "status.@statuses.allocatedResources"),
        _RESIZE,
    ),
    GatedFields(
        "InPlacePodVerticalScaling",
        ("status.resize",),
        _RESIZE,
        when=lambda quirks: quirks.pods.resize_status_is_gated,
    ),
    GatedFields(
        "InPlacePodVerticalScalingAllocatedStatus",
        ("status.@statuses.allocatedResources",),
        (),
        when=lambda quirks: quirks.pods.allocated_resources_are_gated,
    ),
    GatedFields("DynamicResourceAllocation", ("status.resourceClaimStatuses",), ("spec.resourceClaims",)),
    GatedFields("DRAExtendedResource", ("status.extendedResourceClaimStatus",)),
    GatedFields("RecursiveReadOnlyMounts", ("status.@statuses.volumeMounts",), (_READ_ONLY,)),
    GatedFields(
        "ResourceHealthStatus",
        ("status.@statuses.allocatedResourcesStatus",),
        when=lambda quirks: quirks.pods.resource_health_is_kept,
    ),
    GatedFields(
        "ResourceHealthStatus",
        ("status.@statuses.allocatedResourcesStatus",),
        (),
        when=lambda quirks: not quirks.pods.resource_health_is_kept,
    ),
    GatedFields(
        "ResourceHealthStatusMessage", ("status.@statuses.allocatedResourcesStatus[].resources[].message",)
    ),
    GatedFields("SupplementalGroupsPolicy", ("status.@statuses.user",), (_GROUPS,)),
    GatedFields(
        "PodObservedGenerationTracking",
        ("status.observedGeneration", "status.conditions[].observedGeneration"),
    ),
    GatedFields("ImageVolumeWithDigest", ("status.@statuses.volumeMounts[].volumeStatus",)),
    GatedFields("PodHostIPs", ("status.hostIPs",)),
    GatedFields("DRANodeAllocatableResources", ("status.nodeAllocatableResourceClaimStatuses",)),
    GatedFields("CSIVolumeHealth", ("status.volumeHealth",)),
)  # fmt: skip
