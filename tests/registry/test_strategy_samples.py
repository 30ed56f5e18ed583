"""fakeapi's strategies give the recorded results of Kubernetes' own strategies.

Files named `resource-*` contain samples of resource.k8s.io, `lifecycle-*` of lifecycle.k8s.io, `kinds-*` of
other kinds, and `declared-*` of kinds with declared validation rules.
"""

from pathlib import Path

import pytest

from tests.registry.strategy_samples import answered, expected, read_samples

FIXTURES = Path("fixtures/validation")
NAMES = ("resource", "lifecycle", "declared", "kinds")
SAMPLES = sorted(path for name in NAMES for path in FIXTURES.glob(f"{name}-*.jsonl.gz"))
GATES = {
    "1.36": (
        "DRADeviceTaintRules",
        "DRAListTypeAttributes",
        "DRANodeAllocatableResources",
        "DRAResourcePoolStatus",
    ),
    "1.37": (
        "DRADerivedAttributes",
        "DRADeviceCompatibilityGroups",
        "DRAListTypeAttributes",
        "DRANodeAllocatableResources",
        "DRAOptionalNodeOperations",
        "DRAPartitionableDevicesType",
        "DRAResourcePoolStatus",
    ),
}
"""The feature gates that are on in samples with the name "all gates", in addition to the release's defaults.
"""


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_objects_are_answered_as_the_strategies_of_the_release_do(path: Path) -> None:
    release = path.name.split("-")[1].removesuffix(".jsonl.gz")
    gates = GATES[release] if "all-gates" in path.name else ()
    gates = ("EvictionRequestAPI",) if path.name.startswith("lifecycle") else gates
    different = [
        (number, sample["resource"], sample["subresource"], answer, wanted)
        for number, sample in enumerate(read_samples(path))
        if (answer := answered(sample, release, gates)) != (wanted := expected(sample))
    ]
    assert different == []
