"""Errors about metadata and options have the release's messages, which changed in 1.34, 1.35 and 1.37."""

from typing import Any

import pytest

from fakeapi.machinery.meta import names, object_meta, options
from fakeapi.machinery.meta.wording import Wording
from fakeapi.releases.quirks import quirks_of

OWNER: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "<1>"}
STORED = {"name": "a", "namespace": "ns", "uid": "u", "resourceVersion": "7"}


def created(meta: dict[str, Any], minor: int) -> list[str]:
    whole = {"name": "a", "namespace": "ns"} | meta
    errors = object_meta.validate_object_meta(
        whole, True, names.name_is_dns_subdomain, "metadata", wording_of(minor)
    )
    return [str(error).removeprefix("metadata.") for error in errors]


def wording_of(minor: int) -> Wording:
    return quirks_of(minor).wording


@pytest.mark.parametrize(
    ("minor", "error"),
    [
        (33, 'ownerReferences.name: Invalid value: "": name must not be empty'),
        (34, 'ownerReferences.name: Invalid value: "": must not be empty'),
        (37, "ownerReferences[0].name: Required value: must not be empty"),
    ],
)
def test_an_owner_without_a_name_is_refused_in_the_words_of_the_release(minor: int, error: str) -> None:
    assert created({"ownerReferences": [OWNER | {"name": ""}]}, minor) == [error]


@pytest.mark.parametrize(
    ("version", "error"),
    [
        ("", "Required value: must not be empty"),
        ("apps/", 'Invalid value: "apps/": must be <group>/<version> or <version>'),
        ("a/b/c", 'Invalid value: "a/b/c": must be <group>/<version> or <version>'),
    ],
)
def test_from_1_37_on_an_owner_s_version_is_missing_or_malformed(version: str, error: str) -> None:
    obj = created({"ownerReferences": [OWNER | {"apiVersion": version}]}, 37)
    assert obj == [f"ownerReferences[0].apiVersion: {error}"]


def test_from_1_34_on_values_are_printed_as_go_s_json() -> None:
    owners = [OWNER | {"controller": True}, OWNER | {"controller": True, "name": "b"}]
    first = r'{"apiVersion":"v1","kind":"Pod","name":"a","uid":"\u003c1\u003e","controller":true}'
    second = first.replace('"a"', '"b"')
    obj = created({"ownerReferences": owners}, 34)
    assert obj[0].startswith(f"ownerReferences: Invalid value: [{first},{second}]: ")
    deleted = STORED | {"deletionTimestamp": "2001-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0}
    errors = object_meta.validate_object_meta_update(deleted, STORED, "metadata", wording_of(34))
    assert errors[0].body == 'Invalid value: "2001-01-01T00:00:00Z": field is immutable'
    errors = object_meta.validate_object_meta_update(STORED, deleted, "metadata", wording_of(34))
    assert [error.body for error in errors] == ["Invalid value: null: field is immutable"] * 2


@pytest.mark.parametrize(("minor", "unit"), [(34, "characters"), (35, "bytes")])
def test_the_length_of_a_label_is_told_in_bytes_from_1_35_on(minor: int, unit: str) -> None:
    label = f"must be no more than 63 {unit}"
    assert created({"labels": {"a" * 64: "v" * 64}}, minor) == [
        f'labels: Invalid value: "{"a" * 64}": name part {label}',
        f'labels: Invalid value: "{"v" * 64}": {label}',
    ]


def test_from_1_37_on_an_operation_of_managed_fields_is_one_of_two() -> None:
    entries = [{"operation": ""}, {"operation": "Delete"}]
    assert created({"managedFields": entries}, 37) == [
        "managedFields[0].operation: Required value: must not be empty",
        'managedFields[1].operation: Unsupported value: "Delete": supported values: "Apply", "Update"',
    ]


def test_from_1_34_on_the_values_of_a_dry_run_are_a_json_list() -> None:
    errors = options.validate_dry_run(["Some"], wording_of(34))
    assert [str(error) for error in errors] == [
        'dryRun: Unsupported value: ["Some"]: supported values: "All"'
    ]


def test_from_1_37_on_an_unsafe_delete_may_be_a_dry_run() -> None:
    sent = {"ignoreStoreReadErrorWithClusterBreakingPotential": True, "dryRun": ["All"]}
    assert [error.field for error in options.validate_delete_options(sent)] == [*sent][:1]
    assert options.validate_delete_options(sent, unsafe_dry_run=True) == []
