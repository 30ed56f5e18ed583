"""The namespace controller empties deleted namespaces. The tests use it over HTTP."""

import pytest

from fakeapi import FakeAPI


def condition(namespace: dict, kind: str) -> dict:  # type: ignore[type-arg]
    return next(each for each in namespace["status"]["conditions"] if each["type"] == kind)


def test_every_namespace_has_a_service_account_and_the_certificate_of_the_cluster(api: FakeAPI) -> None:
    api.create_namespace("made")
    api.settle()
    for name in ("default", "kube-system", "made"):
        assert api.get("ServiceAccount", "default", namespace=name)
        assert "ca.crt" in api.get("ConfigMap", "kube-root-ca.crt", namespace=name)["data"]


def test_a_service_account_that_is_deleted_is_made_again(api: FakeAPI) -> None:
    before = api.get("ServiceAccount", "default")
    api.delete("ServiceAccount", "default")
    api.settle()
    assert api.get("ServiceAccount", "default")["metadata"]["uid"] != before["metadata"]["uid"]


def test_a_certificate_that_was_changed_is_set_right(api: FakeAPI) -> None:
    before = api.get("ConfigMap", "kube-root-ca.crt")
    name = "kubernetes.io/description"
    changed = {"metadata": {"annotations": {name: None, "a": "b"}}, "data": {"ca.crt": "", "more": "x"}}
    api.patch("ConfigMap", "kube-root-ca.crt", changed)
    api.settle()
    after = api.get("ConfigMap", "kube-root-ca.crt")
    assert after["data"] == before["data"]
    assert after["metadata"]["annotations"] == {**before["metadata"]["annotations"], "a": "b"}


def test_a_deleted_namespace_goes_with_all_that_is_in_it(api: FakeAPI) -> None:
    api.create_namespace("going")
    for kind in ("ConfigMap", "Secret"):
        api.create({"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}}, namespace="going")
    api.delete("Namespace", "going")
    api.settle()
    assert "going" not in [each["metadata"]["name"] for each in api.list("Namespace")]
    assert api.list("Secret", namespace="going") == []


def test_a_namespace_waits_for_what_a_finalizer_holds_and_says_so(api: FakeAPI) -> None:
    api.create_namespace("held")
    metadata = {"name": "x", "finalizers": ["example.com/hold"]}
    api.create({"apiVersion": "v1", "kind": "Secret", "metadata": metadata}, namespace="held")
    api.delete("Namespace", "held")
    api.settle()
    namespace = api.get("Namespace", "held")
    assert namespace["status"]["phase"] == "Terminating"
    message = condition(namespace, "NamespaceFinalizersRemaining")["message"]
    assert (
        message
        == "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    )
    remaining = condition(namespace, "NamespaceContentRemaining")
    assert remaining["message"] == "Some resources are remaining: secrets. has 1 resource instances"


def empty_with_a_held_pod(release: str) -> tuple[bool, str]:
    """Deletes a namespace that contains a ConfigMap and a pod with a finalizer.

    Returns whether the ConfigMap still exists, and the status of the condition NamespaceContentRemaining.
    """
    with FakeAPI(release=release, controllers="namespace") as api:
        api.create_namespace("going")
        metadata = {"name": "held", "finalizers": ["example.com/hold"]}
        spec = {"containers": [{"name": "c", "image": "i"}], "terminationGracePeriodSeconds": 0}
        api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, namespace="going")
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}, namespace="going")
        api.delete("Namespace", "going")
        api.settle()
        found = [each["metadata"]["name"] for each in api.list("ConfigMap", namespace="going")]
        remaining = condition(api.get("Namespace", "going"), "NamespaceContentRemaining")
        return "x" in found, str(remaining["status"])


@pytest.mark.parametrize("release", ["1.33", "1.36", "1.37"])
def test_pods_go_first_and_the_conditions_wait_for_the_rest(release: str) -> None:
    assert empty_with_a_held_pod(release) == (True, "False")


def test_pods_go_with_all_else_where_the_gate_is_off() -> None:
    assert empty_with_a_held_pod("1.32") == (False, "True")


@pytest.mark.parametrize("release", ["1.29", "1.37"])
def test_a_namespace_goes_with_the_last_finalizer_in_it_also_when_the_clock_stands_still(
    release: str,
) -> None:
    with FakeAPI(release=release, controllers="namespace", frozen_at="2026-01-31T12:00:00Z") as api:
        api.create_namespace("held")
        for name in ("a", "b"):
            metadata = {"name": name, "finalizers": ["example.com/hold"]}
            api.create({"apiVersion": "v1", "kind": "Secret", "metadata": metadata}, namespace="held")
        api.delete("Namespace", "held")
        api.settle()
        for name in ("a", "b"):
            assert "held" in [each["metadata"]["name"] for each in api.list("Namespace")]
            api.patch("Secret", name, {"metadata": {"finalizers": None}}, namespace="held")
            api.settle()
        assert "held" not in [each["metadata"]["name"] for each in api.list("Namespace")]
