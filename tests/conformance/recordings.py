"""Reads the recordings of Kubernetes' own API servers; fixtures/traces/README.md describes them."""

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

WORLD = "world-"
FOLDER = Path(__file__).parents[2] / "fixtures" / "traces" / "conformance"


@dataclass(frozen=True, slots=True)
class Recording:
    """The recorded requests and responses of one Kubernetes API server.

    The name of a recording has these parts:

    - `world` if the recording is about kinds other than ResourceClaims
    - the release
    - the API version of the requests, if it is not the default of the release
    - `all-gates` if more feature gates were on

    Examples are `1.33`, `1.33-v1beta2`, `1.33-all-gates` and `world-1.33`.
    """

    name: str

    @property
    def release(self) -> str:
        return self.name.removeprefix(WORLD).partition("-")[0]

    @property
    def gates(self) -> dict[str, bool]:
        """The feature gates that were on in addition to the release's defaults, by name."""
        if not self.name.endswith("-all-gates"):
            return {}
        return dict.fromkeys(ALL_GATES[self.release], True)

    @property
    def scenarios(self) -> dict[str, list[dict[str, Any]]]:
        """The recorded requests and responses (exchanges) of each scenario, by the scenario's name."""
        return _read(self.name)


_OF_1_34 = (
    "DRAConsumableCapacity",
    "DRADeviceBindingConditions",
    "DRADeviceTaints",
    "DRAExtendedResource",
    "DRAPartitionableDevices",
)

ALL_GATES = {
    "1.31": ("DRAControlPlaneController",),
    "1.32": ("DRAResourceClaimDeviceStatus", "DRAAdminAccess"),
    "1.33": ("DRAAdminAccess", "DRAPrioritizedList", "DRADeviceTaints", "DRAPartitionableDevices"),
    "1.34": _OF_1_34,
    "1.35": (*_OF_1_34, "DRADeviceTaintRules"),
    "1.36": (
        "DRADeviceTaintRules",
        "DRAListTypeAttributes",
        "DRANodeAllocatableResources",
        "DRAResourcePoolStatus",
        "DRAWorkloadResourceClaims",
        "GenericWorkload",
    ),
    "1.37": (
        "DRADerivedAttributes",
        "DRADeviceCompatibilityGroups",
        "DRAFractionalCapacityRange",
        "DRAListTypeAttributes",
        "DRANodeAllocatableResources",
        "DRAOptionalNodeOperations",
        "DRAPartitionableDevicesType",
        "DRAResourcePoolStatus",
        "DRAWorkloadResourceClaims",
        "GenericWorkload",
    ),
}


@cache
def _read(name: str) -> dict[str, list[dict[str, Any]]]:
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {entry["scenario"]: entry["exchanges"] for entry in map(json.loads, lines)}


_ALL = [Recording(path.name.removesuffix(".jsonl.gz")) for path in sorted(FOLDER.glob("*.jsonl.gz"))]
RECORDINGS = [each for each in _ALL if not each.name.startswith(WORLD)]
WORLD_RECORDINGS = [each for each in _ALL if each.name.startswith(WORLD)]
"""The recordings of kinds other than ResourceClaims: pods, nodes, events, workloads and others."""
