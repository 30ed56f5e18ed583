"""Validation of StorageClass, CSIDriver, CSINode and the other kinds of storage.k8s.io."""

from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import (
    Body,
    Found,
    canonical,
    created,
    refusals,
    refused_change,
    resource_of,
)

CLASS = {"provisioner": "example.com/p", "parameters": {"a": "1"}}
DRIVER: Body = {"spec": {"attachRequired": False}}
NODE = {"spec": {"drivers": [{"name": "example.com", "nodeID": "n", "topologyKeys": ["zone"]}]}}
CAPACITY = {"storageClassName": "a", "capacity": "1Gi", "nodeTopology": {"matchLabels": {"a": "b"}}}
ATTACHMENT: Body = {
    "spec": {"attacher": "example.com", "nodeName": "n", "source": {"persistentVolumeName": "pv"}}
}
ATTRIBUTES = {"driverName": "example.com", "parameters": {"iops": "1"}}
NO_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def storage(resource: str, release: str = "1.33", version: str = "v1") -> Resource:
    return resource_of(release, "storage.k8s.io", version, resource)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"provisioner": ""}, [("provisioner", "Required value")]),
        ({"parameters": {"": "x"}}, [("parameters", 'Invalid value: "": field can not be empty.')]),
        (
            {"reclaimPolicy": "Recycle"},
            [("reclaimPolicy", 'Unsupported value: "Recycle": supported values: "Delete", "Retain"')],
        ),
        (
            {"volumeBindingMode": "Odd"},
            [
                (
                    "volumeBindingMode",
                    'Unsupported value: "Odd": supported values: "Immediate", "WaitForFirstConsumer"',
                )
            ],
        ),
        (
            {"parameters": {str(number): "" for number in range(513)}},
            [("parameters", "Too long: may not be more than 512 bytes")],
        ),
        (
            {"allowedTopologies": [{"matchLabelExpressions": [{"key": "a", "values": ["b", "b"]}]}]},
            [("allowedTopologies[0].matchLabelExpressions[0].values[1]", 'Duplicate value: "b"')],
        ),
        (
            {"allowedTopologies": [{"matchLabelExpressions": [{"key": "a", "values": ["b"]}]}] * 2},
            [("allowedTopologies[1].matchLabelExpressions", 'Duplicate value: ""')],
        ),
        (
            {"allowedTopologies": [{"matchLabelExpressions": [{"key": "a", "values": []}]}]},
            [("allowedTopologies[0].matchLabelExpressions[0].values", "Required value")],
        ),
    ],
)
def test_a_storage_class_has_a_provisioner_and_known_modes(changes: Body, expected: Found) -> None:
    assert refusals(storage("storageclasses"), {**CLASS, **changes}) == expected


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        (
            "1.33",
            [
                ("parameters", "Forbidden: updates to parameters are forbidden."),
                ("provisioner", "Forbidden: updates to provisioner are forbidden."),
            ],
        ),
        (
            "1.36",
            [
                ("parameters", "Invalid value: null: field is immutable"),
                ("provisioner", 'Invalid value: "other": field is immutable'),
            ],
        ),
        (
            "1.37",
            [
                ("provisioner", "Invalid value: null: field is immutable"),
                ("parameters", "Invalid value: null: field is immutable"),
            ],
        ),
    ],
)
def test_what_a_storage_class_is_made_of_stays_in_the_words_of_the_release(
    release: str, expected: Found
) -> None:
    resource = storage("storageclasses", release)
    assert refused_change(resource, CLASS, {"provisioner": "other"}) == expected
    assert refused_change(resource, CLASS, {**CLASS, "allowVolumeExpansion": True}) == []


def test_a_storage_class_warns_of_labels_that_others_replaced() -> None:
    resource = storage("storageclasses")
    key = "failure-domain.beta.kubernetes.io/zone"
    terms = [{"matchLabelExpressions": [{"key": key, "values": ["a"]}]}]
    obj = created(resource, {**CLASS, "allowedTopologies": terms})
    (warning,) = resource.strategy_for("").warnings_on_create(obj)
    assert warning == (
        "allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "
        '"topology.kubernetes.io/zone" instead'
    )


@pytest.mark.parametrize(("release", "name"), [("1.33", "a (default)"), ("1.37", "a")])
def test_a_default_class_is_called_so_in_tables_until_only_one_can_be(release: str, name: str) -> None:
    resource = storage("storageclasses", release)
    metadata = {"name": "a", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    obj = created(resource, {**CLASS, "metadata": metadata})
    assert {each.name: each.cell(obj, 0.0) for each in resource.columns} == {
        "Name": name,
        "Provisioner": "example.com/p",
        "ReclaimPolicy": "Delete",
        "VolumeBindingMode": "Immediate",
        "AllowVolumeExpansion": False,
        "Age": "<unknown>",
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"fsGroupPolicy": "File", "volumeLifecycleModes": ["Ephemeral"]}, []),
        (
            {"fsGroupPolicy": "Odd"},
            [
                (
                    "spec.fsGroupPolicy",
                    'Unsupported value: "Odd": supported values: "File", "None", "ReadWriteOnceWithFSType"',
                )
            ],
        ),
        (
            {"volumeLifecycleModes": ["Odd"]},
            [
                (
                    "spec.volumeLifecycleModes",
                    'Unsupported value: "Odd": supported values: "Persistent", "Ephemeral"',
                )
            ],
        ),
        (
            {"tokenRequests": [{"audience": "a"}, {"audience": "a"}]},
            [("spec.tokenRequests[1].audience", 'Duplicate value: "a"')],
        ),
        (
            {"tokenRequests": [{"audience": "a", "expirationSeconds": 1 << 33}]},
            [
                (
                    "spec.tokenRequests[0].expirationSeconds",
                    "Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds",
                )
            ],
        ),
    ],
)
def test_a_csi_driver_has_known_policies_and_modes(spec: Body, expected: Found) -> None:
    assert refusals(storage("csidrivers"), {"spec": spec}) == expected


@pytest.mark.parametrize(("release", "changes_policy"), [("1.29", False), ("1.30", True)])
def test_a_csi_drivers_policy_may_change_from_some_release_on(release: str, changes_policy: bool) -> None:  # noqa: FBT001 - a parameter
    errors = refused_change(storage("csidrivers", release), DRIVER, {"spec": {"fsGroupPolicy": "File"}})
    immutable = ("spec.fsGroupPolicy", 'Invalid value: "File": field is immutable')
    assert (immutable not in errors) is changes_policy
    assert ("spec.attachedRequired", "Invalid value: true: field is immutable") in errors


def test_a_change_of_a_csi_drivers_spec_is_a_new_generation() -> None:
    resource = storage("csidrivers")
    old = created(resource, DRIVER)
    same = resource.strategy_for("").prepare_update(canonical(resource, DRIVER), old)
    changed = canonical(resource, {"spec": {**DRIVER["spec"], "podInfoOnMount": True}})
    assert "generation" not in same["metadata"]
    assert resource.strategy_for("").prepare_update(changed, old)["metadata"]["generation"] == 1


def test_a_csi_driver_that_asks_for_tokens_should_keep_them_in_secrets_from_1_35_on() -> None:
    body = {"spec": {"tokenRequests": [{"audience": "a"}]}}
    for release, warns in (("1.34", False), ("1.35", True)):
        resource = storage("csidrivers", release)
        assert bool(resource.strategy_for("").warnings_on_create(created(resource, body))) is warns


@pytest.mark.parametrize(
    ("driver", "expected"),
    [
        ({"nodeID": ""}, [("nodeID", "Required value")]),
        (
            {"nodeID": "n" * 257},
            [("nodeID", f'Invalid value: "{"n" * 257}": must be 256 characters or less')],
        ),
        ({"name": "Bad_Name"}, [("name", f'Invalid value: "Bad_Name": {NO_SUBDOMAIN}')]),
        (
            {"allocatable": {"count": -1}},
            [("allocatable.count", "Invalid value: -1: must be greater than or equal to 0")],
        ),
        ({"topologyKeys": ["a", "a"]}, [("", 'Duplicate value: "a"')]),
    ],
)
def test_a_driver_of_a_csi_node_has_a_name_and_an_id(driver: Body, expected: Found) -> None:
    body = {"spec": {"drivers": [{"name": "example.com", "nodeID": "n", "topologyKeys": None, **driver}]}}
    path = "spec.drivers[0]"
    assert refusals(storage("csinodes"), body) == [
        (f"{path}.{field}" if field else path, text) for field, text in expected
    ]


def test_a_driver_of_a_csi_node_stays_but_for_its_count_where_the_gate_is_on() -> None:
    counted = {"spec": {"drivers": [{**NODE["spec"]["drivers"][0], "allocatable": {"count": 5}}]}}
    (found,) = refused_change(storage("csinodes", "1.33"), NODE, counted)
    assert found[0] == "spec.drivers"
    assert found[1].startswith('Invalid value: storage.CSINodeDriver{Name:"example.com", NodeID:"n"')
    (found,) = refused_change(storage("csinodes", "1.31"), NODE, counted)
    assert found[0] == "CSINodeDriver"
    assert refused_change(storage("csinodes", "1.36"), NODE, counted) == []


def test_the_health_of_storage_is_reported_in_the_status_of_a_csi_node_of_1_37() -> None:
    resource = storage("csinodes", "1.37")
    health = {"name": "example.com", "healthConditions": [{"status": "Odd", "reason": "bad reason"}]}
    old = created(resource, NODE)
    new = {**old, "status": {"storageHealth": [health, health]}}
    strategy = resource.strategy_for("status")
    fields = [error.field for error in strategy.validate_update(new, old)]
    path = "status.storageHealth"
    conditions = [f"healthConditions[0].{name}" for name in ("status", "reason")]
    assert fields == [
        *(f"{path}[0].{each}" for each in conditions),
        f"{path}[1]",
        *(f"{path}[1].{each}" for each in conditions),
    ]
    assert strategy.prepare_update(new, old)["status"] == {}, "the gate is off"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"capacity": "-1"}, [("capacity", 'Invalid value: "-1": must be greater than or equal to 0')]),
        ({"storageClassName": ""}, [("storageClassName", f'Invalid value: "": {NO_SUBDOMAIN}')]),
        (
            {"nodeTopology": {"matchExpressions": [{"key": "a", "operator": "Near"}]}},
            [
                (
                    "nodeTopology.matchExpressions[0].operator",
                    'Invalid value: "Near": not a valid selector operator',
                )
            ],
        ),
    ],
)
def test_a_capacity_is_of_a_class_and_of_nodes(changes: Body, expected: Found) -> None:
    assert refusals(storage("csistoragecapacities"), {**CAPACITY, **changes}) == expected
    assert refusals(storage("csistoragecapacities", "1.27"), {**CAPACITY, **changes}) == expected * 2


def test_where_a_capacity_is_stays() -> None:
    errors = refused_change(storage("csistoragecapacities", "1.36"), CAPACITY, {"storageClassName": "b"})
    assert errors == [
        ("nodeTopology", "Invalid value: null: field is immutable"),
        ("storageClassName", 'Invalid value: "b": field is immutable'),
    ]


def test_a_capacity_shows_when_it_was_created() -> None:
    assert [each.name for each in storage("csistoragecapacities").columns] == ["Name", "Created At"]


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        (
            "1.33",
            [
                ("spec.attacher", "Required value"),
                ("spec.attacher", "Required value"),
                ("spec.attacher", f'Invalid value: "": {NO_SUBDOMAIN}'),
            ],
        ),
        ("1.35", [("spec.attacher", "Required value"), ("spec.attacher", "Required value")]),
        ("1.36", [("spec.attacher", "Required value")]),
        ("1.37", [("spec.attacher", "Required value")]),
    ],
)
def test_an_attachment_has_an_attacher(release: str, expected: Found) -> None:
    spec = {**ATTACHMENT["spec"], "attacher": ""}
    assert refusals(storage("volumeattachments", release), {"spec": spec}) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"source": {}},
            [
                (
                    "spec.source",
                    "Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
                )
            ],
        ),
        ({"nodeName": ""}, [("spec.nodeName", f'Invalid value: "": {NO_SUBDOMAIN}')]),
        (
            {"source": {"inlineVolumeSpec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "c"}}},
            [
                (
                    "spec.source.inlineVolumeSpec.csi",
                    "Required value: has to be specified in the context of inline volumes",
                ),
                ("spec.source.inlineVolumeSpec", "Required value: must specify a volume type"),
                (
                    "spec.source.inlineVolumeSpec.storageClassName",
                    "Forbidden: may not be specified in the context of inline volumes",
                ),
            ],
        ),
    ],
)
def test_an_attachment_has_one_source_and_a_node(spec: Body, expected: Found) -> None:
    assert refusals(storage("volumeattachments"), {"spec": {**ATTACHMENT["spec"], **spec}}) == expected


def test_what_is_attached_stays() -> None:
    changed = {"spec": {**ATTACHMENT["spec"], "nodeName": "other"}}
    (found,) = refused_change(storage("volumeattachments"), ATTACHMENT, changed)
    assert found[0] == "spec"
    assert found[1].startswith('Invalid value: storage.VolumeAttachmentSpec{Attacher:"example.com"')
    shown = (
        '{"Attacher":"example.com","Source":{"PersistentVolumeName":"pv","InlineVolumeSpec":null},"NodeName":'
    )
    assert refused_change(storage("volumeattachments", "1.36"), ATTACHMENT, changed) == [
        ("spec", f'Invalid value: {shown}"other"}}: field is immutable')
    ]
    assert refused_change(storage("volumeattachments", "1.37"), ATTACHMENT, changed) == [
        ("spec", "Invalid value: null: field is immutable")
    ]


def test_an_attachments_error_has_a_short_message_and_a_code_that_is_no_less_than_zero() -> None:
    error = {"message": "m" * 1025, "errorCode": -1}
    for release, told in (("1.36", 262144), ("1.37", 1024)):
        resource = storage("volumeattachments", release)
        old = created(resource, ATTACHMENT)
        new = {**old, "status": {"attached": False, "attachError": error}}
        errors = resource.strategy_for("status").validate_update(new, old)
        assert [(each.field, each.body) for each in errors] == [
            ("status.attachError.message", f"Too long: may not be more than {told} bytes"),
            (
                "status.attachError.errorCode",
                "Invalid value: -1: must be between 0 and 2147483647, inclusive",
            ),
        ]


@pytest.mark.parametrize(
    ("release", "version", "times"),
    [("1.29", "v1alpha1", 1), ("1.33", "v1beta1", 2), ("1.34", "v1", 2), ("1.35", "v1", 1)],
)
def test_nothing_of_a_class_of_attributes_changes(release: str, version: str, times: int) -> None:
    resource = storage("volumeattributesclasses", release, version)
    assert refusals(resource, {"driverName": ""}) == [
        ("driverName", "Required value"),
        ("parameters", "Required value: must contain at least one key/value pair"),
    ]
    changed = {"driverName": "other", "parameters": {"": "1"}}
    errors = refused_change(resource, ATTRIBUTES, changed)
    empty = ("parameters", 'Invalid value: "": field can not be empty.')
    assert errors.count(empty) == times
    assert [each for each in errors if each != empty] == [
        ("driverName", "Forbidden: updates to driverName are forbidden."),
        ("parameters", "Forbidden: updates to parameters are forbidden."),
    ]


@pytest.mark.parametrize("resource", ["csidrivers", "csinodes", "csistoragecapacities", "volumeattachments"])
def test_most_kinds_of_storage_refuse_updates_that_name_no_version(resource: str) -> None:
    strategy: Any = storage(resource).strategy_for("")
    assert not strategy.updates_unconditionally
    assert storage("storageclasses").strategy_for("").updates_unconditionally
