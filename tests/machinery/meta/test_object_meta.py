"""ObjectMeta is validated as in k8s.io/apimachinery, with the same messages in the same order."""

from typing import Any

import pytest

from fakeapi.machinery.meta import names, object_meta
from fakeapi.machinery.meta.wording import Wording

OWNER: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "1"}
OWNER_DUMP = (
    'v1.OwnerReference{{APIVersion:"{}", Kind:"{}", Name:"{}", UID:"{}", '
    "Controller:(*bool)({}), BlockOwnerDeletion:(*bool)({})}}"
)
STORED = {
    "name": "claim",
    "namespace": "ns",
    "uid": "u",
    "resourceVersion": "7",
    "generation": 3,
    "creationTimestamp": "2026-01-02T03:04:05Z",
}
DELETED = STORED | {"deletionTimestamp": "2026-01-02T03:04:06Z", "deletionGracePeriodSeconds": 0}
QUALIFIED = names.is_qualified_name("-")[0]
LABEL_VALUE = names.is_valid_label_value("-")[0]
SUBDOMAIN = names.is_dns1123_subdomain("-")[0]
LABEL = names.is_dns1123_label("-")[0]


def created(meta: dict[str, Any], *, namespaced: bool = True) -> list[str]:
    whole = {"name": "claim", "namespace": "ns"} | meta
    errors = object_meta.validate_object_meta(whole, namespaced, names.name_is_dns_subdomain)
    return [str(error) for error in errors]


def updated(change: dict[str, Any], old: dict[str, Any] = STORED) -> list[str]:
    errors = object_meta.validate_object_meta_update(old | change, old)
    return [str(error) for error in errors]


def test_metadata_with_everything_in_it_is_fine() -> None:
    meta = {
        "generateName": "cl-",
        "labels": {"a": "", "example.com/b": "B.1_2"},
        "annotations": {"Example.com/Any": "any text\n"},
        "ownerReferences": [OWNER | {"controller": True}, OWNER | {"apiVersion": "apps/v1"}],
        "finalizers": ["example.com/a", "nodomain", "orphan"],
        "managedFields": [{"manager": "m", "operation": "Update", "fieldsType": "FieldsV1"}],
    }
    assert created(meta) == []
    assert updated(meta) == []


@pytest.mark.parametrize(
    ("meta", "errors"),
    [
        ({"name": ""}, ["metadata.name: Required value: name or generateName is required"]),
        ({"name": "Up"}, [f'metadata.name: Invalid value: "Up": {SUBDOMAIN}']),
        (
            {"generateName": "Up-", "name": "Up-x"},
            [
                f'metadata.generateName: Invalid value: "Up-": {SUBDOMAIN}',
                f'metadata.name: Invalid value: "Up-x": {SUBDOMAIN}',
            ],
        ),
        ({"namespace": ""}, ["metadata.namespace: Required value"]),
        ({"namespace": "a.b"}, ['metadata.namespace: Invalid value: "a.b": must not contain dots']),
        ({"namespace": "a_b"}, [f'metadata.namespace: Invalid value: "a_b": {LABEL}']),
        (
            {"generation": -1},
            ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            {"labels": {"z!": "v!", "a!": "fine"}},
            [
                f'metadata.labels: Invalid value: "a!": {QUALIFIED}',
                f'metadata.labels: Invalid value: "z!": {QUALIFIED}',
                f'metadata.labels: Invalid value: "v!": {LABEL_VALUE}',
            ],
        ),
        (
            {"annotations": {"a b": ""}},
            [f'metadata.annotations: Invalid value: "a b": {QUALIFIED}'],
        ),
    ],
)
def test_bad_names_are_refused_with_their_path(meta: dict[str, Any], errors: list[str]) -> None:
    assert created(meta) == errors


def test_an_object_without_namespace_may_not_name_one() -> None:
    assert created({"namespace": ""}, namespaced=False) == []
    assert created({}, namespaced=False) == ["metadata.namespace: Forbidden: not allowed on this type"]


def test_the_keys_of_annotations_may_be_upper_case_even_before_the_slash() -> None:
    assert created({"annotations": {"EXAMPLE.com/A": "", "\u0130": ""}}) == []
    assert created({"labels": {"EXAMPLE.com/A": ""}}) != []


def test_annotations_are_limited_in_bytes_all_together() -> None:
    limit = object_meta.TOTAL_ANNOTATION_SIZE_LIMIT
    assert created({"annotations": {"a": "é" * ((limit - 2) // 2), "b": ""}}) == []
    too_much = {"annotations": {"a": "é" * ((limit - 2) // 2), "b": "1"}}
    assert created(too_much) == ["metadata.annotations: Too long: may not be more than 262144 bytes"]
    wording = Wording(too_long="must have at most {} bytes")
    older = object_meta.validate_annotations(too_much["annotations"], "a", wording)
    assert [str(error) for error in older] == ["a: Too long: must have at most 262144 bytes"]


@pytest.mark.parametrize(
    ("owner", "errors"),
    [
        ({"apiVersion": "apps/v1"}, []),
        ({"apiVersion": "/v1"}, []),
        ({"apiVersion": ""}, [(".apiVersion", '"": version must not be empty')]),
        ({"apiVersion": "apps/"}, [(".apiVersion", '"apps/": version must not be empty')]),
        ({"apiVersion": "a/b/c"}, [(".apiVersion", '"a/b/c": version must not be empty')]),
        (
            {"kind": "", "name": "", "uid": ""},
            [
                (".kind", '"": kind must not be empty'),
                (".name", '"": name must not be empty'),
                (".uid", '"": uid must not be empty'),
            ],
        ),
        ({"apiVersion": "events.k8s.io/v1", "kind": "Event"}, []),
        (
            {"kind": "Event"},
            [
                (
                    "",
                    OWNER_DUMP.format("v1", "Event", "a", "1", "nil", "nil")
                    + ": /v1, Kind=Event is disallowed from being an owner",
                )
            ],
        ),
    ],
)
def test_an_owner_is_named_in_full_and_is_no_event(
    owner: dict[str, Any], errors: list[tuple[str, str]]
) -> None:
    expected = [f"metadata.ownerReferences{path}: Invalid value: {rest}" for path, rest in errors]
    assert created({"ownerReferences": [OWNER | owner]}) == expected


def test_each_controller_after_the_first_is_refused_with_all_owners_dumped() -> None:
    owners = [OWNER | {"controller": True, "name": name} for name in ("a", "b")]
    owners.append(OWNER | {"controller": False, "blockOwnerDeletion": True})
    dump = ", ".join(
        [
            OWNER_DUMP.format("v1", "Pod", "a", "1", "0xc000012345", "nil"),
            OWNER_DUMP.format("v1", "Pod", "b", "1", "0xc000012345", "nil"),
            OWNER_DUMP.format("v1", "Pod", "a", "1", "0xc000012345", "0xc000012345"),
        ]
    )
    assert created({"ownerReferences": owners}) == [
        (
            f"metadata.ownerReferences: Invalid value: []v1.OwnerReference{{{dump}}}: Only one reference can "
            'have Controller set to true. Found "true" in references for Pod/a and Pod/b'
        )
    ]


def test_orphan_and_foreground_deletion_exclude_each_other() -> None:
    assert created({"finalizers": ["foregroundDeletion", "orphan"]}) == [
        (
            'metadata.finalizers: Invalid value: []string{"foregroundDeletion", "orphan"}: '
            "finalizer orphan and foregroundDeletion cannot be both set"
        )
    ]


def test_a_finalizer_is_a_qualified_name_and_of_core_kinds_one_with_a_domain() -> None:
    meta = {"name": "claim", "finalizers": ["-/a", "nodomain", "kubernetes", "foregroundDeletion"]}
    generic = [f'metadata.finalizers: Invalid value: "-/a": prefix part {SUBDOMAIN}']
    assert created(meta) == generic
    core = object_meta.validate_core_object_meta(
        meta | {"namespace": "ns"}, True, names.name_is_dns_subdomain
    )
    undomained = (
        'metadata.finalizers[1]: Invalid value: "nodomain": '
        "name is neither a standard finalizer name nor is it fully qualified"
    )
    assert [str(error) for error in core] == [*generic, undomained]
    changed = object_meta.validate_core_object_meta_update(
        STORED | {"finalizers": ["ok/a", "nodomain"]}, STORED
    )
    assert [str(error) for error in changed] == [undomained]


def test_managed_fields_are_checked_by_entry() -> None:
    entries = [
        {"manager": "m", "operation": "Apply"},
        {"manager": "m" * 129, "operation": "Nonsense", "fieldsType": "V0", "subresource": "s" * 257},
        {},
    ]
    assert created({"managedFields": entries}) == [
        'metadata.managedFields[1].operation: Invalid value: "Nonsense": must be `Apply` or `Update`',
        'metadata.managedFields[1].fieldsType: Invalid value: "V0": must be `FieldsV1`',
        "metadata.managedFields[1].manager: Too long: may not be more than 128 bytes",
        "metadata.managedFields[1].subresource: Too long: may not be more than 256 bytes",
        'metadata.managedFields[2].operation: Invalid value: "": must be `Apply` or `Update`',
    ]


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({"finalizers": ["nodomain", "-/x"]}, []),
        (
            {"resourceVersion": ""},
            ['resourceVersion: Invalid value: "": must be specified for an update'],
        ),
        ({"generation": 2}, ["generation: Invalid value: 2: must not be decremented"]),
        ({"generation": 4}, []),
        (
            {"name": "other", "namespace": "", "uid": "other"},
            [
                'name: Invalid value: "other": field is immutable',
                'namespace: Invalid value: "": field is immutable',
                'uid: Invalid value: "other": field is immutable',
            ],
        ),
        (
            {"creationTimestamp": None},
            ["creationTimestamp: Invalid value: 0001-01-01 00:00:00 +0000 UTC: field is immutable"],
        ),
        (
            {"deletionTimestamp": "2001-01-01T00:00:00Z", "deletionGracePeriodSeconds": 4},
            [
                "deletionTimestamp: Invalid value: 2001-01-01 00:00:00 +0000 UTC: field is immutable",
                "deletionGracePeriodSeconds: Invalid value: 4: field is immutable",
            ],
        ),
    ],
)
def test_an_update_keeps_what_the_server_has_set(change: dict[str, Any], errors: list[str]) -> None:
    assert updated(change) == [f"metadata.{error}" for error in errors]


def test_a_time_that_goes_away_prints_as_null() -> None:
    assert object_meta.validate_object_meta_update(STORED, DELETED)[0].body == (
        "Invalid value: null: field is immutable"
    )


def test_no_finalizer_is_added_to_what_is_being_deleted() -> None:
    held = DELETED | {"finalizers": ["example.com/b", "example.com/a"]}
    assert updated({"finalizers": ["example.com/b"]}, held) == []
    assert updated({"finalizers": ["example.com/d", "example.com/a", "example.com/c"]}, held) == [
        (
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
            'found new finalizers []string{"example.com/c", "example.com/d"}'
        )
    ]
