"""Differences between releases in how the kubelet handles the ResourceClaims of pods, and in its messages.

Sources are `pkg/kubelet/cm/dra` of k8s.io/kubernetes at each release's last patch.
"""

from functools import cache
from typing import Literal

from fakeapi.releases.history import ReleaseValues, since

_DRA = "pkg/kubelet/cm/dra"
_FEATURES = "staging/src/k8s.io/component-helpers/nodedeclaredfeatures"

_NO_PLUGIN = "plugin name {driver} not found in the list of registered DRA plugins"

_RESTARTS = "RestartAllContainersOnContainerExits"
_POD_LEVEL_RESIZE = "InPlacePodLevelResourcesVerticalScaling"
_SINCE_1_36 = ("ExtendWebSocketsToKubelet", "InPlacePodVerticalScalingInitContainers")
_SINCE_1_37 = (
    "InPlacePodVerticalScalingMemoryBackedVolumes",
    "DRANodeAllocatableResources",
    "DRAOptionalNodeOperations",
)


class KubeletQuirks(ReleaseValues):
    """Describes how the kubelet of one release handles ResourceClaims, where releases differ.

    Errors are templates for `str.format`.
    """

    notes_claims: Literal["when prepared", "at once", "when drivers are there"] = since(
        {27: "when prepared", 31: "at once", 34: "when drivers are there"}, _DRA
    )
    """The moment at which the kubelet records a pod as a user of its ResourceClaims.

    The kubelet must unprepare recorded claims before the pod ends.

    - "when prepared": after drivers have prepared the claim, up to 1.30
    - "at once": when the kubelet has read the claim, from 1.31 to 1.33
    - "when drivers are there": when the drivers of all claims are registered, from 1.34
    """
    skips_unused_claims: bool = since({27: True, 31: False}, _DRA)
    """Whether the kubelet does not prepare claims that no container uses."""

    declares_features: tuple[str, ...] = since(
        {
            27: (),
            35: (_RESTARTS, _POD_LEVEL_RESIZE),
            36: (_RESTARTS, _POD_LEVEL_RESIZE, *_SINCE_1_36),
            37: (_RESTARTS, _POD_LEVEL_RESIZE, *_SINCE_1_36, *_SINCE_1_37),
        },
        _FEATURES,
    )
    """Features that a Node declares if the gate of the same name is on.

    Features that need a capability of the container runtime are never declared.
    """

    always_declares_features: tuple[str, ...] = since(
        {27: (), 35: ("GuaranteedQoSPodCPUResize",), 36: ()}, _FEATURES
    )
    """Features that a Node declares if its kubelet has the default settings, independently of a gate."""

    prepare_failed: str = since({27: "{problem}", 34: "prepare dynamic resources: {problem}"}, _DRA)
    """Error if the claims of a pod cannot be prepared. `{problem}` is the cause."""

    name_unknown: str = since({27: "prepare resource claim: {problem}", 34: "{problem}"}, _DRA)
    """Error if the name of a claim of the pod is unknown. `{problem}` is the cause."""

    claim_not_found: str = since(
        {
            27: "failed to fetch ResourceClaim {claim} referenced by pod {pod}: {problem}",
            34: "fetch ResourceClaim {claim}: {problem}",
        },
        _DRA,
    )
    """Error if a claim of the pod cannot be read."""

    claim_not_reserved: str = since(
        {
            27: "pod {pod}({uid}) is not allowed to use resource claim {claim}({claim_uid})",
            34: "pod {pod} ({uid}) is not allowed to use ResourceClaim {claim} ({claim_uid})",
        },
        _DRA,
    )
    """Error if `status.reservedFor` of a claim does not contain the pod."""

    no_driver_to_prepare: str = since(
        {
            27: f"failed to get DRA Plugin client for plugin name {{driver}}: {_NO_PLUGIN}",
            31: f"failed to get gRPC client for driver {{driver}}: {_NO_PLUGIN}",
            34: "DRA driver {driver} is not registered",
        },
        _DRA,
    )
    """Error if the driver of a claim to prepare is not registered."""

    no_driver_to_unprepare: str = since(
        {
            27: f"failed to get DRA Plugin client for plugin name {{driver}}: {_NO_PLUGIN}",
            31: f"get gRPC client for DRA driver {{driver}}: {_NO_PLUGIN}",
            34: "DRA driver {driver} is not registered",
        },
        _DRA,
    )
    """Error if the driver of a claim to unprepare is not registered."""

    call_failed: str = since({27: "{method} failed: {problem}", 34: "{method}: {problem}"}, _DRA)
    """Error if the kubelet's gRPC call to a driver fails.

    `{method}` is the gRPC method, and `{problem}` is the message of the failure.
    """

    claim_failed: str = since(
        {
            27: "{method} failed for claim {namespace}/{claim}: {problem}",
            34: "{method} failed for ResourceClaim {claim}: {problem}",
        },
        _DRA,
    )
    """Error if the response of a driver contains an error about a claim."""

    claims_left_out: str = since(
        {
            27: "{method} left out {count} claims",
            34: "{method} skipped {count} ResourceClaims",
        },
        _DRA,
    )
    """Error if the response of a driver lacks claims."""

    unknown_claim: str = "{method} returned result for unknown claim UID {uid}"
    """Error if the response of a driver contains an unknown claim."""

    checkpoint_failed: str = since(
        {
            27: "failed to checkpoint claimInfo state, err: {problem}",
            31: "locked cache operation: failed to checkpoint claimInfo state: {problem}",
            34: "checkpoint ResourceClaim cache: {problem}",
        },
        _DRA,
    )
    """Error if the checkpoint of prepared claims cannot be written."""


@cache
def kubelet_quirks_of(minor: int) -> KubeletQuirks:
    """Returns the behaviour of the kubelet of release 1.`minor` with ResourceClaims."""
    return KubeletQuirks(minor)
