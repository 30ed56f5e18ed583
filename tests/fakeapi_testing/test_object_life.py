"""The Python API creates, applies, scales, evicts and deletes objects, also as other users."""

import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from fakeapi import FakeAPI, StatusError
from fakeapi.testing.object_life import CONFLICTS_MAX

ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: team}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: team}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: "system:serviceaccounts:team"}]
"""


def config_map(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}


def pod(name: str) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "i"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def test_apply_creates_changes_and_raises_conflicts(fakeapi: FakeAPI, tmp_path: Path) -> None:
    fakeapi.apply(config_map(x="1"))
    file = tmp_path / "a.yaml"
    file.write_text(yaml.safe_dump(config_map(x="2")), encoding="utf-8")
    with pytest.raises(StatusError, match=r'409 Conflict: .* conflict with "fakeapi": \.data\.x'):
        fakeapi.apply(file, manager="other")
    applied = fakeapi.apply(str(file), manager="other", force=True)
    assert applied["data"] == {"x": "2"}
    assert applied["metadata"]["managedFields"][0]["manager"] == "other"


def test_apply_needs_a_name(fakeapi: FakeAPI) -> None:
    with pytest.raises(ValueError, match="the name of the ConfigMap is empty"):
        fakeapi.apply({"apiVersion": "v1", "kind": "ConfigMap"})


def test_scale_sets_the_replicas(fakeapi: FakeAPI) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod("p")["spec"]}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    fakeapi.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec})
    assert fakeapi.scale("Deployment", "d", 3)["spec"] == {"replicas": 3}
    assert fakeapi.get("Deployment", "d")["spec"]["replicas"] == 3
    with pytest.raises(ValueError, match="pods has no subresource 'scale'"):
        fakeapi.scale("Pod", "p", 3)


def test_evict_deletes_a_pod(fakeapi: FakeAPI) -> None:
    fakeapi.create(pod("p"))
    assert fakeapi.evict("p", options={"gracePeriodSeconds": 0})["status"] == "Success"
    assert fakeapi.list("Pod") == []


def test_set_status_and_set_condition_keep_the_rest_of_the_status(fakeapi: FakeAPI) -> None:
    fakeapi.create(pod("p"))
    fakeapi.set_status("Pod", "p", {"phase": "Running", "podIP": "10.0.0.1"})
    fakeapi.set_condition("Pod", "p", "Ready")
    stored = fakeapi.set_condition("Pod", "p", "Ready", "False", reason="Broken", message="no")
    (ready,) = [each for each in stored["status"]["conditions"] if each["type"] == "Ready"]
    assert (ready["status"], ready["reason"], ready["message"]) == ("False", "Broken", "no")
    assert stored["status"]["phase"] == "Running"


def test_set_condition_tries_again_after_a_conflict(fakeapi: FakeAPI) -> None:
    fakeapi.create(pod("p"))
    fakeapi.faults.competing_write("update pods/status", times=2)
    fakeapi.set_condition("Pod", "p", "Ready")
    fakeapi.requests.verify("update pods/status", times=2, code=409)
    assert fakeapi.wait_for("Pod", "p", until="Ready")


def test_set_condition_gives_up_after_ten_conflicts(fakeapi: FakeAPI) -> None:
    fakeapi.create(pod("p"))
    fakeapi.faults.competing_write("update pods/status")
    with pytest.raises(StatusError, match="409 Conflict"):
        fakeapi.set_condition("Pod", "p", "Ready")
    fakeapi.requests.verify("update pods/status", times=CONFLICTS_MAX, code=409)


def test_conditions_follow_the_clock_of_the_server(fakeapi: FakeAPI) -> None:
    fakeapi.clock.freeze("2126-01-01T00:00:00Z")
    fakeapi.create(pod("p"))
    conditions = fakeapi.set_condition("Pod", "p", "Ready")["status"]["conditions"]
    assert conditions[-1]["lastTransitionTime"] == "2126-01-01T00:00:00Z"


@pytest.mark.fakeapi(controllers=["scheduler"])
def test_a_ready_node_takes_pods(fakeapi: FakeAPI) -> None:
    fakeapi.create(pod("p"))
    fakeapi.wait_for("Pod", "p", until="PodScheduled=False")
    assert [event["reason"] for event in fakeapi.events("Pod", "p")] == ["FailedScheduling"]
    fakeapi.ready_node("big", labels={"zone": "a"}, capacity={"cpu": "64"})
    assert fakeapi.wait_for("Pod", "p", until="PodScheduled")["spec"]["nodeName"] == "big"
    assert fakeapi.get("Node", "big")["metadata"]["labels"]["zone"] == "a"
    fakeapi.eventually(lambda: fakeapi.events("po", "p")[-1]["reason"] == "Scheduled")


@pytest.mark.fakeapi(authorization="rbac")
def test_another_user_may_do_what_its_roles_allow(fakeapi: FakeAPI) -> None:
    fakeapi.create_namespace("team")
    fakeapi.create_all(ROLE)
    fakeapi.create(config_map(), namespace="team")
    driver = fakeapi.as_user("system:serviceaccount:team:driver")
    assert driver.get("ConfigMap", "a", namespace="team")["metadata"]["name"] == "a"
    with pytest.raises(StatusError, match='User "system:serviceaccount:team:driver" cannot delete'):
        driver.delete("ConfigMap", "a", namespace="team")
    with pytest.raises(StatusError, match='User "jane" cannot get'):
        fakeapi.as_user("jane", groups=["dev", "ops"]).get("ConfigMap", "a", namespace="team")
    jane = fakeapi.as_user("jane", groups=["dev", "system:serviceaccounts:team"])
    assert jane.list("ConfigMap", namespace="team")
    assert fakeapi.requests[-1].user == "jane"
    assert driver.wait_for("ConfigMap", "a", namespace="team")
    assert repr(jane).endswith(" as jane>")


@pytest.mark.parametrize("tls", [False, True])
def test_a_kubeconfig_makes_requests_as_its_user(tls: object) -> None:
    with FakeAPI(authorization="rbac", tls=bool(tls)) as api:
        path = api.kubeconfig_for("system:serviceaccount:team:driver")
        (named,) = yaml.safe_load(path.read_text(encoding="utf-8"))["users"]
        groups = ["system:serviceaccounts", "system:serviceaccounts:team", "system:authenticated"]
        assert named["user"].get("as-groups") == (None if tls else groups)
        if not tls:
            headers = {"Authorization": f"Bearer {named['user']['token']}"}
            asked = urllib.request.Request(f"{api.url}/version", headers=headers)
            urllib.request.urlopen(asked).close()
            assert api.requests[-1].user == "system:serviceaccount:team:driver"
        assert api.kubeconfig_for("jane") != path
