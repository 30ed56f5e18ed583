"""PodSecurity reports the same violations as Kubernetes' own pod security checks."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from fakeapi.admission.plugins.pod_security.checks import problems
from fakeapi.admission.plugins.pod_security.policy import LevelVersion

FIXTURE = Path(__file__).parents[2] / "fixtures" / "validation" / "pod-security.jsonl.gz"
NEWEST = 36

SAMPLES: list[dict[str, Any]] = [
    json.loads(line) for line in gzip.decompress(FIXTURE.read_bytes()).splitlines()
]


def test_there_are_pods_that_pass_and_pods_that_fail() -> None:
    assert len(SAMPLES) > 300
    assert any(each["problems"] for each in SAMPLES)
    assert any(not each["problems"] for each in SAMPLES)


@pytest.mark.parametrize("level", ["baseline", "restricted"])
def test_pods_violate_what_they_violate_in_kubernetes(level: str) -> None:
    differing = [
        (version, sample["spec"], found, sample["problems"])
        for sample in SAMPLES
        if sample["level"] == level
        for version in sample["versions"]
        if (
            found := [
                list(each)
                for each in problems(LevelVersion(level, version), NEWEST, sample["metadata"], sample["spec"])
            ]
        )
        != sample["problems"]
    ]
    assert differing == []
