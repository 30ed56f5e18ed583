"""Feature gates of each release, and which of them have an effect in fakeapi.

Names, stages and defaults follow k8s.io/kubernetes `pkg/features` and the other packages that tools/gates.py
reads. `--feature-gates` is parsed as in k8s.io/component-base `featuregate`. Like kube-apiserver, fakeapi
accepts the gates of all components, because the tool kind passes the same gates to every component.
`ineffective` returns the accepted gates that have no effect. Names that Kubernetes does not know are
rejected.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any

import msgspec

from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.releases.tables import DATA


class Stage(Enum):
    ALPHA = "ALPHA"
    BETA = "BETA"
    GA = "GA"
    DEPRECATED = "DEPRECATED"


class GateSpec(msgspec.Struct, frozen=True):
    """The properties of a feature gate from minor release `since` on.

    - `stage`: None if the release no longer has the gate
    - `locked`: whether the value cannot differ from `default`
    """

    since: int
    stage: Stage | None
    default: bool = False
    locked: bool = False

    def __str__(self) -> str:
        stage = self.stage.value if self.stage else "removed"
        return f"true|false ({stage} - default={str(self.default).lower()})"


ALL_ALPHA, ALL_BETA = "AllAlpha", "AllBeta"

_GROUPS = {ALL_ALPHA: GateSpec(27, Stage.ALPHA), ALL_BETA: GateSpec(27, Stage.BETA)}

EFFECTIVE = frozenset({
    "AggregatedDiscoveryEndpoint",
    "AggregatedDiscoveryRemoveBetaType",
    "AllowInsecureKubeletCertificateSigningRequests",
    "AllowParsingUserUIDFromCertAuth",
    "AllowServiceLBStatusOnNonLB",
    "AllowUnsafeMalformedObjectDeletion",
    "AnyVolumeDataSource",
    "APIListChunking",
    "APIResponseCompression",
    "APISelfSubjectReview",
    "AppArmorFields",
    "AtomicWriteVolumeUserFields",
    "AuthorizeNodeWithSelectors",
    "AuthorizeWithSelectors",
    "CBORServingAndStorage",
    "ClearingNominatedNodeNameAfterBinding",
    "ClusterTrustBundle",
    "ClusterTrustBundleProjection",
    "CompositePodGroup",
    "ConstrainedImpersonation",
    "ContainerRestartRules",
    "ContainerStopSignals",
    "CoordinatedLeaderElection",
    "CRDValidationRatcheting",
    "CrossNamespaceVolumeDataSource",
    "CSIServiceAccountTokenSecrets",
    "CSIVolumeHealth",
    "DeclarativeValidation",
    "DeclarativeValidationBeta",
    "DeclarativeValidationTakeover",
    "DefaultHostNetworkHostPortsInPodTemplates",
    "DeploymentReplicaSetTerminatingReplicas",
    "DRAAdminAccess",
    "DRAConsumableCapacity",
    "DRAControlPlaneController",
    "DRADerivedAttributes",
    "DRADeviceBindingConditions",
    "DRADeviceCompatibilityGroups",
    "DRADeviceTaintRules",
    "DRADeviceTaints",
    "DRAExtendedResource",
    "DRAFractionalCapacityRange",
    "DRAListTypeAttributes",
    "DRANodeAllocatableResources",
    "DRAOptionalNodeOperations",
    "DRAPartitionableDevices",
    "DRAPartitionableDevicesType",
    "DRAPrioritizedList",
    "DRAResourceClaimDeviceStatus",
    "DRAResourceClaimGranularStatusAuthorization",
    "DRAResourcePoolStatus",
    "DRAWorkloadResourceClaims",
    "DynamicResourceAllocation",
    "ElasticIndexedJob",
    "EmptyDirVolumeMode",
    "EnvFiles",
    "EvictionRequestAPI",
    "ExpandedDNSConfig",
    "GenericWorkload",
    "GitRepoVolumeDriver",
    "GRPCContainerProbeTLS",
    "H2CContainerProbe",
    "HostnameOverride",
    "HPAConfigurableTolerance",
    "HPAContainerMetrics",
    "HPAGeneration",
    "HPAScaleToZero",
    "ImageVolume",
    "ImageVolumeWithDigest",
    "InPlacePodLevelResourcesVerticalScaling",
    "InPlacePodVerticalScaling",
    "InPlacePodVerticalScalingAllocatedStatus",
    "InPlacePodVerticalScalingInitContainers",
    "InPlacePodVerticalScalingMemoryBackedVolumes",
    "InPlacePodVerticalScalingSchedulerPreemption",
    "JobBackoffLimitPerIndex",
    "JobManagedBy",
    "JobPodFailurePolicy",
    "JobPodReplacementPolicy",
    "JobSuccessPolicy",
    "KubeletInUserNamespace",
    "LegacyServiceAccountTokenTracking",
    "LoadBalancerIPMode",
    "MatchLabelKeysInPodAffinity",
    "MatchLabelKeysInPodTopologySpread",
    "MatchLabelKeysInPodTopologySpreadSelectorMerge",
    "MaxUnavailableStatefulSet",
    "MinDomainsInPodTopologySpread",
    "MultiCIDRServiceAllocator",
    "MutableCSINodeAllocatableCount",
    "MutablePodResourcesForSuspendedJobs",
    "MutablePVNodeAffinity",
    "MutableSchedulingDirectivesForSuspendedJobs",
    "MutatingAdmissionPolicy",
    "NetworkPolicyStatus",
    "NodeDeclaredFeatures",
    "NodeInclusionPolicyInPodTopologySpread",
    "OrderedNamespaceDeletion",
    "PDBUnhealthyPodEvictionPolicy",
    "PersistentVolumeLastPhaseTransitionTime",
    "PodCertificateRequest",
    "PodDeletionCost",
    "PodDisruptionConditions",
    "PodGroupPreemptionPolicy",
    "PodHostIPs",
    "PodLevelResources",
    "PodLevelResourcesFixDefaulting",
    "PodLevelResourcesFixKubeletQOSClass",
    "PodLifecycleSleepAction",
    "PodLifecycleSleepActionAllowZero",
    "PodObservedGenerationTracking",
    "PodReadyToStartContainersCondition",
    "PodSchedulingReadiness",
    "PodTopologyLabelsAdmission",
    "PreferSameTrafficDistribution",
    "ProcMountType",
    "ReadWriteOncePod",
    "RecoverVolumeExpansionFailure",
    "RecursiveReadOnlyMounts",
    "RelaxedDNSSearchValidation",
    "RelaxedEnvironmentVariableValidation",
    "RelaxedServiceNameValidation",
    "RemainingItemCount",
    "ResourceHealthStatus",
    "ResourceHealthStatusMessage",
    "RestartAllContainersOnContainerExits",
    "RetryGenerateName",
    "SELinuxChangePolicy",
    "SELinuxMount",
    "SELinuxMountReadWriteOncePod",
    "ServiceAccountNodeAudienceRestriction",
    "ServiceAccountTokenJTI",
    "ServiceAccountTokenNodeBinding",
    "ServiceAccountTokenNodeBindingValidation",
    "ServiceAccountTokenPodNodeInfo",
    "ServiceCIDRStatusFieldWiping",
    "ServiceTrafficDistribution",
    "ShardedListAndWatch",
    "SidecarContainers",
    "StatefulSetAutoDeletePVC",
    "StatefulSetRecreateStrategy",
    "StatefulSetStartOrdinal",
    "StorageVersionMigrator",
    "StrictIPCIDRValidation",
    "SupplementalGroupsPolicy",
    "TaintTolerationComparisonOperators",
    "TokenRequestServiceAccountUIDValidation",
    "TopologyAwareHints",
    "TopologyAwareWorkloadScheduling",
    "UserNamespacesHostNetworkSupport",
    "UserNamespacesStatelessPodsSupport",
    "UserNamespacesSupport",
    "ValidatingAdmissionPolicy",
    "VolumeAttributesClass",
    "VolumeBindMountOptions",
    "VolumeLimitScaling",
    "WatchList",
    "WorkloadAwarePreemption",
    "WorkloadWithJob",
})  # fmt: skip
"""Feature gates that have an effect in fakeapi, in the releases that have these gates."""

TURNED_ON = {"DynamicResourceAllocation": True}
"""Feature gates whose default differs from the default in Kubernetes.

These gates are on because fakeapi is for testing ResourceClaims: it starts like a cluster that supports
ResourceClaims.
"""

_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})


class GateError(FakeAPIError, ValueError):
    """Raised for an invalid setting of feature gates. The message names the gate."""


class UnknownGateError(GateError):
    """Raised for a feature gate that none of the server's releases has.

    The message suggests similar names. Without similar names, it lists the gates with an effect as
    `Name=true|false (…)`.

    `known`: the gates of the server's releases.
    """

    def __init__(self, name: str, known: Mapping[str, GateSpec]) -> None:
        from difflib import get_close_matches  # noqa: PLC0415 - loaded only for an error

        self.name = name
        similar = get_close_matches(name, known, n=3)
        if similar:
            hint = f"did you mean {' or '.join(similar)}?"
        else:
            lines = sorted(f"{gate}={spec}" for gate, spec in known.items() if gate in EFFECTIVE)
            hint = "\n  ".join(["gates with an effect here:", *lines])
        super().__init__(f"unrecognized feature gate: {name}; {hint}")


class Gates(Mapping[str, bool]):
    """The feature gates of one release, and whether each gate is on. Immutable.

    `graduated`: gates that the release no longer has because their features are permanent.
    """

    __slots__ = ("_graduated", "_settings")

    def __init__(self, settings: Mapping[str, bool], graduated: Iterable[str] = ()) -> None:
        self._settings = dict(settings)
        self._graduated = frozenset(graduated)

    def enabled(self, name: str) -> bool:
        """Whether a gate is on.

        A gate that the release no longer has is on if its feature is now permanent (see `graduated`).
        """
        return self._settings.get(name, name in self._graduated)

    @property
    def known(self) -> frozenset[str]:
        """The names of the gates that the release has."""
        return frozenset(self._settings)

    def __getitem__(self, name: str) -> bool:
        return self._settings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._settings)

    def __len__(self) -> int:
        return len(self._settings)

    def __hash__(self) -> int:
        return hash(frozenset(self._settings.items()))

    def __repr__(self) -> str:
        return f"Gates({self._settings})"


def chosen(setting: Mapping[str, bool] | str | None) -> dict[str, bool]:
    """Returns feature gates from a mapping, or from a text in the syntax of `parse`. None means no gates.

    Raises GateError for invalid syntax, for values that are not booleans, and for a setting of another type.
    Does not check whether a gate exists.
    """
    if setting is None or isinstance(setting, str):
        return parse(setting or "")
    if not isinstance(setting, Mapping):
        raise GateError(f"neither a mapping of names to bool nor text such as A=true,B=false: {setting!r}")
    for name, value in setting.items():
        if not isinstance(value, bool):
            raise GateError(f"invalid value of {name}: {value!r} is not of type bool")
    return dict(setting)


def parse(text: str) -> dict[str, bool]:
    """Parses the value of `--feature-gates`, such as `A=true,B=false`.

    The last value of a gate takes precedence. Raises GateError, with the messages of component-base, for
    invalid syntax. Does not check whether a gate exists.
    """
    chosen: dict[str, bool] = {}
    for setting in text.split(","):
        if not setting:
            continue
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise GateError(f"missing bool value for {name}")
        if value not in _TRUE | _FALSE:
            raise GateError(
                f'invalid value of {name}={value}, err: strconv.ParseBool: parsing "{value}": invalid syntax'
            )
        chosen[name] = value in _TRUE
    return chosen


@cache
def specs(minor: int) -> Mapping[str, GateSpec]:
    """Returns the gates of release 1.`minor`, with their stages and defaults."""
    return _GROUPS | {name: spec for name, spec in _specs(minor).items() if spec.stage is not None}


@cache
def requirements(minor: int) -> Mapping[str, tuple[str, ...]]:
    """Returns the gates that other gates of release 1.`minor` require to be on, by the name of these gates.

    Omits gates that require no other gates.
    """
    needed_by_gate = {}
    for name, history in _gates()["requires"].items():
        past = [needed for since, needed in history if since <= minor]
        if past and past[-1]:
            needed_by_gate[name] = tuple(past[-1])
    return needed_by_gate


@cache
def _specs(minor: int) -> Mapping[str, GateSpec]:
    """Returns the gates of release 1.`minor`, including gates that the release no longer has."""
    states: dict[str, GateSpec] = {}
    for name, history in _gates()["specs"].items():
        past = [entry for entry in history if entry[0] <= minor]
        if past:
            since, stage, *rest = past[-1]
            states[name] = GateSpec(since, Stage[stage] if stage else None, *rest)
    return states


@cache
def _graduated(minor: int) -> frozenset[str]:
    """Returns the gates that release 1.`minor` no longer has, and that were locked to true before."""
    names = set()
    for name, spec in _specs(minor).items():
        if spec.stage is None:
            before = [entry for entry in _gates()["specs"][name] if entry[0] < spec.since][-1]
            if before[1:] == [Stage.GA.value, True, True]:
                names.add(name)
    return frozenset(names)


@cache
def _gates() -> dict[str, Any]:
    """Returns the table of all gates of all releases, which tools/compile_releases.py writes."""
    table: dict[str, Any] = msgspec.json.decode((DATA / "gates.json").read_bytes())
    return table


def check(chosen: Mapping[str, bool], minors: Iterable[int]) -> None:
    """Raises UnknownGateError for the first gate in `chosen` that no release in `minors` has."""
    known: dict[str, GateSpec] = {}
    for minor in minors:
        known |= specs(minor)
    for name in chosen:
        if name not in known:
            raise UnknownGateError(name, known)


def ineffective(chosen: Iterable[str], minors: Iterable[int]) -> list[str]:
    """Returns the chosen gates that have no effect in fakeapi, sorted.

    Omits gates that none of the releases has.
    """
    known = {name for minor in minors for name in specs(minor)}
    return sorted(name for name in known.intersection(chosen) if name not in EFFECTIVE | _GROUPS.keys())


def resolve(chosen: Mapping[str, bool], minor: int) -> Gates:
    """Returns the gates of release 1.`minor` with the user's choices (`chosen`).

    - Gates without a choice have the value in TURNED_ON. Without such a value, they have the release's
      default.
    - AllAlpha and AllBeta set the alpha and beta gates that have neither a choice nor a value in TURNED_ON.
    - Choices for gates that the release does not have are ignored; `check` rejects them.

    Raises GateError if a choice contradicts a locked gate, or if a gate is on without the gates that it
    requires.
    """
    known = specs(minor)
    explicit = {name: value for name, value in {**TURNED_ON, **chosen}.items() if name in known}
    on: dict[str, bool] = {}
    for name, spec in known.items():
        value = explicit.get(name)
        if value is None:
            group = {Stage.ALPHA: ALL_ALPHA, Stage.BETA: ALL_BETA}.get(spec.stage or Stage.GA)
            value = explicit.get(group, spec.default) if group else spec.default
        elif spec.locked and value != spec.default:
            raise GateError(
                f"cannot set feature gate {name} to {str(value).lower()}, "
                f"feature is locked to {str(spec.default).lower()}"
            )
        on[name] = value
    _check_requirements(on, minor)
    return Gates({name: value for name, value in on.items() if name not in _GROUPS}, _graduated(minor))


def _check_requirements(on: Mapping[str, bool], minor: int) -> None:
    for name, needed in requirements(minor).items():
        missing = [gate for gate in needed if not on.get(gate, True)]
        if on.get(name) and missing:
            raise GateError(
                f"{name} is enabled, but depends on features that are disabled: [{' '.join(missing)}]"
            )
