"""ReplicaSet, StatefulSet, DaemonSet and ControllerRevision of apps/v1: validation and updates."""

from typing import Any

import pytest

from tests.kinds.workloads import DELETED, SELECTOR, TEMPLATE, Kind, put, texts

SPEC = {"selector": SELECTOR, "template": TEMPLATE}
STATEFUL = {**SPEC, "serviceName": "svc"}
CLAIM = {"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1.5"}}}}
FRACTION = 'resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'
TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
IMMUTABLE = 'spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable'
OTHER_SELECTOR = (("spec.selector.matchLabels.app", "b"), ("spec.template.metadata.labels.app", "b"))


def replica_sets(release: str = "1.33") -> Kind:
    return Kind(release, "apps/v1", "replicasets", SPEC)


def stateful_sets(release: str = "1.33", **gates: bool) -> Kind:
    return Kind(release, "apps/v1", "statefulsets", STATEFUL, **gates)


def daemon_sets(release: str = "1.33") -> Kind:
    return Kind(release, "apps/v1", "daemonsets", SPEC)


def test_older_releases_check_an_updated_replica_set_twice() -> None:
    negative = "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
    change = ("spec.replicas", -1)
    assert replica_sets("1.33").update_refusals(change) == [
        "metadata: object",
        negative,
        "metadata: change",
        negative,
    ]
    assert replica_sets("1.34").update_refusals(change) == ["metadata: change", negative]


def test_a_daemon_sets_immutable_selector_is_said_first_from_1_34_on() -> None:
    change = (*OTHER_SELECTOR, ("spec.minReadySeconds", -1))
    negative = "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"
    assert daemon_sets("1.34").update_refusals(*change) == ["metadata: change", IMMUTABLE, negative]


def test_a_daemon_set_counts_the_changes_of_its_template() -> None:
    kind = daemon_sets()
    assert kind.manifest()["metadata"]["annotations"] == {TEMPLATE_GENERATION: "0"}
    assert kind.created()["metadata"]["annotations"] == {TEMPLATE_GENERATION: "1"}
    changed = kind.updated(("spec.template.spec.nodeSelector", {"a": "b"}))
    assert changed["metadata"]["annotations"] == {TEMPLATE_GENERATION: "2"}
    assert changed["metadata"]["generation"] == 2


@pytest.mark.parametrize(
    ("rolling", "expected"),
    [
        ({"maxUnavailable": 0}, ".maxUnavailable: Required value: cannot be 0 when maxSurge is 0"),
        (
            {"maxSurge": 1},
            ".maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero",
        ),
    ],
)
def test_a_daemon_set_rolls_in_one_way(rolling: Any, expected: str) -> None:
    errors = daemon_sets("1.36").refusals(("spec.updateStrategy", {"rollingUpdate": rolling}))
    assert errors == [f"spec.updateStrategy.rollingUpdate{expected}"]


@pytest.mark.parametrize(
    ("release", "path", "value", "expected"),
    [
        (
            "1.33",
            "spec.podManagementPolicy",
            "Odd",
            "spec.podManagementPolicy: Invalid value: \"Odd\": must be 'OrderedReady' or 'Parallel'",
        ),
        (
            "1.33",
            "spec.updateStrategy",
            {"type": "Odd"},
            (
                'spec.updateStrategy: Invalid value: apps.StatefulSetUpdateStrategy{Type:"Odd", '
                "RollingUpdate:(*apps.RollingUpdateStatefulSetStrategy)(nil)}: must be 'RollingUpdate' "
                "or 'OnDelete'"
            ),
        ),
        (
            "1.36",
            "spec.updateStrategy",
            {"type": "OnDelete", "rollingUpdate": {"partition": 1}},
            (
                "spec.updateStrategy.rollingUpdate: Invalid value: "
                '{"Partition":1,"MaxUnavailable":null}: only allowed '
                "for updateStrategy 'RollingUpdate'"
            ),
        ),
        (
            "1.33",
            "spec.ordinals",
            {"start": -1},
            "spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0",
        ),
        (
            "1.33",
            "spec.persistentVolumeClaimRetentionPolicy",
            {"whenDeleted": "Odd"},
            (
                'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Odd": '
                "supported values: "
                '"Retain", "Delete"'
            ),
        ),
    ],
)
def test_a_fault_of_a_stateful_set_is_said_at_its_field(
    release: str, path: str, value: Any, expected: str
) -> None:
    assert stateful_sets(release).refusals((path, value)) == [expected]


def test_a_service_name_is_a_label_from_1_33_on() -> None:
    change = ("spec.serviceName", "a.b")
    assert stateful_sets("1.32").refusals(change) == []
    assert len(stateful_sets("1.33").refusals(change)) == 1


def test_few_fields_of_a_stateful_set_may_change() -> None:
    change = ("spec.serviceName", "other")
    assert stateful_sets("1.32").update_refusals(change) == [
        "metadata: change",
        (
            "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', "
            "'template', "
            "'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
        ),
    ]
    assert stateful_sets("1.37").update_refusals(change) == [
        "metadata: change",
        'spec.serviceName: Invalid value: "other": field is immutable',
    ]
    assert stateful_sets("1.33").update_refusals(("spec.revisionHistoryLimit", 3)) == ["metadata: change"]


def test_the_template_of_a_stateful_set_that_never_was_valid_is_not_looked_at_again() -> None:
    kind = stateful_sets("1.36")
    nameless = ("spec.template.spec.containers", [{"name": "main"}])
    assert any("image: Required value" in each for each in kind.update_refusals(nameless))
    assert not any("image" in each for each in kind.update_refusals(nameless, before=(nameless,)))


def test_max_unavailable_is_behind_a_gate() -> None:
    change = ("spec.updateStrategy", {"rollingUpdate": {"maxUnavailable": 2}})
    assert (
        "maxUnavailable"
        not in stateful_sets("1.33").created(change)["spec"]["updateStrategy"]["rollingUpdate"]
    )
    kept = stateful_sets("1.33", MaxUnavailableStatefulSet=True).created(change)
    assert kept["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"] == 2


def test_claim_templates_say_what_they_are() -> None:
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    (made,) = stateful_sets().created(("spec.volumeClaimTemplates", [claim]))["spec"]["volumeClaimTemplates"]
    assert (made["kind"], made["apiVersion"]) == ("PersistentVolumeClaim", "v1")


def revisions(release: str, data: Any, revision: int = 1) -> Any:
    kind = Kind(release, "apps/v1", "controllerrevisions", {})
    changes = ("spec", DELETED), ("revision", revision), ("data", data)
    return kind, kind.created(*changes)


def test_the_claims_of_a_new_stateful_set_are_validated_from_1_34_on() -> None:
    change = ("spec.volumeClaimTemplates", [CLAIM])
    missing = (
        "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required"
    )
    assert stateful_sets("1.33").refusals(change) == []
    assert stateful_sets("1.34").refusals(change) == [missing]
    kept = stateful_sets("1.34").update_refusals(("spec.replicas", 2), before=(change,))
    assert missing not in kept


def test_part_of_a_byte_in_a_claim_template_is_warned_of() -> None:
    kind = stateful_sets()
    obj = kind.created(("spec.volumeClaimTemplates", [CLAIM]))
    strategy = kind.resource.strategy_for("")
    assert strategy.warnings_on_create(obj) == [f"spec.volumeClaimTemplates[0].{FRACTION}"]
    assert strategy.warnings_on_update(obj, obj) == [f"spec.volumeClaimTemplates[0].Spec.{FRACTION}"]


def test_the_data_of_a_revision_is_an_object_from_1_31_on() -> None:
    old, obj = revisions("1.30", 5)
    assert texts(old.resource.strategy_for("").validate_create(obj)) == []
    new, obj = revisions("1.31", 5)
    assert texts(new.resource.strategy_for("").validate_create(obj)) == [
        "data: Required value: data must be a valid JSON object"
    ]


def test_the_data_of_a_revision_stays_as_it_was_made() -> None:
    kind, old = revisions("1.33", {"a": 1})
    _, new = revisions("1.33", {"a": 2})
    raw = ", ".join(f"0x{byte:x}" for byte in b'{"a":2}')
    assert texts(kind.resource.strategy_for("").validate_update(new, old)) == [
        (
            f"data: Invalid value: runtime.RawExtension{{Raw:[]uint8{{{raw}}}, "
            f"Object:runtime.Object(nil)}}: "
            "field is immutable"
        )
    ]


def test_a_revision_shows_its_controller() -> None:
    kind, obj = revisions("1.33", {})
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": True}
    put(obj, "metadata.ownerReferences", [owner])
    assert kind.row(obj)["Controller"] == "daemonset.apps/d"
