"""The quality of service (QoS) class of a pod follows from its cpu and memory."""

from typing import Any

import pytest

from fakeapi.kinds.core.pod.qos import BEST_EFFORT, BURSTABLE, GUARANTEED, qos_class
from fakeapi.releases import load_release

BOTH = {"cpu": "1", "memory": "1Gi"}
FULL = {"requests": BOTH, "limits": BOTH}


def class_of(*containers: dict[str, Any], release: str = "1.33", **spec: Any) -> str:
    found = [{"name": str(index), "resources": each} for index, each in enumerate(containers)]
    return qos_class({"containers": found, **spec}, load_release(release).gates)


@pytest.mark.parametrize(
    ("containers", "expected"),
    [
        ([{}], BEST_EFFORT),
        ([{"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}], BEST_EFFORT),
        ([{"requests": {"cpu": "0"}}], BEST_EFFORT),
        ([{"requests": {"cpu": "1"}}], BURSTABLE),
        ([{"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}], BURSTABLE),
        ([FULL], GUARANTEED),
        ([FULL, {}], BURSTABLE),
        ([FULL, FULL], GUARANTEED),
        ([{"requests": {"cpu": "1000m", "memory": "1024Mi"}, "limits": BOTH}], GUARANTEED),
        ([{"requests": {"cpu": "1", "memory": "1Mi"}, "limits": BOTH}], BURSTABLE),
    ],
)
def test_the_class_follows_from_cpu_and_memory_of_all_containers(
    containers: list[dict[str, Any]], expected: str
) -> None:
    assert class_of(*containers) == expected


def test_init_containers_count_and_ephemeral_ones_do_not() -> None:
    assert class_of(FULL, initContainers=[{"name": "i", "resources": {}}]) == BURSTABLE
    assert class_of(FULL, ephemeralContainers=[{"name": "e", "resources": {}}]) == GUARANTEED


def test_resources_of_the_pod_as_a_whole_decide_where_the_release_has_them() -> None:
    assert class_of({}, resources=FULL, release="1.33") == BEST_EFFORT  # the feature gate is off
    assert class_of({}, resources=FULL, release="1.34") == GUARANTEED
    assert class_of(FULL, resources={"requests": {"cpu": "1"}}, release="1.34") == BURSTABLE
    assert class_of(FULL, resources={}, release="1.36") == BEST_EFFORT
    assert class_of(FULL, resources={}, release="1.37") == GUARANTEED
