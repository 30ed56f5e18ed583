"""What Kubernetes' own strategies say of objects of resource.k8s.io, and what the project says."""

from pathlib import Path

import pytest

from tests.registry.strategy_samples import answered, expected, read_samples

FIXTURES = Path("fixtures/validation")
GATES = {
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
"""The gates that were on in samples of all gates, beside those that are on by default."""


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("resource-*.jsonl.gz")), ids=lambda path: path.name)
def test_objects_are_answered_as_the_strategies_of_the_release_do(path: Path) -> None:
    release = path.name.split("-")[1].removesuffix(".jsonl.gz")
    gates = GATES[release] if "all-gates" in path.name else ()
    different = [
        (number, sample["resource"], sample["subresource"], answer, wanted)
        for number, sample in enumerate(read_samples(path))
        if (answer := answered(sample, release, gates)) != (wanted := expected(sample))
    ]
    assert different == []
