"""Reads the recordings of Kubernetes' own API servers; fixtures/traces/README.md describes them."""

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

Exchanges = list[dict[str, Any]]

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
    def scenarios(self) -> Mapping[str, Exchanges]:
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


class _Line(msgspec.Struct):
    """A line of a recording. Test modules need the names of all scenarios, but few tests run one of them."""

    scenario: str
    exchanges: msgspec.Raw


class _Scenarios(Mapping[str, Exchanges]):
    """The exchanges of each scenario. Parses the exchanges of a scenario on first use."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = {line.scenario: line.exchanges for line in lines}
        self._parsed: dict[str, Exchanges] = {}

    def __getitem__(self, scenario: str) -> Exchanges:
        exchanges = self._parsed.get(scenario)
        if exchanges is None:
            exchanges = self._parsed[scenario] = msgspec.json.decode(self._lines[scenario], type=Exchanges)
        return exchanges

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


@cache
def _read(name: str) -> Mapping[str, Exchanges]:
    data = gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes())
    return _Scenarios(msgspec.json.Decoder(_Line).decode_lines(data))


_ALL = [Recording(path.name.removesuffix(".jsonl.gz")) for path in sorted(FOLDER.glob("*.jsonl.gz"))]
RECORDINGS = [each for each in _ALL if not each.name.startswith(WORLD)]
WORLD_RECORDINGS = [each for each in _ALL if each.name.startswith(WORLD)]
"""The recordings of kinds other than ResourceClaims: pods, nodes, events, workloads and others."""
