"""Differences between releases in how the kubelet handles the ResourceClaims of pods, and in its messages.

Sources are `pkg/kubelet/cm/dra` of k8s.io/kubernetes at each release's last patch.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from fakeapi.releases.history import History, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeletQuirks:
    """Describes how the kubelet of one release handles ResourceClaims, where releases differ.

    Attributes of type str are templates of error messages, for `str.format`.
    """

    notes_claims: Literal["when prepared", "at once", "when drivers are there"]
    """The moment at which the kubelet records a pod as a user of its ResourceClaims.

    The kubelet must unprepare recorded claims before the pod ends.

    - "when prepared": after drivers have prepared the claim, up to 1.30
    - "at once": when the kubelet has read the claim, from 1.31
    - "when drivers are there": when the drivers of all claims are registered, from 1.34
    """
    skips_unused_claims: bool
    """Whether the kubelet does not prepare claims that no container uses."""

    declares_features: tuple[str, ...]
    """Features that a Node declares if the gate of the same name is on.

    Features that need a capability of the container runtime are never declared.
    """
    always_declares_features: tuple[str, ...]
    """Features that a Node declares if its kubelet has the default settings, independently of a gate."""

    prepare_failed: str
    name_unknown: str
    claim_not_found: str
    claim_not_reserved: str
    no_driver_to_prepare: str
    no_driver_to_unprepare: str
    call_failed: str
    claim_failed: str
    claims_left_out: str
    unknown_claim: str
    checkpoint_failed: str


_NO_PLUGIN = "plugin name {driver} not found in the list of registered DRA plugins"

_RESTARTS = "RestartAllContainersOnContainerExits"
_POD_LEVEL_RESIZE = "InPlacePodLevelResourcesVerticalScaling"
_SINCE_1_36 = ("ExtendWebSocketsToKubelet", "InPlacePodVerticalScalingInitContainers")
_SINCE_1_37 = (
    "InPlacePodVerticalScalingMemoryBackedVolumes",
    "DRANodeAllocatableResources",
    "DRAOptionalNodeOperations",
)

HISTORY: History = {
    "notes_claims": {27: "when prepared", 31: "at once", 34: "when drivers are there"},
    "skips_unused_claims": {27: True, 31: False},
    "declares_features": {
        27: (),
        35: (_RESTARTS, _POD_LEVEL_RESIZE),
        36: (_RESTARTS, _POD_LEVEL_RESIZE, *_SINCE_1_36),
        37: (_RESTARTS, _POD_LEVEL_RESIZE, *_SINCE_1_36, *_SINCE_1_37),
    },
    "always_declares_features": {27: (), 35: ("GuaranteedQoSPodCPUResize",), 36: ()},
    "prepare_failed": {27: "{problem}", 34: "prepare dynamic resources: {problem}"},
    "name_unknown": {27: "prepare resource claim: {problem}", 34: "{problem}"},
    "claim_not_found": {
        27: "failed to fetch ResourceClaim {claim} referenced by pod {pod}: {problem}",
        34: "fetch ResourceClaim {claim}: {problem}",
    },
    "claim_not_reserved": {
        27: "pod {pod}({uid}) is not allowed to use resource claim {claim}({claim_uid})",
        34: "pod {pod} ({uid}) is not allowed to use ResourceClaim {claim} ({claim_uid})",
    },
    "no_driver_to_prepare": {
        27: f"failed to get DRA Plugin client for plugin name {{driver}}: {_NO_PLUGIN}",
        31: f"failed to get gRPC client for driver {{driver}}: {_NO_PLUGIN}",
        34: "DRA driver {driver} is not registered",
    },
    "no_driver_to_unprepare": {
        27: f"failed to get DRA Plugin client for plugin name {{driver}}: {_NO_PLUGIN}",
        31: f"get gRPC client for DRA driver {{driver}}: {_NO_PLUGIN}",
        34: "DRA driver {driver} is not registered",
    },
    "call_failed": {27: "{method} failed: {problem}", 34: "{method}: {problem}"},
    "claim_failed": {
        27: "{method} failed for claim {namespace}/{claim}: {problem}",
        34: "{method} failed for ResourceClaim {claim}: {problem}",
    },
    "claims_left_out": {
        27: "{method} left out {count} claims",
        34: "{method} skipped {count} ResourceClaims",
    },
    "unknown_claim": {27: "{method} returned result for unknown claim UID {uid}"},
    "checkpoint_failed": {
        27: "failed to checkpoint claimInfo state, err: {problem}",
        31: "locked cache operation: failed to checkpoint claimInfo state: {problem}",
        34: "checkpoint ResourceClaim cache: {problem}",
    },
}


@cache
def kubelet_quirks_of(minor: int) -> KubeletQuirks:
    """Returns the behaviour of the kubelet of release 1.`minor` with ResourceClaims."""
    return KubeletQuirks(**values_at(HISTORY, minor))
