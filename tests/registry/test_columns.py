"""The cells of Tables equal the cells of Kubernetes' own table printers."""

from typing import Any

import pytest

from fakeapi.kinds import definition_of
from fakeapi.registry.model.columns import (
    AGE,
    CREATED_AT_COLUMN,
    NAME,
    UNKNOWN,
    Column,
    age,
    printed_columns,
    since,
    with_name_and_age,
)
from fakeapi.releases import KNOWN_RELEASES, Kind, load_release
from fakeapi.releases.quirks import quirks_of
from fakeapi.releases.serving import GROUP
from fakeapi.releases.tables import tables_of

NOW = 1_700_000_000.0
MINUTE, HOUR, DAY = 60, 3600, 86400
CREATED = "2023-11-14T22:11:20Z"  # two minutes before NOW
META = {"name": "x", "creationTimestamp": CREATED}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-2, "<invalid>"),
        (-1.9, "0s"),
        (0, "0s"),
        (119.9, "119s"),
        (2 * MINUTE, "2m"),
        (2 * MINUTE + 1, "2m1s"),
        (9 * MINUTE + 59, "9m59s"),
        (10 * MINUTE + 30, "10m"),
        (3 * HOUR - 1, "179m"),
        (3 * HOUR, "3h"),
        (7 * HOUR + 59 * MINUTE, "7h59m"),
        (8 * HOUR + MINUTE, "8h"),
        (2 * DAY - 1, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + 5 * HOUR, "2d5h"),
        (8 * DAY + 5 * HOUR, "8d"),
        (2 * 365 * DAY - 1, "729d"),
        (2 * 365 * DAY, "2y"),
        (3 * 365 * DAY + 4 * DAY, "3y4d"),
        (8 * 365 * DAY + 4 * DAY, "8y"),
    ],
)
def test_an_age_has_two_or_three_figures(seconds: float, text: str) -> None:
    assert age(seconds) == text


def test_an_object_that_was_never_created_has_no_age() -> None:
    assert since(None, NOW) == UNKNOWN
    assert since(CREATED, NOW) == "2m"


def kind_named(release: str, version: str, name: str) -> Kind:
    return next(kind for kind in load_release(release).kinds if (kind.version, kind.kind) == (version, name))


def columns_of(kind: Kind) -> tuple[Column, ...]:
    return with_name_and_age(definition_of(kind).columns(kind.schema, quirks_of(33)))


def cells(kind: Kind, obj: dict[str, Any]) -> dict[str, str | float | None]:
    return {column.name: column.cell(obj, NOW) for column in columns_of(kind)}


@pytest.mark.parametrize("release", KNOWN_RELEASES)
def test_every_kind_of_claims_has_a_name_first_and_an_age_last(release: str) -> None:
    kinds = [kind for kind in load_release(release).kinds if kind.group == GROUP]
    assert len(kinds) > 3
    for kind in kinds:
        first, *_, last = columns_of(kind)
        assert (first.name, first.format, first.description) == ("Name", "name", NAME)
        assert (last.name, last.format, last.description) == ("Age", "", AGE)


@pytest.mark.parametrize(
    ("metadata", "status", "older", "newer"),
    [
        ({}, {}, "pending", "pending"),
        ({"deletionTimestamp": CREATED}, {}, "deleted", "deleted"),
        ({}, {"allocation": {}}, "allocated", "allocated"),
        (
            {},
            {"allocation": {}, "deallocationRequested": True},
            "allocated,deallocating",
            "allocated",
        ),
        ({}, {"allocation": {}, "reservedFor": [{}]}, "allocated,reserved", "allocated,reserved"),
        (
            {"deletionTimestamp": CREATED},
            {"allocation": {}},
            "deleted,allocated,deallocating",
            "deleted,allocated",
        ),
        (
            {"deletionTimestamp": CREATED},
            {"allocation": {}, "reservedFor": [{}]},
            "deleted,allocated,reserved",
            "deleted,allocated,reserved",
        ),
    ],
)
def test_a_claims_state_knows_deallocation_only_where_the_api_has_it(
    metadata: dict[str, Any], status: dict[str, Any], older: str, newer: str
) -> None:
    claim = {"metadata": {**META, **metadata}, "spec": {"devices": {}}, "status": status}
    assert cells(kind_named("1.31", "v1alpha3", "ResourceClaim"), claim)["State"] == older
    assert cells(kind_named("1.32", "v1alpha3", "ResourceClaim"), claim)["State"] == newer


@pytest.mark.parametrize(
    ("release", "version", "kind", "members", "expected"),
    [
        ("1.33", "v1", "Namespace", {"status": {"phase": "Active"}}, {"Status": "Active"}),
        (
            "1.30",
            "v1alpha2",
            "ResourceClaim",
            {"spec": {"resourceClassName": "gpu", "allocationMode": "Immediate"}},
            {"ResourceClassName": "gpu", "AllocationMode": "Immediate", "State": "pending"},
        ),
        (
            "1.30",
            "v1alpha2",
            "ResourceClaimTemplate",
            {"spec": {"spec": {"resourceClassName": "gpu", "allocationMode": "Immediate"}}},
            {"ResourceClassName": "gpu", "AllocationMode": "Immediate"},
        ),
        ("1.31", "v1alpha3", "ResourceClaimTemplate", {"spec": {"spec": {}}}, {}),
        ("1.30", "v1alpha2", "ResourceClass", {"driverName": "d"}, {"DriverName": "d"}),
        ("1.31", "v1alpha3", "PodSchedulingContext", {"spec": {"selectedNode": "n"}}, {"SelectedNode": "n"}),
        ("1.31", "v1alpha3", "PodSchedulingContext", {"spec": {}}, {"SelectedNode": ""}),
        (
            "1.30",
            "v1alpha2",
            "ResourceClaimParameters",
            {"generatedFrom": {"apiGroup": "example.com", "kind": "Gpu", "name": "big"}},
            {"GeneratedFrom": "Gpu.example.com big"},
        ),
        ("1.30", "v1alpha2", "ResourceClassParameters", {}, {"GeneratedFrom": ""}),
        (
            "1.30",
            "v1alpha2",
            "ResourceSlice",
            {"nodeName": "n", "driverName": "d"},
            {"Node": "n", "Driver": "d"},
        ),
        (
            "1.33",
            "v1beta2",
            "ResourceSlice",
            {"spec": {"nodeName": None, "driver": "d", "pool": {"name": "p"}}},
            {"Node": "", "Driver": "d", "Pool": "p"},
        ),
        (
            "1.33",
            "v1alpha3",
            "DeviceTaintRule",
            {"spec": {"taint": {"key": "k", "effect": "NoExecute", "timeAdded": CREATED}}},
            {"Key": "k", "Value": "", "Effect": "NoExecute", "TimeAdded": "2m"},
        ),
        ("1.33", "v1beta1", "DeviceClass", {"spec": {}}, {}),
    ],
)
def test_a_kind_adds_its_own_columns_between_name_and_age(
    release: str, version: str, kind: str, members: dict[str, Any], expected: dict[str, str]
) -> None:
    found = cells(kind_named(release, version, kind), {"metadata": META, **members})
    assert found == {"Name": "x", **expected, "Age": "2m"}


def test_the_ways_to_bind_a_slice_are_told_as_the_release_has_them() -> None:
    def described(release: str) -> str:
        kind = kind_named(release, "v1alpha3", "ResourceSlice")
        return columns_of(kind)[1].description

    assert "Exactly one of NodeName, NodeSelector and AllNodes must be set" in described("1.32")
    assert "AllNodes, and PerDeviceNodeSelection must be set" in described("1.33")


def test_printed_columns_are_those_of_the_release_with_the_cells_of_the_kind() -> None:
    tables = tables_of("1.33")
    printed = tables.columns["storage.k8s.io/CSINode"]
    described = tables.column_descriptions["storage.k8s.io/CSINode"]
    name, drivers, created = printed_columns(printed, described, {"Drivers": lambda obj, now: 2})
    assert (name.name, name.format, name.description, drivers.type) == ("Name", "name", NAME, "integer")
    assert drivers.description == "Drivers indicates the number of CSI drivers registered on the node"
    assert [each.cell({"metadata": META}, NOW) for each in (name, drivers, created)] == ["x", 2, "2m"]


def test_a_printed_column_without_a_cell_is_an_error() -> None:
    with pytest.raises(KeyError, match="Drivers"):
        printed_columns(tables_of("1.33").columns["storage.k8s.io/CSINode"], {}, {})


def test_descriptions_of_columns_are_those_of_the_release() -> None:
    older, newer = (tables_of(each).column_descriptions["PersistentVolume"] for each in ("1.28", "1.29"))
    assert "VolumeAttributesClass" not in older
    assert newer["VolumeAttributesClass"] == "VolumeAttributesClass of the pv"


def test_a_kind_without_a_printer_shows_when_it_was_created() -> None:
    cell = CREATED_AT_COLUMN.cell
    assert (cell({"metadata": META}, NOW), cell({"metadata": {}}, NOW)) == (CREATED, UNKNOWN)
    assert CREATED_AT_COLUMN.definition()["type"] == "date"
