"""Changes of selectors are exact expressions, and the scheduler accepts them."""

import pytest

from fakeapi import FakeAPI
from fakeapi.explaining.model import Change
from tests.explaining.manifests import DRIVER, claim, device, device_class, pod, request, resource_slice
from tests.explaining.situations import cluster, train

MEMORY = f'device.capacity["{DRIVER}"].memory'
MODEL = f'device.attributes["{DRIVER}"].model'
PATH = "spec.devices.requests[0].exactly.selectors[0].cel.expression"


def _first_change(api: FakeAPI, expression: str) -> Change:
    """Explains a claim with a selector that refuses both devices."""
    cluster(api, device("gpu-0", "16Gi"), device("gpu-1", "24Gi"))
    train(api, request("gpu", expression))
    return api.explain("pod", "train").reasons[0].changes[0]


@pytest.mark.parametrize(
    ("expression", "text", "rewritten"),
    [
        (
            f'{MEMORY}.compareTo(quantity("40Gi")) >= 0',
            "capacity memory >= 24Gi instead of >= 40Gi",
            f'{MEMORY}.compareTo(quantity("24Gi")) >= 0',
        ),
        (
            f'device.driver == "{DRIVER}" && {MEMORY}.isGreaterThan(quantity("40Gi"))',
            "capacity memory >= 24Gi instead of > 40Gi",
            f'device.driver == "{DRIVER}" && {MEMORY}.compareTo(quantity("24Gi")) >= 0',
        ),
        (
            f'{MEMORY}.compareTo(quantity("8Gi")) < 0',
            "capacity memory <= 16Gi instead of < 8Gi",
            f'{MEMORY}.compareTo(quantity("16Gi")) <= 0',
        ),
        (
            f'{MODEL} == "h100"',
            'attribute model == "a100" instead of == "h100"',
            f'{MODEL} == "a100"',
        ),
        (
            f'{MODEL} in ["h100", "b200"]',
            '"a100" in the list of attribute model',
            f'{MODEL} in ["h100", "b200", "a100"]',
        ),
        (
            f'{MODEL} != "a100" && device.driver != ""',
            f'no `{MODEL} != "a100"`',
            'device.driver != ""',
        ),
    ],
)
def test_a_selector_is_rewritten_so_that_it_accepts_a_device(
    api: FakeAPI, expression: str, text: str, rewritten: str
) -> None:
    change = _first_change(api, expression)
    assert change.text == f"delete claim default/gpu and create it again with {text} in {PATH}"
    assert (change.path, change.value, change.sufficient) == (PATH, rewritten, True)
    claim(api, "changed", request("gpu", change.value))
    pod(api, "changed", "changed")
    api.settle()
    assert api.get("Pod", "changed")["spec"]["nodeName"]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        (f'{MEMORY}.compareTo(quantity("40Gi")) >= 0', "capacity memory >= 40Gi"),
        (f'{MODEL} == "h100"', 'attribute model == "h100"'),
    ],
)
def test_a_device_with_the_wanted_value_is_offered(api: FakeAPI, expression: str, wanted: str) -> None:
    cluster(api, device("gpu-0"))
    train(api, request("gpu", expression))
    changes = api.explain("pod", "train").reasons[0].changes
    (add,) = [one for one in changes if one.action == "add"]
    assert (add.text, add.count, add.sufficient) == (f"1 device with {wanted} on node a", 1, True)
    assert (add.driver, add.like) == (DRIVER, f"{DRIVER}/a/gpu-0")


def test_the_change_of_a_class_counts_the_other_claims_that_use_it(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    device_class(api, "big", f'{MEMORY}.compareTo(quantity("40Gi")) >= 0')
    claim(api, "other", request(class_name="big"))
    train(api, request(class_name="big"))
    change, add = api.explain("pod", "train").reasons[0].changes
    assert (add.action, change.relaxes) == ("add", True)
    place = "spec.selectors[0].cel.expression of class big"
    assert change.text == f"write capacity memory >= 16Gi instead of >= 40Gi in {place}"
    assert change.harm == "1 other claim uses class big"


def test_another_letter_case_of_a_value_does_not_ask_for_less(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api, request("gpu", f'device.attributes["{DRIVER}"].model == "A100"'))
    why = api.explain("pod", "train")
    change = why.reasons[0].changes[0]
    assert (change.sufficient, change.relaxes) == (True, False)
    assert 'attribute model == "a100" instead of == "A100"' in change.text
    assert "(asks for less)" not in why.text.partition("or:")[0]


def test_devices_of_cordoned_nodes_are_named_as_left_out_of_the_count(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    resource_slice(api, "b", [device("gpu-0"), device("gpu-1")])
    api.patch("Node", "b", {"spec": {"unschedulable": True}})
    train(api, request("gpu", f'device.attributes["{DRIVER}"].model == "h100"'))
    reason = api.explain("pod", "train").reasons[0]
    assert "none of 1 device" in reason.text
    assert "left out of the count: 2 devices on cordoned node b" in reason.details


def test_an_attribute_that_no_device_publishes_is_to_be_published(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    version = f'device.attributes["{DRIVER}"].driverVersion'
    train(api, request("gpu", f'{version}.isGreaterThan(semver("1.0.0"))'))
    reason = api.explain("pod", "train").reasons[0]
    guard = "with this guard, too few devices of node a match the selector"
    assert guard in reason.details
    assert f"device {DRIVER}/a/gpu-0 has these attributes in {DRIVER}: model, numa" in reason.details
    publish, drop = reason.changes
    assert drop.text.endswith(
        f'again with no requirement `{version}.isGreaterThan(semver("1.0.0"))` in {PATH}'
    )
    assert (drop.value, drop.sufficient) == ("true", True)
    assert publish.text == f"let driver {DRIVER} publish attribute driverVersion for its devices"


def test_without_the_extra_cel_a_selector_says_what_to_install(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.machinery.cel.library.is_installed", lambda: False)
    cluster(api, device("gpu-0"))
    train(api, request("gpu", f'device.driver == "{DRIVER}" || "without" == "cel"'))
    reason = api.explain("pod", "train").reasons[0]
    assert reason.code == "SelectorFails"
    assert reason.text.endswith("fails on gpu-0: it needs the extra cel, pip install 'fakeapi-k8s[cel]'")
    assert [change.text for change in reason.changes] == [
        "install the extra cel: pip install 'fakeapi-k8s[cel]'"
    ]


def test_a_constraint_names_the_devices_of_each_value_and_a_smaller_count(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", numa=0), device("gpu-1", numa=1))
    train(api, request(count=2), constraints=[{"matchAttribute": f"{DRIVER}/numa"}])
    why = api.explain("pod", "train")
    assert why.reasons[0].details == [
        f"request gpu needs 2 devices with one value of {DRIVER}/numa",
        f"{DRIVER}/numa 0: gpu-0",
        f"{DRIVER}/numa 1: gpu-1",
    ]
    again = "delete claim default/gpu and create it again with"
    assert [(one.text, one.sufficient) for one in why.reasons[0].changes] == [
        (f"{again} no spec.devices.constraints[0]", True),
        (f"{again} 1 instead of 2 in spec.devices.requests[0].exactly.count", True),
        (f"add 1 device like gpu-0 of {DRIVER}, with {DRIVER}/numa 0, on node a", True),
    ]
    assert why.nodes[0].reason == why.summary


_ATTRIBUTES = f'device.attributes["{DRIVER}"]'


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (f'{_ATTRIBUTES}.since >= "1.2"', f'{_ATTRIBUTES}.since.compareTo(semver("1.2.0")) >= 0'),
        (f'{_ATTRIBUTES}.since == "1.2.3-rc.1"', f'{_ATTRIBUTES}.since.compareTo(semver("1.2.3-rc.1")) == 0'),
        (f'{_ATTRIBUTES}.numa < "4"', f"{_ATTRIBUTES}.numa < 4"),
        (f"{_ATTRIBUTES}.model >= 7", f'{_ATTRIBUTES}.model >= "7"'),
    ],
)
def test_a_value_is_compared_with_a_literal_of_its_type(api: FakeAPI, wrong: str, right: str) -> None:
    attributes = {"model": {"string": "a100"}, "numa": {"int": 0}, "since": {"version": "1.2.3-rc.1"}}
    if "1.2.0" in right:
        attributes["since"] = {"version": "1.2.3"}
    cluster(api, device("gpu-0", attributes=attributes))
    device_class(api, "typed", f'device.driver == "{DRIVER}" && {wrong}')
    train(api, request(class_name="typed"))
    change = api.explain("pod", "train").reasons[0].changes[0]
    place = "spec.selectors[0].cel.expression of class typed"
    assert change.text == f"write `{right}` instead of `{wrong}` in {place}"
    assert (change.value, change.sufficient) == (f'device.driver == "{DRIVER}" && {right}', True)
    selectors = [{"cel": {"expression": change.value}}]
    api.patch("DeviceClass", "typed", {"spec": {"selectors": selectors}})
    api.settle()
    if not api.get("Pod", "train")["spec"].get("nodeName"):  # after an error, the scheduler waits
        api.delete("Pod", "train")
        pod(api, "train", "gpu")
        api.settle()
    assert api.get("Pod", "train")["spec"]["nodeName"] == "a"


def test_a_part_that_fails_for_another_cause_is_removed_whole(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    part = f'{_ATTRIBUTES}.numa.compareTo(semver("1.0.0")) >= 0 || {_ATTRIBUTES}.model == "a very long name"'
    device_class(api, "odd", f'device.driver == "{DRIVER}" && ({part})')
    train(api, request(class_name="odd"))
    change = api.explain("pod", "train").reasons[0].changes[-1]
    assert change.text == f"remove `({part})` from spec.selectors[0].cel.expression of class odd"
    assert change.sufficient
