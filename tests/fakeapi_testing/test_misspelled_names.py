"""A misspelled name raises an error at once, with the name that was probably meant."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

from fakeapi import FakeAPI, PatternError, RuleError, StatusError, WaitTimeout
from fakeapi.faults.ready import READY
from fakeapi.testing.faults import Faults

CLAIM = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaim",
    "metadata": {"name": "gpu"},
    "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}},
}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}

Use = Callable[[Any], object]


untyped: Callable[..., object] = FakeAPI

USES: list[tuple[Use, type[Exception], str]] = [
    (lambda api: api.create(CLAIM, namespce="team"), TypeError, "'namespce'; did you mean namespace?"),
    (lambda api: api.create(CLAIM, field_manager="me"), TypeError, "did you mean fieldManager?"),
    (lambda api: api.patch("Pod", "p", {}, forec=True), TypeError, "'forec'; did you mean force?"),
    (lambda api: api.patch("Pod", "p", {}, type="mrge"), ValueError, "is one of json, merge"),
    (lambda api: api.get("ResourceClam", "gpu"), ValueError, "did you mean ResourceClaim?"),
    (lambda api: api.list("resourceclam"), ValueError, "did you mean resourceclaims?"),
    (lambda api: api.get("Pod", "p", api_version="apps/v1"), ValueError, "no kind 'Pod' in apps/v1"),
    (
        lambda api: api.create({**CLAIM, "apiVersion": "resource.k8s.io/v2"}),
        StatusError,
        r"resource.k8s.io/v2 is not served; the server serves resource.k8s.io/v1, resource.k8s.io/v1beta2",
    ),
    (
        lambda api: api.create({**CLAIM, "apiVersion": "resource.k8s/v1"}),
        StatusError,
        r"resource.k8s/v1 is not served; did you mean resource.k8s.io/v1\?",
    ),
    (
        lambda api: api.create({"apiVersion": "a.example.com/v1", "kind": "A", "metadata": {"name": "a"}}),
        StatusError,
        r"a.example.com/v1 is not served\n    install the definition of a custom kind first: fakeapi.install",
    ),
    (
        lambda api: api.wait_for("Namespace", "default", until="metadata.name=a", within=0.01),
        WaitTimeout,
        r"no condition metadata.name and no other condition; a JSONPath begins with a dot: .metadata.name",
    ),
    (lambda api: api.update(POD, subresource="staus"), ValueError, "did you mean status?"),
    (lambda api: api.wait_for("Pds", "p"), ValueError, "did you mean Pod?"),
    (lambda api: api.wait_for("Pod", "p", until="rea dy"), ValueError, "neither the type of a condition"),
    (lambda api: api.watch("Pdo"), ValueError, "did you mean Pod?"),
    (lambda api: api.requests.none("delete resourceclam"), PatternError, "did you mean resourceclaims?"),
    (lambda api: api.requests.none("delete resourceclaim"), PatternError, "did you mean resourceclaims?"),
    (lambda api: api.requests.none("delete ResourceClaim"), PatternError, "did you mean resourceclaims?"),
    (lambda api: api.requests.none("update pods/staus"), PatternError, "did you mean status?"),
    (lambda api: api.requests.none("delete pods.aps"), PatternError, "no group 'aps' is served"),
    (
        lambda api: api.requests.verify("delte pods"),
        PatternError,
        "no verb 'delte'; did you mean delete?",
    ),
    (lambda api: api.requests.filter("get po"), PatternError, "did you mean pods?"),
    (lambda api: api.requests.verify("get pods", agnet="a"), TypeError, "'agnet'; did you mean agent?"),
    (lambda api: api.faults.conflickt("pods"), AttributeError, "did you mean conflict?"),
    (lambda api: api.faults.conflict("pod"), RuleError, "did you mean pods?"),
    (lambda api: api.faults.conflict("pods", tiems=2), RuleError, "'tiems'; did you mean times?"),
    (lambda api: api.faults.arm({"conflickt": "pods"}), RuleError, "did you mean conflict?"),
    (
        lambda api: api.wait_for("Pod", "p", timeout=2),
        TypeError,
        r"fakeapi.wait_for\(\) has no keyword argument 'timeout'; did you mean within?",
    ),
    (lambda api: api.wait_for("Pod", "p", "Ready"), TypeError, "write until='Ready'"),
    (lambda api: api.wait_for("Pod"), TypeError, r"^fakeapi.wait_for\(\) missing .* 'name'"),
    (lambda api: api.wait_for("Pod", "p", until=".status["), ValueError, r"'.status\[' is not a JSONPath"),
    (lambda api: api.eventually(bool, timeout=2), TypeError, "did you mean within?"),
    (lambda api: api.objects.claim("gpu", deviceclass="a"), TypeError, "did you mean device_class?"),
    (lambda api: untyped("1.34"), TypeError, r"by name, such as FakeAPI\(release='1.34'\)"),
    (lambda api: untyped(relaese="1.34"), TypeError, "no option relaese; did you mean release?"),
]


@pytest.mark.parametrize(
    ("use", "error", "message"), USES, ids=[f"use-{number}" for number in range(len(USES))]
)
def test_a_misspelled_name_raises_an_error_with_a_suggestion(
    fakeapi: FakeAPI, use: Use, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        use(fakeapi)
    assert fakeapi.list("ResourceClaim") == []


def test_a_pattern_for_a_kind_that_is_not_served_matches_requests_for_it(fakeapi: FakeAPI) -> None:
    with pytest.raises(PatternError, match="no resource 'widgets' is served"):
        fakeapi.requests.none("list widgets")
    with pytest.raises(Exception, match="404"):
        fakeapi.request("GET", "/apis/example.com/v1/widgets")
    assert len(fakeapi.requests.verify("list widgets", code=404)) == 1


def test_every_ready_made_fault_is_a_method_with_the_defaults_of_its_action() -> None:
    for name, (make, _) in READY.items():
        method = getattr(Faults, name)
        own = signature(method).parameters
        assert method.__doc__
        for member, parameter in signature(make).parameters.items():
            if member == "after_commit" and name == "lose_reply":
                continue
            assert own[member].default == parameter.default, (name, member)


def test_faults_are_named_like_the_method_that_armed_them(fakeapi: FakeAPI) -> None:
    fakeapi.faults.conflict("pods")
    fakeapi.faults.conflict("nodes")
    fakeapi.faults.lose_reply("pods")
    assert [fault.name for fault in fakeapi.faults] == ["conflict", "conflict-2", "lose_reply"]


def test_discovery_is_not_in_the_journal_and_triggers_no_faults(fakeapi: FakeAPI) -> None:
    fault = fakeapi.faults.drop()
    with pytest.raises(ConnectionError):
        fakeapi.get("DeviceClass", "a")
    assert fault.fired == 1
    assert [entry.resource for entry in fakeapi.requests] == ["deviceclasses"]


def test_items_of_a_list_have_apiversion_and_kind(fakeapi: FakeAPI) -> None:
    namespace = fakeapi.list("Namespace")[0]
    assert (namespace["apiVersion"], namespace["kind"]) == ("v1", "Namespace")
    assert fakeapi.update(namespace)["metadata"]["name"] == "default"


def test_kinds_are_found_in_versions_that_are_not_preferred(fakeapi: FakeAPI) -> None:
    assert fakeapi.list("PodSchedulingContext") == []
    assert fakeapi.list("deployments.apps") == []


@pytest.mark.parametrize("release", ["1.27", "1.30", "1.37"])
def test_kinds_are_found_in_every_release(release: str) -> None:
    with FakeAPI(release=release) as api:
        assert api.list("Deployment") == []
        with pytest.raises(ValueError, match="did you mean Deployment"):
            api.list("Deploymnt")


def test_delete_accepts_the_object_itself(fakeapi: FakeAPI) -> None:
    claim = fakeapi.create(CLAIM)
    fakeapi.delete(claim)
    assert fakeapi.list("ResourceClaim") == []


def test_a_condition_that_a_kind_does_not_have_is_an_error(fakeapi: FakeAPI) -> None:
    fakeapi.create(CLAIM)
    with pytest.raises(ValueError, match="ResourceClaim gpu: the server did not store the condition Ready"):
        fakeapi.set_condition("ResourceClaim", "gpu", "Ready")
