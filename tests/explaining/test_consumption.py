"""Explanations of shared devices have amounts in one unit, and changes that free or share enough."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from fakeapi.explaining.consumption import largest_request
from fakeapi.explaining.text import text_of
from tests.explaining.device_situations import partitions
from tests.explaining.manifests import DRIVER, claim, device, pod, request, resource_slice
from tests.explaining.situations import ALL_GATES, cluster, train, use

PATH = "spec.devices.requests[0].exactly.capacity.requests"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.36", controllers="scheduler,resourceclaim", feature_gates=ALL_GATES) as api:
        yield api


@pytest.fixture
def api(server: FakeAPI) -> FakeAPI:
    server.reset()
    return server


def _consume(api: FakeAPI, name: str, amount: str, place: str) -> None:
    claim(api, name, request(capacity={"requests": {"bandwidth": amount}}))
    pod(api, f"{name}-user", name, nodeSelector={"kubernetes.io/hostname": place})
    api.settle()


def _uplinks(api: FakeAPI) -> None:
    """Creates shared devices with 100G on two nodes; 60G and 70G of them are consumed."""
    link = device("link-0", allowMultipleAllocations=True, capacity={"bandwidth": {"value": "100G"}})
    cluster(api, link, nodes="ab")
    resource_slice(api, "b", [link])
    _consume(api, "most", "70G", "a")
    _consume(api, "less", "60G", "b")
    train(api, request(capacity={"requests": {"bandwidth": "50G"}}))
    api.settle()


def test_amounts_of_capacity_have_the_unit_of_the_device(api: FakeAPI) -> None:
    _uplinks(api)
    text = text_of(api.explain("pod", "train"), everything=True)
    used = "by claim default/less (pod less-user)"
    assert f"capacity bandwidth: 50G wanted, 40G of 100G left; 60G consumed {used}" in text
    assert "Ki" not in text


def test_a_request_for_the_capacity_that_is_left_suffices(api: FakeAPI) -> None:
    _uplinks(api)
    why = api.explain("pod", "train")
    (change,) = [one for one in why.reasons[0].changes if one.path == PATH]
    again = "delete claim default/gpu and create it again with"
    assert change.text == f"{again} at most 40G instead of 50G for bandwidth in {PATH}"
    assert (change.value, change.node, change.sufficient, change.relaxes) == ("40G", "b", True, True)
    assert f"{change.text} (asks for less)\n" in why.text
    api.delete("Pod", "train")
    api.delete("ResourceClaim", "gpu")
    train(api, request(capacity={"requests": {"bandwidth": change.value}}))
    api.settle()
    assert api.get("Pod", "train")["spec"]["nodeName"] == "b"


@pytest.mark.parametrize(
    ("policy", "left", "expected"),
    [
        ({}, "40G", "40G"),
        ({}, "0", ""),
        ({"validValues": ["10G", "30G", "60G"]}, "40G", "30G"),
        ({"validValues": ["60G"]}, "40G", ""),
        ({"validRange": {"min": "50G"}}, "40G", ""),
        ({"validRange": {"min": "10G", "step": "20G"}}, "40G", "30G"),
    ],
)
def test_the_largest_request_follows_the_request_policy(
    policy: dict[str, object], left: str, expected: str
) -> None:
    assert largest_request({"value": "100G", "requestPolicy": policy}, left) == expected


def test_a_new_partition_of_the_same_device_is_not_offered(api: FakeAPI) -> None:
    partitions(api)
    use(api, "other")
    train(api)
    why = api.explain("pod", "train")
    free, add = why.reasons[0].changes
    assert (free.text, free.sufficient) == ("delete pod default/other-user", True)
    like = f"with a partition like part-0 of {DRIVER}"
    assert add.text == f"add 1 physical device on node a (counters like gpu-0), {like}"
    lead = (
        "the partitions of one device (counterSet gpu-0) share counter memory: 6Gi wanted, 4Gi of 10Gi left"
    )
    assert f"1 device: {lead}; 6Gi consumed by claim default/other (pod other-user)" in why.reasons[0].details


def test_a_device_with_the_wanted_value_that_exists_is_not_offered_again(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", "80Gi"), device("gpu-1"))
    big = f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'
    claim(api, "other", request("gpu", big))
    pod(api, "other-user", "other")
    api.settle()
    train(api, request("gpu", big))
    texts = [one.text for one in api.explain("pod", "train").reasons[0].changes]
    assert texts[0] == "delete pod default/other-user"
    assert [one for one in texts if "device" in one.partition(" ")[2][:12]] == [
        f"add 1 device like gpu-0 of {DRIVER} on node a"
    ]


def test_the_values_of_all_devices_of_a_node_are_counted(api: FakeAPI) -> None:
    models = ["a"] * 10 + ["b"] * 14
    devices = [
        device(f"gpu-{number}", attributes={"model": {"string": model}})
        for number, model in enumerate(models)
    ]
    best = device("best", attributes={"model": {"string": "c"}})
    cluster(api, *devices, best)
    only = f'device.attributes["{DRIVER}"].model == "c"'
    claim(api, "other", request("gpu", only))
    pod(api, "other-user", "other")
    api.settle()
    train(api, request("gpu", only))
    path = f'`device.attributes["{DRIVER}"].model`'
    values = f'24 devices: selectors[0] of request gpu: {path} is "b" (14), "a" (10), wanted == "c"'
    assert values in api.explain("pod", "train").reasons[0].details
