"""A server warns about enabled feature gates that have no effect in fakeapi."""

import logging

import pytest

from fakeapi import FakeAPI

GATES = {"GenericWorkload": True, "DRAWorkloadResourceClaims": True}


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno == logging.WARNING and "feature gate" in record.getMessage()
    ]


def test_gates_without_an_effect_are_listed_in_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    gates = "OpportunisticBatching=true,DRASchedulerFilterTimeout=true,DRAAdminAccess=true"
    with FakeAPI(release="1.37", feature_gates=gates):
        pass
    assert warnings(caplog) == [
        "these feature gates have no effect in fakeapi: DRASchedulerFilterTimeout, OpportunisticBatching"
    ]


def test_the_defaults_of_a_release_are_no_reason_for_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    for release in ("1.31", "1.36", "1.37"):
        with FakeAPI(release=release, controllers="scheduler,resourceclaim"):
            pass
    assert warnings(caplog) == []


def test_controllers_name_the_gates_that_they_do_not_act_on(caplog: pytest.LogCaptureFixture) -> None:
    gates = {"GangScheduling": True, "GenericWorkload": True}
    with FakeAPI(release="1.35", feature_gates=gates, controllers="scheduler,resourceclaim") as api:
        api.reset()
    text = "the pods of a gang are scheduled one by one, without waiting for minCount"
    expected = f"feature gate GangScheduling has no effect in the controller scheduler: {text}"
    assert [message for message in warnings(caplog) if "has no effect in the controller" in message] == [
        expected
    ]


@pytest.mark.parametrize(
    ("release", "gang"), [("1.36", {"GangScheduling": True}), ("1.37", {"GenericWorkload": True})]
)
def test_gangs_and_claims_of_groups_need_no_warning(
    release: str, gang: dict[str, bool], caplog: pytest.LogCaptureFixture
) -> None:
    gates = {**GATES, **gang}
    with FakeAPI(release=release, feature_gates=gates, controllers="scheduler,resourceclaim"):
        pass
    assert [message for message in warnings(caplog) if "has no effect in the controller" in message] == []


def test_without_the_controller_there_is_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    with FakeAPI(release="1.36", feature_gates=GATES, controllers="namespace"):
        pass
    assert warnings(caplog) == []
