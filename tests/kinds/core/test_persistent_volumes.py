"""PersistentVolume and PersistentVolumeClaim: validation, immutable fields and warnings."""

from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import (
    NOW,
    Body,
    Found,
    canonical,
    created,
    refusals,
    refused_change,
    resource_of,
)

VOLUME = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
MODES = '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
QUANTITY = (
    "resource.Quantity{{i:resource.int64Amount{{value:{}, scale:0}}, "
    'd:resource.infDecAmount{{Dec:(*inf.Dec)(nil)}}, s:"{}", Format:"{}"}}'
)
TWO_CAPACITIES = (
    f'Unsupported value: core.ResourceList{{"cpu":{QUANTITY.format(1, 1, "DecimalSI")}, '
    f'"storage":{QUANTITY.format(1 << 30, "1Gi", "BinarySI")}}}: supported values: "storage"'
)
NO_MATCH = (
    'Invalid value: field.Path{name:"dataSource", index:"", parent:(*field.Path)(0xc000012345)}: '
    "must match dataSourceRef"
)
USE_FIELD = 'deprecated since v1.8; use "storageClassName" attribute instead'
CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"


def volumes(release: str = "1.33") -> Resource:
    return resource_of(release, "", "v1", "persistentvolumes")


def claims(release: str = "1.33") -> Resource:
    return resource_of(release, "", "v1", "persistentvolumeclaims")


def volume(**spec: Any) -> Body:
    return {"spec": {**VOLUME, **spec}}


def of(name: str, source: Body) -> Body:
    """Returns a PersistentVolume with the source `name` instead of hostPath."""
    return {"spec": {**{key: value for key, value in VOLUME.items() if key != "hostPath"}, name: source}}


def claim(**spec: Any) -> Body:
    return {"spec": {**CLAIM, **spec}}


def sized(amount: str, phase: str = "Pending", capacity: str = "") -> Body:
    status: Body = {"phase": phase}
    if capacity:
        status["capacity"] = {"storage": capacity}
    return {**claim(resources={"requests": {"storage": amount}}), "status": status}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (volume(), []),
        (volume(accessModes=[]), [("spec.accessModes", "Required value")]),
        (
            volume(accessModes=["Odd"]),
            [("spec.accessModes", f'Unsupported value: "Odd": supported values: {MODES}')],
        ),
        (
            volume(accessModes=["ReadWriteOncePod", "ReadWriteOnce"]),
            [("spec.accessModes", "Forbidden: may not use ReadWriteOncePod with other access modes")],
        ),
        (
            volume(capacity={"storage": "1Gi", "cpu": "1"}),
            [
                (
                    "spec.capacity",
                    TWO_CAPACITIES,
                )
            ],
        ),
        (
            volume(nfs={"server": "s", "path": "/"}),
            [("spec.nfs", "Forbidden: may not specify more than 1 volume type")],
        ),
        (
            volume(hostPath={"path": "/"}, persistentVolumeReclaimPolicy="Recycle"),
            [
                (
                    "spec.persistentVolumeReclaimPolicy",
                    "Forbidden: may not be 'recycle' for a hostPath mount of '/'",
                )
            ],
        ),
        (
            of("local", {"path": "/x"}),
            [("spec.nodeAffinity", "Required value: Local volume requires node affinity")],
        ),
        (
            volume(nodeAffinity={}),
            [("spec.nodeAffinity.required", "Required value: must specify required node constraints")],
        ),
        (
            {**volume(), "metadata": {"annotations": {"volume.beta.kubernetes.io/mount-options": "ro"}}},
            [
                (
                    "metadata.annotations.volume.beta.kubernetes.io/mount-options",
                    "Forbidden: may not specify mount options for this volume type",
                )
            ],
        ),
    ],
)
def test_a_volume_has_modes_a_capacity_and_one_source(body: Body, expected: Found) -> None:
    assert refusals(volumes(), body) == expected


@pytest.mark.parametrize(
    ("name", "source", "fields"),
    [
        ("gcePersistentDisk", {"pdName": "", "partition": 300}, [
            "persistentDisk.pdName", "persistentDisk.partition",
        ]),
        ("awsElasticBlockStore", {"volumeID": ""}, ["awsElasticBlockStore.volumeID"]),
        ("glusterfs", {"endpoints": "", "path": "", "endpointsNamespace": ""}, [
            "glusterfs.endpoints", "glusterfs.path", "glusterfs.endpointsNamespace",
        ]),
        ("flocker", {}, ["flocker"]),
        ("nfs", {"server": "", "path": "x"}, ["nfs.server", "nfs.path"]),
        ("rbd", {"monitors": [], "image": ""}, ["rbd.monitors", "rbd.image"]),
        ("quobyte", {"registry": "x", "volume": "v"}, ["quobyte.registry"]),
        ("cephfs", {"monitors": []}, ["cephfs.monitors"]),
        ("iscsi", {"targetPortal": "", "iqn": "odd", "lun": 300}, [
            "iscsi.targetPortal", "iscsi.iqn", "iscsi.lun",
        ]),
        ("iscsi", {"targetPortal": "p", "iqn": "iqn.2001-04.com.example:disk", "lun": 0}, []),
        ("cinder", {"volumeID": "", "secretRef": {}}, [
            "cinder.volumeID", "cinder.secretRef.name", "cinder.secretRef.namespace",
        ]),
        ("fc", {"targetWWNs": ["a"]}, ["fc.lun"]),
        ("flexVolume", {"driver": "", "options": {"kubernetes.io/x": "y"}}, [
            "flexVolume.driver", "flexVolume.options[kubernetes.io/x]",
        ]),
        ("azureFile", {"secretName": "", "shareName": ""}, ["azureFile.secretName", "azureFile.shareName"]),
        ("azureDisk", {"diskName": "d", "diskURI": "x", "kind": "Managed", "cachingMode": "Odd"}, [
            "azureDisk.cachingMode", "azureDisk.diskURI",
        ]),
        ("scaleIO", {"gateway": "", "system": "", "volumeName": ""}, [
            "scaleIO.gateway", "scaleIO.system", "scaleIO.volumeName",
        ]),
        ("storageos", {"volumeName": "Bad_Name"}, ["storageos.volumeName"]),
        ("csi", {"driver": "Bad_Name", "volumeHandle": "", "nodePublishSecretRef": {}}, [
            "csi.driver", "csi.volumeHandle",
            "csi.nodePublishSecretRef.name", "csi.nodePublishSecretRef.namespace",
        ]),
    ],
)  # fmt: skip
def test_each_kind_of_storage_has_its_own_rules(name: str, source: Body, fields: list[str]) -> None:
    errors = refusals(volumes(), of(name, source))
    assert list(dict.fromkeys(field for field, _ in errors)) == [f"spec.{field}" for field in fields]


def test_what_a_volume_is_made_of_stays_but_for_a_secret_that_was_missing() -> None:
    ((field, text),) = refused_change(volumes("1.36"), volume(), volume(hostPath={"path": "/y"}))
    assert field == "spec.persistentvolumesource"
    assert text == (
        "Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -2,7 +2,7 @@\n"
        '  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n  "HostPath": {\n-  "Path": "/x",\n'
        '+  "Path": "/y",\n   "Type": ""\n  },\n  "Glusterfs": null,\n'
    )
    driver = {"driver": "example.com", "volumeHandle": "h"}
    secret = {"name": "s", "namespace": "n"}
    with_secret = of("csi", {**driver, "controllerExpandSecretRef": secret})
    assert refused_change(volumes(), of("csi", driver), with_secret) == []
    assert refused_change(volumes(), with_secret, of("csi", driver)) != []


def test_where_a_volume_can_be_used_stays_but_for_labels_that_others_replaced() -> None:
    def affine(key: str) -> Body:
        expression = {"key": key, "operator": "In", "values": ["a"]}
        return volume(nodeAffinity={"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}})

    old = "failure-domain.beta.kubernetes.io/zone"
    assert refused_change(volumes(), affine(old), affine("topology.kubernetes.io/zone")) == []
    ((field, text),) = refused_change(volumes(), affine(old), affine("other"))
    assert field == "nodeAffinity"
    assert text.endswith("field is immutable, except for updating from beta label to GA")


@pytest.mark.parametrize(
    ("release", "stamped"), [("1.27", False), ("1.28", False), ("1.29", True), ("1.33", True)]
)
def test_the_server_keeps_the_time_of_a_phase_from_1_29_on(release: str, stamped: bool) -> None:  # noqa: FBT001 - a parameter
    resource = volumes(release)
    obj = created(resource, volume())
    stamp = {"lastPhaseTransitionTime": NOW} if stamped else {}
    assert obj["status"] == {"phase": "Pending", **stamp}
    obj["status"].pop("lastPhaseTransitionTime", None)
    new = canonical(resource, {**volume(), "status": {"phase": "Bound"}})
    changed = resource.strategy_for("status").prepare_update(new, obj)
    assert changed["status"] == {"phase": "Bound", **stamp}


def test_deprecated_sources_and_annotations_are_warned_of() -> None:
    body = {
        **of("rbd", {"monitors": ["m"], "image": "i"}),
        "metadata": {"annotations": {CLASS_ANNOTATION: "c"}},
    }
    resource = volumes()
    assert resource.strategy_for("").warnings_on_create(created(resource, body)) == [
        f"metadata.annotations[{CLASS_ANNOTATION}]: {USE_FIELD}",
        "spec.rbd: deprecated in v1.28, non-functional in v1.31+",
    ]
    older = volumes("1.27")
    assert older.strategy_for("").warnings_on_create(created(older, body)) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (claim(), []),
        (claim(accessModes=[]), [("spec.accessModes", "Required value: at least 1 access mode is required")]),
        (claim(resources={}), [("spec.resources[storage]", "Required value")]),
        (sized("0"), [("spec.resources[storage]", 'Invalid value: "0": must be greater than zero')]),
        (
            claim(volumeMode="Odd"),
            [("spec.volumeMode", 'Unsupported value: "Odd": supported values: "Block", "Filesystem"')],
        ),
        (
            claim(dataSource={"kind": "PersistentVolumeClaim", "name": ""}),
            [("spec.dataSource.name", "Required value"), ("spec.dataSourceRef.name", "Required value")],
        ),
        (
            claim(
                dataSource={"kind": "PersistentVolumeClaim", "name": "a"},
                dataSourceRef={"kind": "PersistentVolumeClaim", "name": "b"},
            ),
            [
                (
                    "spec",
                    NO_MATCH,
                )
            ],
        ),
    ],
)
def test_a_claim_has_modes_a_size_and_one_source_of_data(body: Body, expected: Found) -> None:
    assert refusals(claims(), body) == expected


def test_the_two_fields_of_data_sources_agree() -> None:
    source = {"apiGroup": None, "kind": "PersistentVolumeClaim", "name": "a"}
    assert created(claims(), claim(dataSource=source))["spec"]["dataSourceRef"] == source
    assert created(claims(), claim(dataSourceRef=source))["spec"]["dataSource"] == source
    odd = created(claims(), claim(dataSource={"kind": "Odd", "name": "a"}))
    assert "dataSource" not in odd["spec"], "an old source of no known kind is dropped"
    far = created(claims(), claim(dataSourceRef={**source, "namespace": "elsewhere"}))
    assert "dataSourceRef" not in far["spec"], "the gate is off"


def changed(resource: Resource, old: Body, new: Body) -> Found:
    """Updates a claim from `old` to `new`; returns the validation errors as (field, message).

    The new claim gets the status of the old claim.
    """
    before, after = canonical(resource, old), canonical(resource, new)
    errors = resource.strategy_for("").validate_update({**after, "status": before["status"]}, before)
    return [(error.field, error.body) for error in errors]


def test_a_bound_claim_grows_and_others_stay() -> None:
    bound = sized("1Gi", "Bound", "1Gi")
    assert changed(claims(), bound, sized("2Gi")) == []
    ((field, _),) = changed(claims(), sized("1Gi"), sized("2Gi"))
    assert field == "spec"
    ((field, _),) = changed(claims(), bound, {**sized("1Gi"), **claim(accessModes=["ReadOnlyMany"])})
    assert field == "spec"


def test_a_claim_shrinks_no_further_than_what_it_has() -> None:
    path = "spec.resources.requests.storage"
    growing = sized("3Gi", "Bound", "1Gi")
    assert changed(claims(), growing, sized("2Gi")) == []
    assert changed(claims(), growing, sized("1Gi")) == [
        (path, "Forbidden: field can not be less than status.capacity")
    ]
    assert changed(claims("1.31"), growing, sized("2Gi")) == [
        (path, "Forbidden: field can not be less than previous value")
    ]


def test_a_claim_gets_its_volume_and_its_class_once() -> None:
    assert changed(claims(), claim(), claim(volumeName="v", storageClassName="c")) == []
    ((field, _),) = changed(claims(), claim(volumeName="v"), claim(volumeName="w"))
    assert field == "spec"


def test_the_class_of_a_claim_may_move_from_the_annotation_to_the_field() -> None:
    annotated = {**claim(), "metadata": {"annotations": {CLASS_ANNOTATION: "c"}}}
    assert changed(claims(), annotated, claim(storageClassName="c")) == []
    assert changed(claims(), annotated, claim()) == [
        (f"metadata.annotations.{CLASS_ANNOTATION}", 'Invalid value: "": field is immutable')
    ]


@pytest.mark.parametrize(
    ("release", "phase", "allowed"),
    [("1.34", "Bound", True), ("1.34", "Pending", False), ("1.33", "Bound", False)],
)
def test_the_attributes_class_of_a_bound_claim_may_change_where_the_gate_is_on(
    release: str,
    phase: str,
    allowed: bool,  # noqa: FBT001 - a parameter
) -> None:
    resource = claims(release)
    old = {**claim(volumeAttributesClassName="a"), "status": {"phase": phase}}
    errors = changed(resource, old, claim(volumeAttributesClassName="b"))
    assert (errors == []) is allowed


def test_a_claims_status_tells_of_known_resources_and_steps() -> None:
    resource = claims("1.34")
    old = canonical(resource, claim())
    status = {"capacity": {"storage": "-1"}, "allocatedResourceStatuses": {"cpu": "Odd"}}
    errors = resource.strategy_for("status").validate_update({**old, "status": status}, old)
    assert [each.field for each in errors] == [
        "resourceVersion",
        "status.capacity[storage]",
        "status.allocatedResourceStatuses",
        "status.allocatedResourceStatuses",
    ]


def test_amounts_that_are_no_whole_bytes_are_warned_of() -> None:
    resource = claims()
    obj = created(resource, sized("1500m"))
    assert resource.strategy_for("").warnings_on_create(obj) == [
        'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'
    ]


def test_tables_show_modes_in_short_and_what_is_not_set() -> None:
    obj = created(volumes(), volume(accessModes=["ReadWriteMany", "ReadWriteOnce"], claimRef={"name": "c"}))
    cells = {each.name: each.cell(obj, 0.0) for each in volumes().columns}
    assert (cells["Access Modes"], cells["Claim"], cells["Capacity"]) == ("RWO,RWX", "/c", "1Gi")
    assert (cells["VolumeAttributesClass"], cells["VolumeMode"]) == ("<unset>", "Filesystem")
    assert "VolumeAttributesClass" not in {each.name for each in volumes("1.28").columns}
    bound = created(claims(), claim(volumeName="v"))
    bound["status"] = {"phase": "Bound", "accessModes": ["ReadOnlyMany"], "capacity": {"storage": "1Gi"}}
    cells = {each.name: each.cell(bound, 0.0) for each in claims().columns}
    assert (cells["Status"], cells["Access Modes"], cells["Capacity"]) == ("Bound", "ROX", "1Gi")
