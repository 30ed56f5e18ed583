"""MutatingAdmissionPolicies change objects when clients write them."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI

Object = dict[str, Any]
GROUP = "admissionregistration.k8s.io/v1"


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    pytest.importorskip("cel_expr_python", reason="policies are evaluated with the extra cel")
    return fakeapi_factory(release="1.36")


def rule(resource: str = "configmaps", group: str = "", version: str = "v1") -> Object:
    return {
        "apiGroups": [group],
        "apiVersions": [version],
        "operations": ["CREATE", "UPDATE"],
        "resources": [resource],
    }


def applied(text: str) -> Object:
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": text}}


def patched(text: str) -> Object:
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": text}}


def install(
    api: FakeAPI, *mutations: Object, name: str = "p", bound: Object | None = None, **spec: Any
) -> None:
    body = {
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [rule()]},
        "mutations": list(mutations),
        **spec,
    }
    for kind, content in (("", body), ("Binding", {"policyName": name, **(bound or {})})):
        named = {
            "apiVersion": GROUP,
            "kind": f"MutatingAdmissionPolicy{kind}",
            "metadata": {"name": name},
        }
        api.create({**named, "spec": content})


def config_map(name: str = "m", labels: Object | None = None, **data: str) -> Object:
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def refusal(api: FakeAPI, body: Object) -> StatusError:
    with pytest.raises(StatusError) as caught:
        api.create(body)
    return caught.value


def test_an_apply_configuration_is_merged_into_what_is_written(api: FakeAPI) -> None:
    install(api, applied("Object{metadata: Object.metadata{labels: {'seen': object.metadata.name}}}"))
    created = api.create(config_map(labels={"own": "1"}, a="b"))
    assert created["metadata"]["labels"] == {"own": "1", "seen": "m"}
    assert created["data"] == {"a": "b"}
    (entry,) = created["metadata"]["managedFields"]
    assert entry["fieldsV1"]["f:metadata"]["f:labels"] == {".": {}, "f:own": {}}
    changed = api.patch("ConfigMap", "m", {"metadata": {"labels": {"seen": "else"}}})
    assert changed["metadata"]["labels"]["seen"] == "m"


def test_a_policy_cannot_move_an_object_to_another_namespace(api: FakeAPI) -> None:
    install(api, patched("[JSONPatch{op: 'add', path: '/metadata/namespace', value: 'kube-system'}]"))
    refused = refusal(api, config_map())
    assert (refused.code, refused.reason) == (400, "BadRequest")
    assert refused.message.startswith("the namespace of the provided object does not match the namespace")


def test_items_of_lists_are_merged_by_their_keys_and_defaulted(api: FakeAPI) -> None:
    sidecar = (
        "Object.spec.template.spec.initContainers{name: 'side', image: 'proxy', restartPolicy: 'Always'}"
    )
    text = (
        "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{"
        f"initContainers: [{sidecar}]}}}}}}}}"
    )
    matched = {"resourceRules": [rule("deployments", "apps")]}
    install(api, applied(text), matchConstraints=matched)
    template = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {
            "initContainers": [{"name": "own", "image": "x"}],
            "containers": [{"name": "c", "image": "x"}],
        },
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template},
    }
    containers = api.create(deployment)["spec"]["template"]["spec"]["initContainers"]
    assert [each["name"] for each in containers] == ["own", "side"]
    assert containers[1]["terminationMessagePath"] == "/dev/termination-log"


def test_a_json_patch_adds_replaces_and_removes(api: FakeAPI) -> None:
    text = (
        "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'seen': '1'}},"
        " JSONPatch{op: 'replace', path: '/data/a', value: object.data.a + '!'},"
        " JSONPatch{op: 'remove', path: '/data/b'}]"
    )
    install(api, patched(text))
    created = api.create(config_map(a="x", b="y"))
    assert (created["metadata"]["labels"], created["data"]) == ({"seen": "1"}, {"a": "x!"})


def test_values_of_patches_may_be_objects_and_keys_are_escaped(api: FakeAPI) -> None:
    text = (
        "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {}},"
        " JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('a/b'),"
        " value: string(quantity('1k').asInteger())},"
        " JSONPatch{op: 'add', path: '/data', value: Object.data{?a: object.?data.?none, b: 'x'}}]"
    )
    install(api, patched(text))
    created = api.create(config_map())
    assert (created["metadata"]["annotations"], created["data"]) == ({"a/b": "1000"}, {"b": "x"})


def test_a_patch_whose_test_fails_changes_nothing(api: FakeAPI) -> None:
    text = (
        "[JSONPatch{op: 'test', path: '/data/a', value: 'x'}, "
        "JSONPatch{op: 'add', path: '/data/seen', value: '1'}]"
    )
    install(api, patched(text))
    assert api.create(config_map("a", a="x"))["data"] == {"a": "x", "seen": "1"}
    assert api.create(config_map("b", a="y"))["data"] == {"a": "y"}


def test_each_mutation_sees_what_the_one_before_left(api: FakeAPI) -> None:
    install(
        api,
        applied("Object{data: {'a': '1'}}"),
        applied("Object{data: {'b': object.data.a + variables.suffix}}"),
        variables=[{"name": "suffix", "expression": "string(size(object.data))"}],
    )
    assert api.create(config_map())["data"] == {"a": "1", "b": "11"}


def test_conditions_say_whether_a_policy_changes_anything(api: FakeAPI) -> None:
    conditions = [{"name": "c", "expression": "object.metadata.name.startsWith('a')"}]
    install(api, applied("Object{data: {'seen': '1'}}"), matchConditions=conditions)
    assert api.create(config_map("a"))["data"] == {"seen": "1"}
    assert "data" not in api.create(config_map("b"))


@pytest.mark.parametrize(
    ("mutation", "problem"),
    [
        (
            applied("Object{data: {'a': object.data.missing}}"),
            "expression 'Object{data: {'a': object.data.missing}}' resulted in error: no such key: missing",
        ),
        (
            applied("Object{spec: Object.spec{a: 1}}"),
            (
                "error applying patch: failed to convert patch object to typed object: "
                ".spec: field not declared in schema"
            ),
        ),
        (
            applied("Object{metadata: Object.wrong{labels: {'a': 'b'}}}"),
            (
                'type mismatch: unexpected type name "Object.wrong", expected "Object.metadata", which '
                "matches field name path from root Object type"
            ),
        ),
        (
            applied("Object{metadata: Object.metadata{finalizers: ['a/b'], managedFields: []}}"),
            (
                "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or "
                "structs: .metadata.managedFields"
            ),
        ),
    ],
)
def test_a_mutation_that_cannot_be_made_refuses_the_write(
    api: FakeAPI, mutation: Object, problem: str
) -> None:
    install(api, mutation)
    error = refusal(api, config_map(a="b"))
    message = f"policy 'p' with binding 'p' denied request: {problem}"
    assert (error.code, error.reason, error.message) == (403, "Invalid", message)
    assert error.status["details"] == {
        "name": "m",
        "kind": "configmaps",
        "causes": [{"message": message}],
    }


def test_a_failure_that_is_ignored_lets_the_write_pass(api: FakeAPI) -> None:
    install(api, applied("Object{data: {'a': object.data.missing}}"), failurePolicy="Ignore")
    assert api.create(config_map(a="b"))["data"] == {"a": "b"}


def test_what_a_patch_makes_has_to_be_an_object_of_the_kind(api: FakeAPI) -> None:
    install(api, patched("[JSONPatch{op: 'add', path: '/nope', value: 1}]"))
    error = refusal(api, config_map(a="b"))
    message = 'Internal error occurred: strict decoding error: unknown field "nope"'
    assert (error.code, error.message) == (500, message)


def test_a_binding_gives_parameters_one_set_after_the_other(api: FakeAPI) -> None:
    for name in ("x", "y"):
        obj = config_map(name, labels={"params": "yes"}, value=name)
        api.create(obj)
    install(
        api,
        applied("Object{data: {params.metadata.name: params.data.value}}"),
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        bound={
            "paramRef": {
                "selector": {"matchLabels": {"params": "yes"}},
                "parameterNotFoundAction": "Deny",
            }
        },
        matchConditions=[{"name": "c", "expression": "!has(object.metadata.labels)"}],
    )
    assert api.create(config_map())["data"] == {"x": "x", "y": "y"}


def test_a_binding_whose_parameters_are_missing_denies(api: FakeAPI) -> None:
    install(
        api,
        applied("Object{data: {'a': params.data.a}}"),
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        bound={"paramRef": {"name": "none", "parameterNotFoundAction": "Deny"}},
    )
    error = refusal(api, config_map())
    why = "no params found for policy binding with `Deny` parameterNotFoundAction"
    message = f"policy 'p' with binding 'p' denied request: failed to configure binding: {why}"
    assert (error.code, error.reason, error.message) == (403, "Forbidden", message)


def test_a_policy_is_asked_again_once_another_has_changed_the_object(api: FakeAPI) -> None:
    count = "Object{data: {'size': string(size(object.data)), 'a': '1'}}"
    install(api, applied(count), name="a", reinvocationPolicy="IfNeeded")
    install(api, applied("Object{data: {'b': '1'}}"), name="b")
    created = api.create(config_map(own="1"))
    assert created["data"] == {"a": "1", "b": "1", "own": "1", "size": "4"}


def test_a_policy_of_another_version_sees_and_changes_its_own(api: FakeAPI) -> None:
    matched = {"resourceRules": [rule("resourceclaims", "resource.k8s.io", "v1beta1")]}
    text = "[JSONPatch{op: 'add', path: '/spec/devices/requests/0/deviceClassName', value: 'b'}]"
    install(api, patched(text), matchConstraints=matched)
    requests = [{"name": "r", "exactly": {"deviceClassName": "a"}}]
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "c"},
        "spec": {"devices": {"requests": requests}},
    }
    created = api.create(claim)["spec"]["devices"]["requests"]
    assert created[0]["exactly"]["deviceClassName"] == "b"


def test_validation_follows_mutation_and_dry_runs_see_both(api: FakeAPI) -> None:
    install(api, applied("Object{metadata: Object.metadata{labels: {'a': '!'}}}"))
    with pytest.raises(StatusError, match="metadata.labels: Invalid value".replace(".", r"\.")):
        api.create(config_map(), dryRun="All")


def test_a_release_with_the_gate_off_is_not_changed(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    pytest.importorskip("cel_expr_python", reason="policies are evaluated with the extra cel")
    api = fakeapi_factory(release="1.36", disable_admission_plugins="MutatingAdmissionPolicy")
    install(api, applied("Object{data: {'seen': '1'}}"))
    assert "data" not in api.create(config_map())


def test_a_costly_policy_is_evaluated_beside_the_loop_and_every_mutation_is_made_once(api: FakeAPI) -> None:
    def adding(name: str) -> Object:
        return patched(
            f"[JSONPatch{{op: 'add', path: '/metadata/finalizers/-', value: 'example.com/{name}'}}]"
        )

    install(api, adding("cheap"), name="a")
    condition = {"name": "c", "expression": "object.data.all(a, object.data.all(b, a == b || a != b))"}
    install(api, adding("dear"), name="b", matchConditions=[condition])
    body = config_map("m", None, **{f"key-{number}": "" for number in range(150)})
    body["metadata"]["finalizers"] = ["example.com/own"]
    created = api.create(body)
    assert created["metadata"]["finalizers"] == [f"example.com/{each}" for each in ("own", "cheap", "dear")]
