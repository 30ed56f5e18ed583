"""The namespace controller, over HTTP."""

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
    held = {"name": "x", "finalizers": ["example.com/hold"]}
    api.create({"apiVersion": "v1", "kind": "Secret", "metadata": held}, namespace="held")
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
