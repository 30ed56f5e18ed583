"""Changes that the server itself makes to pods and their subresources on each write."""

import copy
from typing import Any

import pytest

from fakeapi.releases import load_release
from tests.kinds.judging import NOW, canonical, created, resource_of

MAIN = {"name": "main", "image": "example.com/app:1"}


def pod(**spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "a", "namespace": "ns"},
        "spec": {"containers": [copy.deepcopy(MAIN)], **spec},
    }


def made(release: str, body: dict[str, Any]) -> dict[str, Any]:
    return created(resource_of(release, "", "v1", "pods"), body)


def changed(release: str, old: dict[str, Any], body: dict[str, Any], subresource: str = "") -> dict[str, Any]:
    pods = resource_of(release, "", "v1", "pods")
    before = copy.deepcopy(old)
    found = pods.strategy_for(subresource).prepare_update(canonical(pods, body), old)
    assert old == before, "what is stored is never changed"
    return found


def test_a_new_pod_is_pending_whatever_status_it_was_sent_with() -> None:
    new_pod = made("1.33", {**pod(), "status": {"phase": "Running", "podIP": "10.0.0.1"}})
    assert new_pod["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert new_pod["metadata"]["generation"] == 1


@pytest.mark.parametrize(("release", "kept"), [("1.31", 0), ("1.35", 0), ("1.36", 1)])
def test_an_update_drops_stored_resource_health_up_to_1_35(release: str, kept: int) -> None:
    old = made("1.36", pod())
    health = [{"name": "claim:a", "resources": []}]
    old["status"]["containerStatuses"] = [{"name": "main", "allocatedResourcesStatus": health}]
    pods = resource_of(release, "", "v1", "pods")
    new = pods.strategy_for("").prepare_update(canonical(pods, pod()), old)
    assert [*new["status"]["containerStatuses"][0]].count("allocatedResourcesStatus") == kept


@pytest.mark.parametrize(("release", "kept"), [("1.31", False), ("1.32", False), ("1.33", True)])
def test_an_update_drops_the_resize_status_up_to_1_32_without_in_place_resizes(
    release: str, *, kept: bool
) -> None:
    old = made(release, pod())
    old["status"]["resize"] = "InProgress"
    assert ("resize" in changed(release, old, pod())["status"]) is kept


def test_a_write_to_the_status_of_a_pod_ignores_its_deletion_timestamp() -> None:
    body = pod()
    body["metadata"]["deletionTimestamp"] = NOW
    assert "deletionTimestamp" not in changed("1.37", made("1.37", pod()), body, "status")["metadata"]


def test_pods_have_no_generation_before_1_33() -> None:
    old = made("1.32", pod())
    assert "generation" not in old["metadata"]
    assert "generation" not in changed("1.32", old, pod(activeDeadlineSeconds=5))["metadata"]


def test_a_change_of_the_spec_is_a_new_generation_and_one_of_labels_is_not() -> None:
    old = made("1.33", pod())
    labelled = pod()
    labelled["metadata"] |= {"labels": {"a": "b"}, "generation": 1}
    assert changed("1.33", old, labelled)["metadata"]["generation"] == 1
    assert changed("1.33", old, pod(activeDeadlineSeconds=5))["metadata"]["generation"] == 2


@pytest.mark.parametrize(("release", "since"), [("1.30", None), ("1.31", NOW)])
def test_scheduling_gates_hold_a_new_pod(release: str, since: str | None) -> None:
    new_pod = made(release, pod(schedulingGates=[{"name": "example.com/wait"}]))
    assert new_pod["status"]["conditions"] == [
        {
            "type": "PodScheduled",
            "status": "False",
            "lastProbeTime": None,
            "lastTransitionTime": since,
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
        }
    ]


def test_fields_of_a_gate_that_is_off_are_dropped_unless_they_are_in_use() -> None:
    policy = [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]
    body = pod(containers=[{**MAIN, "resizePolicy": policy}], hostUsers=False)
    off, on = made("1.29", body), made("1.33", body)
    assert "resizePolicy" not in off["spec"]["containers"][0]
    assert "hostUsers" not in off["spec"]
    assert on["spec"]["containers"][0]["resizePolicy"] == policy
    assert on["spec"]["hostUsers"] is False
    kept = changed("1.29", on, body)
    assert kept["spec"]["containers"][0]["resizePolicy"] == policy


def test_handlers_that_only_sleep_go_with_their_gate() -> None:
    sleeps = {"preStop": {"sleep": {"seconds": 1}}}
    body = pod(containers=[{**MAIN, "lifecycle": sleeps}])
    assert "lifecycle" not in made("1.29", body)["spec"]["containers"][0]
    assert made("1.30", body)["spec"]["containers"][0]["lifecycle"] == sleeps


def test_label_keys_become_requirements_of_a_new_pod() -> None:
    term = {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "zone", "matchLabelKeys": ["v"]}
    body = pod(affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}})
    body["metadata"]["labels"] = {"v": "1"}
    for release, expected in (("1.30", None), ("1.31", [{"key": "v", "operator": "In", "values": ["1"]}])):
        affinity = made(release, body)["spec"]["affinity"]["podAffinity"]
        selector = affinity["requiredDuringSchedulingIgnoredDuringExecution"][0]["labelSelector"]
        assert selector.get("matchExpressions") == expected


def test_profiles_go_from_annotations_to_fields_with_a_warning() -> None:
    key = "container.apparmor.security.beta.kubernetes.io/main"
    body = pod()
    body["metadata"]["annotations"] = {key: "localhost/mine"}
    pods = resource_of("1.31", "", "v1", "pods")
    warned = pods.strategy_for("").warnings_before_create(canonical(pods, body))
    assert warned == [
        f'metadata.annotations[{key}]: deprecated since v1.30; use the "appArmorProfile" field instead'
    ]
    profile = {"type": "Localhost", "localhostProfile": "mine"}
    assert made("1.31", body)["spec"]["containers"][0]["securityContext"] == {"appArmorProfile": profile}
    assert "securityContext" not in made("1.29", body)["spec"]["containers"][0]


def test_profiles_go_from_fields_to_annotations_up_to_1_33() -> None:
    body = pod(securityContext={"appArmorProfile": {"type": "RuntimeDefault"}})
    key = "container.apparmor.security.beta.kubernetes.io/main"
    assert made("1.33", body)["metadata"]["annotations"] == {key: "runtime/default"}
    assert "annotations" not in made("1.34", body)["metadata"]


def test_a_write_to_status_changes_neither_spec_nor_owners() -> None:
    old = made("1.33", pod())
    body = {**pod(activeDeadlineSeconds=1), "status": {"phase": "Running"}}
    body["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}]
    new_pod = changed("1.33", old, body, "status")
    assert new_pod["spec"] == old["spec"]
    assert "ownerReferences" not in new_pod["metadata"]
    assert new_pod["status"] == {"phase": "Running", "qosClass": "BestEffort"}


def test_a_write_to_status_without_the_class_loses_it_up_to_1_31() -> None:
    body = {**pod(), "status": {"phase": "Running"}}
    found = {each: changed(each, made(each, pod()), body, "status")["status"] for each in ("1.31", "1.32")}
    assert found == {"1.31": {"phase": "Running"}, "1.32": {"phase": "Running", "qosClass": "BestEffort"}}


def test_conditions_keep_the_generation_that_they_were_observed_at() -> None:
    first = {"type": "Ready", "status": "False", "observedGeneration": 3}
    old = made("1.34", pod())
    old["status"] |= {"observedGeneration": 3, "conditions": [{**first, "lastProbeTime": None}]}
    body = {**pod(), "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    new_status = changed("1.34", old, body, "status")["status"]
    assert new_status["observedGeneration"] == 3
    assert list(new_status["conditions"][0].items())[:3] == [
        ("type", "Ready"),
        ("observedGeneration", 3),
        ("status", "True"),
    ]


def test_ephemeral_containers_are_all_that_their_subresource_changes() -> None:
    debug = {"name": "debug", "image": "example.com/debug"}
    body = pod(ephemeralContainers=[debug], activeDeadlineSeconds=1)
    body["metadata"]["labels"] = {"a": "b"}
    for release, generation in (("1.32", None), ("1.33", 2)):
        new_pod = changed(release, made(release, pod()), body, "ephemeralcontainers")
        assert [each["name"] for each in new_pod["spec"]["ephemeralContainers"]] == ["debug"]
        assert "activeDeadlineSeconds" not in new_pod["spec"]
        assert "labels" not in new_pod["metadata"]
        assert new_pod["metadata"].get("generation") == generation


def test_a_resize_changes_resources_and_is_marked_as_proposed_in_1_32_alone() -> None:
    bigger = pod(containers=[{**MAIN, "image": "other", "resources": {"requests": {"cpu": "2"}}}])
    for release, mark in (("1.32", "Proposed"), ("1.33", None)):
        pods = resource_of(release, "", "v1", "pods", "InPlacePodVerticalScaling")
        new_pod = pods.strategy_for("resize").prepare_update(canonical(pods, bigger), created(pods, pod()))
        assert new_pod["spec"]["containers"][0]["image"] == MAIN["image"]
        assert new_pod["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "2"}}
        assert new_pod["status"].get("resize") == mark


def test_a_resize_with_other_containers_is_left_to_validation() -> None:
    other = pod(containers=[{**MAIN, "name": "other"}])
    new_pod = changed("1.33", made("1.33", pod()), other, "resize")
    assert [each["name"] for each in new_pod["spec"]["containers"]] == ["other"]


def test_resize_is_a_subresource_from_1_32_on() -> None:
    served = {each: "resize" in resource_of(each, "", "v1", "pods").subresources for each in ("1.31", "1.32")}
    assert served == {"1.31": False, "1.32": True}


def test_members_stand_in_the_order_of_their_type() -> None:
    pods = resource_of("1.33", "", "v1", "pods")
    new_pod = made("1.33", pod(schedulingGates=[{"name": "example.com/wait"}]))
    order = [name for name in pods.schema.fields["status"].node.fields if name in new_pod["status"]]  # type: ignore[union-attr]
    assert list(new_pod["status"]) == order


def test_resources_of_the_pod_as_a_whole_follow_from_its_containers() -> None:
    body = pod(
        containers=[{**MAIN, "resources": {"requests": {"cpu": "1"}, "limits": {"hugepages-2Mi": "4Mi"}}}],
        initContainers=[
            {**MAIN, "name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "500m"}}},
            {**MAIN, "name": "once", "resources": {"requests": {"cpu": "2"}}},
        ],
        resources={"limits": {"memory": "1Gi"}},
    )
    resources = {
        "limits": {"hugepages-2Mi": "4Mi", "memory": "1Gi"},
        "requests": {"cpu": "2500m", "hugepages-2Mi": "4Mi", "memory": "1Gi"},
    }
    assert made("1.34", body)["spec"]["resources"] == resources
    assert made("1.37", body)["spec"]["resources"] == resources
    assert "resources" not in made("1.33", body)["spec"]
    assert load_release("1.34").gates.enabled("PodLevelResources")


def test_odd_spellings_of_addresses_are_warned_of_from_1_33_on() -> None:
    body = {**pod(), "status": {"podIPs": [{"ip": "fd00:0::1"}]}}
    found = {}
    for release in ("1.32", "1.33"):
        strategy = resource_of(release, "", "v1", "pods").strategy_for("status")
        found[release] = strategy.warnings_on_update(
            changed(release, made(release, pod()), body, "status"), {}
        )
    assert found["1.32"] == []
    assert len(found["1.33"]) == 1
    assert "fd00:0::1" in found["1.33"][0]
