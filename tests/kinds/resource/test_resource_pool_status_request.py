"""ResourcePoolStatusRequest: validation, its write-once status, and its table."""

from typing import Any

import pytest

from fakeapi.kinds.resource.resource_pool_status_request import (
    RESOURCE_POOL_STATUS_REQUEST,
    PoolStatusRequestStrategy,
)
from fakeapi.releases import load_release
from tests.kinds.judging import Found, resource_of
from tests.kinds.resource.builders import RULES, defaulted

RULES_1_36 = RULES["1.36"]
OF_REQUEST = PoolStatusRequestStrategy(RULES_1_36)
RESOURCE = resource_of("1.36", "resource.k8s.io", "v1alpha3", "resourcepoolstatusrequests")
CONDITION = {
    "type": "Complete",
    "status": "True",
    "lastTransitionTime": "2025-01-01T00:00:00Z",
    "reason": "Done",
    "message": "",
}
POOL = {"driver": "gpu.example.com", "poolName": "pool-1", "generation": 1, "totalDevices": 4}


def request(status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"metadata": {"name": "r"}, "spec": {"driver": "gpu.example.com", **spec}}
    sent = fields if status is None else {**fields, "status": status}
    return defaulted("1.36", sent, resource="resourcepoolstatusrequests")


def answered(*pools: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"poolCount": len(pools), "pools": list(pools), "conditions": [CONDITION], **fields}


def refused(new: dict[str, Any], old: dict[str, Any] | None = None, subresource: str = "") -> Found:
    """Validates a create, or an update from `old`; returns the errors as (field, message)."""
    errors = [] if old is None else RESOURCE.strategy_for(subresource).validate_update(new, old)
    merged = RESOURCE.with_declared(errors, new, old, subresource)
    return [(error.field, error.body) for error in merged]


def test_a_request_is_for_a_hundred_pools_unless_it_says_so() -> None:
    assert request()["spec"]["limit"] == 100
    assert request(limit=5)["spec"]["limit"] == 5


@pytest.mark.parametrize("spec", [{}, {"driver": "GPU.Example.com"}, {"poolName": "a/b", "limit": 1000}])
def test_a_good_request_has_no_errors(spec: dict[str, Any]) -> None:
    assert refused(request(**spec)) == []


@pytest.mark.parametrize(
    ("spec", "place", "message"),
    [
        ({"driver": ""}, "spec.driver", "Required value"),
        ({"driver": "Bad_Name"}, "spec.driver", 'Invalid value: "Bad_Name": an RFC 1123 subdomain must'),
        ({"limit": 0}, "spec.limit", "Invalid value: 0: must be greater than or equal to 1"),
        ({"limit": 1001}, "spec.limit", "Invalid value: 1001: must be less than or equal to 1000"),
        ({"poolName": ""}, "spec.poolName", 'Invalid value: "": segment 0: must not be empty'),
        ({"poolName": "a/Bad"}, "spec.poolName", 'Invalid value: "Bad": segment 1: a lowercase RFC 1123'),
    ],
)
def test_what_is_wrong_with_a_request_is_said(spec: dict[str, Any], place: str, message: str) -> None:
    [(field, text)] = refused(request(**spec))
    assert field == place
    assert text.startswith(message)


def test_a_spec_cannot_change_and_the_error_does_not_show_it() -> None:
    assert refused(request(), request()) == []
    assert refused(request(limit=1), request()) == [("spec", "Invalid value: null: field is immutable")]


def test_a_write_of_the_request_leaves_the_status_as_it_was() -> None:
    assert "status" not in OF_REQUEST.prepare_create(request(answered()))
    assert "status" not in OF_REQUEST.prepare_update(request(answered()), request())
    assert OF_REQUEST.prepare_update(request(), request(answered()))["status"] == answered()


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (answered(POOL), []),
        ({"conditions": [CONDITION]}, ["status.poolCount"]),
        (answered(poolCount=-1), ["status.poolCount"]),
        (
            answered({"driver": "Bad_Name", "poolName": "", "generation": 0}),
            ["status.pools[0].driver", "status.pools[0].poolName", "status.pools[0].generation"],
        ),
        (
            answered({}),
            ["status.pools[0].driver", "status.pools[0].poolName", "status.pools[0].generation"],
        ),
        (
            answered({**POOL, "resourceSliceCount": 0, "totalDevices": -1, "nodeName": "Bad_"}),
            [
                "status.pools[0].resourceSliceCount",
                "status.pools[0].totalDevices",
                "status.pools[0].nodeName",
            ],
        ),
        (answered({**POOL, "validationError": "x" * 257}), ["status.pools[0].validationError"]),
        (answered(*[POOL] * 1001), ["status.pools"]),
        (answered(conditions=[CONDITION] * 2), ["status.conditions[1].type", "status.conditions[1]"]),
    ],
)
def test_an_answer_is_looked_at_when_it_is_given(status: dict[str, Any], expected: list[str]) -> None:
    assert [field for field, _ in refused(request(status), request(), "status")] == expected


def test_an_answer_is_given_once() -> None:
    [(field, text)] = refused(request(answered(POOL, poolCount=2)), request(answered(POOL)), "status")
    assert field == "status"
    assert text.startswith('Invalid value: {"PoolCount":2,"Pools":[{"Driver":"gpu.example.com",')
    assert refused(request(answered()), request(answered()), "status") == []


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, ["-", "-", 0, "Pending", "<none>"]),
        (answered(POOL, {**POOL, "validationError": "x"}), ["8", "1", 2, "Complete", "2m"]),
        (answered(POOL, poolCount=3), ["4", "0", 3, "Complete (1/3 pools)", "2m"]),
        (answered(POOL, conditions=[{**CONDITION, "type": "Failed"}]), ["-", "-", 1, "Failed", "<none>"]),
    ],
)
def test_a_table_sums_up_the_pools(status: dict[str, Any] | None, expected: list[Any]) -> None:
    release = load_release("1.36")
    schema = release.kind("resource.k8s.io", "v1alpha3", "resourcepoolstatusrequests").schema
    columns = RESOURCE_POOL_STATUS_REQUEST.columns(schema, release.quirks)
    two_minutes_later = 1735689600 + 120
    cells = {column.name: column.cell(request(status), two_minutes_later) for column in columns}
    assert [cells[name] for name in ("Total", "Errors", "Pools", "Status", "Completed")] == expected
