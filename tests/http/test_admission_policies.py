"""The server evaluates ValidatingAdmissionPolicies when clients write objects."""

import json
import threading
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from fakeapi.admission.policies import expressions
from fakeapi.admission.policies.expressions import Expressions
from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.http.conftest import SmallServer

GROUP = "admissionregistration.k8s.io"
ADMISSION = f"/apis/{GROUP}/v1"
MAPS = "/api/v1/namespaces/default/configmaps"
RULE = {
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "operations": ["CREATE", "UPDATE"],
    "resources": ["configmaps"],
}
PATIENCE_SECONDS = 60
PARAMETERS: dict[str, Any] = {
    "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
    "bound": {"paramRef": {"name": "params", "namespace": "default", "parameterNotFoundAction": "Deny"}},
}


@pytest.fixture
def server(with_history: Callable[[int], SmallServer]) -> SmallServer:
    pytest.importorskip("cel_expr_python", reason="policies are evaluated with the extra cel")
    return with_history(1000)


def install(
    server: SmallServer | FakeAPI, *validations: Any, bound: Any = None, version: str = "v1", **spec: Any
) -> None:
    checks = [{"expression": each} if isinstance(each, str) else each for each in validations]
    matched = {"resourceRules": [RULE]}
    policy = {"matchConstraints": matched, "validations": checks, **spec}
    binding = {"policyName": "p", "validationActions": ["Deny"], **(bound or {})}
    for kind, content in (("Policy", policy), ("PolicyBinding", binding)):
        path = "validatingadmissionpolic" + ("ies" if kind == "Policy" else "ybindings")
        body = {
            "apiVersion": f"{GROUP}/{version}",
            "kind": f"ValidatingAdmission{kind}",
            "metadata": {"name": "p"},
            "spec": content,
        }
        server.request("POST", f"/apis/{GROUP}/{version}/{path}", body)


def config_map(name: str = "m", labels: dict[str, str] | None = None, **data: str) -> dict[str, Any]:
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def refusal(server: SmallServer | FakeAPI, body: dict[str, Any]) -> StatusError:
    with pytest.raises(StatusError) as refused:
        server.request("POST", MAPS, body)
    return refused.value


def test_the_first_validation_that_does_not_hold_refuses_the_write(server: SmallServer) -> None:
    install(
        server,
        {"expression": "size(object.data) < 2", "message": "one key", "reason": "Forbidden"},
        {"expression": "!('bad' in object.data)", "messageExpression": "'no ' + object.metadata.name"},
    )
    server.request("POST", MAPS, config_map("good", a="1"))
    error = refusal(server, config_map("m", a="1", bad="2"))
    names = "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: "
    assert error.code == 403
    assert str(error.status["message"]) == f'configmaps "m" is forbidden: {names}one key'
    assert error.status["details"]["causes"] == [{"message": f"{names}one key"}]
    error = refusal(server, config_map("m", bad="2"))
    assert (error.code, error.status["reason"]) == (422, "Invalid")
    assert error.status["message"].endswith("denied request: no m")


def test_a_variable_is_evaluated_where_it_is_used(server: SmallServer) -> None:
    variables = [
        {"name": "size", "expression": "size(object.data)"},
        {"name": "small", "expression": "variables.size < 2"},
    ]
    install(server, "!has(object.data) || variables.small", variables=variables)
    server.request("POST", MAPS, config_map("good", a="1"))
    text = "failed expression: !has(object.data) || variables.small"
    assert text in refusal(server, config_map("m", a="1", b="2")).status["message"]


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("object.nothing == 1", "no such key: nothing"),
        ("1 / int(object.data.zero) == 1", "division by zero"),
    ],
)
def test_a_failure_refuses_by_the_failure_policy(server: SmallServer, expression: str, reason: str) -> None:
    install(server, expression)
    error = refusal(server, config_map(zero="0"))
    assert error.status["message"].endswith(f"expression '{expression}' resulted in error: {reason}")
    path = f"{ADMISSION}/validatingadmissionpolicies/p"
    policy = server.request("GET", path)
    policy["spec"]["failurePolicy"] = "Ignore"
    server.request("PUT", path, policy)
    server.request("POST", MAPS, config_map(zero="0"))


@pytest.mark.parametrize(
    "spec",
    [
        {"bound": {"matchResources": {"objectSelector": {"matchLabels": {"guarded": "yes"}}}}},
        {"bound": {"matchResources": {"namespaceSelector": {"matchLabels": {"guarded": "yes"}}}}},
        {"bound": {"matchResources": {"resourceRules": [{**RULE, "resourceNames": ["other"]}]}}},
        {"bound": {"matchResources": {"excludeResourceRules": [{**RULE, "operations": ["*"]}]}}},
        {"matchConstraints": {"resourceRules": [{**RULE, "operations": ["DELETE"]}]}},
        {"matchConditions": [{"name": "c", "expression": "object.metadata.name == 'other'"}]},
    ],
)
def test_what_a_policy_does_not_match_it_lets_pass(server: SmallServer, spec: dict[str, Any]) -> None:
    install(server, "false", **spec)
    server.request("POST", MAPS, config_map())


def test_a_deletion_shows_the_old_object_and_who_deletes(server: SmallServer) -> None:
    rule = {"resourceRules": [{**RULE, "operations": ["DELETE"]}]}
    check = "object == null && oldObject.data.a == '1' && request.userInfo.username == 'somebody'"
    install(server, check, matchConstraints=rule)
    server.request("POST", MAPS, config_map(a="1"))
    with pytest.raises(StatusError, match="failed expression: object == null"):
        server.request("DELETE", f"{MAPS}/m")


def test_parameters_are_objects_that_the_binding_names(server: SmallServer) -> None:
    reference = {"name": "limits", "namespace": "default", "parameterNotFoundAction": "Deny"}
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    check = "size(object.data) <= int(params.data.most)"
    install(server, check, bound={"paramRef": reference}, paramKind=kind)
    assert "no params found for policy binding" in refusal(server, config_map(a="1")).status["message"]
    server.request("DELETE", f"{ADMISSION}/validatingadmissionpolicybindings/p")
    server.request("POST", MAPS, config_map("limits", most="1"))
    server.request("DELETE", f"{ADMISSION}/validatingadmissionpolicies/p")
    install(server, check, bound={"paramRef": reference}, paramKind=kind)
    server.request("POST", MAPS, config_map("good", a="1"))
    refusal(server, config_map(a="1", b="2"))


def test_a_warning_lets_the_write_pass(server: SmallServer) -> None:
    install(server, "false", bound={"validationActions": ["Warn"]})
    server.request("POST", MAPS, config_map())


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("quantity(object.data.a).isLessThan(quantity('1k'))", ""),
        ("quantity('2k').isLessThan(quantity('1k'))", "failed expression: "),
        ("authorizer.group('').resource('pods').namespace('x').check('get').allowed()", ""),
        ("authorizer.requestResource.check('create').reason() == ''", ""),
        (
            "authorizer.path(' ').check('get').allowed()",
            "expression '{}' resulted in error: path must not be empty",
        ),
        ("request.subResource == ''", "expression '{}' resulted in error: no such key: subResource"),
        ("request.name == 'm' && request.userInfo.username == 'kubernetes-admin'", ""),
        ("namespaceObject.metadata.name == request.namespace", ""),
        ("isURL('https://example.com') && ip('1.2.3.4').family() == 4", ""),
        ("object.data.a.matches('^[0-9]+$')", ""),
        (
            (
                "[1,2,3,4,5,6,7,8,9,0].all(a, [1,2,3,4,5,6,7,8,9,0].all(b, [1,2,3,4,5,6,7,8,9,0].all(c, "
                "[1,2,3,4,5,6,7,8,9,0].all(d, [1,2,3,4,5,6,7,8,9,0].all(e, [1,2,3,4,5,6,7,8,9,0].all(f, "
                "object.data.a == '100'))))))"
            ),
            "expression '{}' resulted in error: operation cancelled: actual cost limit exceeded",
        ),
    ],
)
def test_expressions_have_kubernetes_functions_and_limits(
    server: SmallServer, expression: str, problem: str
) -> None:
    install(server, expression)
    if not problem:
        server.request("POST", MAPS, config_map(a="100"))
        return
    message: str = refusal(server, config_map(a="100")).status["message"]
    assert problem.replace("{}", expression) in message


def test_a_policy_asks_the_roles_of_a_cluster(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    pytest.importorskip("cel_expr_python", reason="policies are evaluated with the extra cel")
    api = fakeapi_factory(release="1.33", authorization="rbac")
    account = "authorizer.serviceAccount('default', 'robot').group('').resource('secrets')"
    install(api, f"{account}.namespace('default').check('list').allowed()")
    refusal(api, config_map())
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]}]
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": "default"}
    rbac = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "r"}}
    api.create({**rbac, "kind": "Role", "rules": rules})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}
    api.create({**rbac, "kind": "RoleBinding", "roleRef": role, "subjects": [subject]})
    api.request("POST", MAPS, config_map())


def test_an_audit_annotation_that_fails_refuses_whatever_the_actions(server: SmallServer) -> None:
    annotations = [{"key": "a", "valueExpression": "string(object.data.missing)"}]
    install(server, "true", bound={"validationActions": ["Audit"]}, auditAnnotations=annotations)
    message = refusal(server, config_map(a="1")).status["message"]
    assert message.endswith(
        "expression 'string(object.data.missing)' resulted in error: no such key: missing"
    )


def test_all_policies_warn_even_where_one_denies(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    pytest.importorskip("cel_expr_python", reason="policies are evaluated with the extra cel")
    api = fakeapi_factory(release="1.33")
    install(api, "false", bound={"validationActions": ["Deny"]})
    binding = {"policyName": "p", "validationActions": ["Warn"]}
    body = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding"}
    api.create({**body, "metadata": {"name": "q"}, "spec": binding})
    connection = HTTPConnection(api.url.removeprefix("http://"))
    connection.request("POST", MAPS, json.dumps(config_map()), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    assert answer.status == 422
    text = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'q': failed expression: false"
    assert answer.headers.get_all("Warning") == [f'299 - "{text}"']
    connection.close()


def test_policies_of_a_database_are_asked_after_it_is_opened_again(
    fakeapi_factory: Callable[..., FakeAPI], tmp_path: Path
) -> None:
    pytest.importorskip("cel_expr_python", reason="policies are evaluated with the extra cel")
    database = tmp_path / "state.db"
    with FakeAPI(release="1.33", database=database) as first:
        install(first, "false")
    refusal(fakeapi_factory(release="1.33", database=database), config_map())


@pytest.mark.parametrize(("release", "is_asked"), [("1.29", True), ("1.30", False), ("1.33", False)])
def test_newer_releases_ask_no_policy_about_reviews(
    fakeapi_factory: Callable[..., FakeAPI],
    release: str,
    is_asked: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    pytest.importorskip("cel_expr_python", reason="policies are evaluated with the extra cel")
    version = "v1beta1" if release == "1.29" else "v1"
    gates = {"ValidatingAdmissionPolicy": True} if release == "1.29" else {}
    api = fakeapi_factory(release=release, feature_gates=gates, runtime_config=f"{GROUP}/{version}=true")
    rule = {**RULE, "apiGroups": ["authorization.k8s.io"], "resources": ["*"]}
    install(api, "false", version=version, matchConstraints={"resourceRules": [rule]})
    group = "authorization.k8s.io/v1"
    spec = {"resourceAttributes": {"verb": "get", "resource": "pods"}}
    body = {"apiVersion": group, "kind": "SelfSubjectAccessReview", "spec": spec}
    path = f"/apis/{group}/selfsubjectaccessreviews"
    if is_asked:
        with pytest.raises(StatusError, match="ValidatingAdmissionPolicy 'p' with binding 'p' denied"):
            api.request("POST", path, body)
    else:
        assert api.request("POST", path, body)["status"]["allowed"]


def test_a_message_that_is_too_long_is_not_told(server: SmallServer) -> None:
    validation = {"expression": "false", "message": "no", "messageExpression": "string(object.data.text)"}
    install(server, validation)
    for size, expected in ((5 * 1024, "x" * 5 * 1024), (5 * 1024 + 1, "no")):
        assert refusal(server, config_map(text="x" * size)).status["message"].endswith(f"request: {expected}")


def test_the_expressions_of_a_policy_share_a_budget(
    server: SmallServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expressions.Expressions.budget, "__defaults__", (100,))
    costly = "object.data.all(key, key != 'x')"
    install(server, costly, costly, costly)
    server.request("POST", MAPS, config_map("small", a="1"))
    error = refusal(server, {**config_map("large"), "data": {f"k{number}": "1" for number in range(30)}})
    assert error.status["message"].endswith(expressions.OUT_OF_BUDGET)


def test_match_conditions_have_a_smaller_budget(server: SmallServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.machinery.cel.limits.CONDITIONS_COST_MAX", 20)
    costly = {"name": "c", "expression": "object.data.all(key, key != 'x')"}
    install(server, "true", matchConditions=[costly])
    server.request("POST", MAPS, config_map("small", a="1"))
    error = refusal(server, {**config_map("large"), "data": {f"k{number}": "1" for number in range(10)}})
    assert expressions.OUT_OF_BUDGET in error.status["message"]


def test_others_are_served_while_a_costly_policy_is_evaluated(
    fakeapi_factory: Callable[..., FakeAPI], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cel_expr_python", reason="policies are evaluated with the extra cel")
    api = fakeapi_factory(release="1.33")
    costly = "object.data.all(a, object.data.all(b, a == b || a != b)) && namespaceObject.metadata.name != ''"
    api.create(config_map("params", a="2"))
    install(api, costly, {"expression": "params.data.a == '1'", "message": "not 1"}, **PARAMETERS)
    begun, may_end = threading.Event(), threading.Event()
    outcome = Expressions.outcome

    def held(self: Expressions, text: str, **how: Any) -> Any:
        found = outcome(self, text, **how)  # on the event loop, the expensive program stops before its end
        if text == costly:
            begun.set()
            assert may_end.wait(PATIENCE_SECONDS)
        return found

    monkeypatch.setattr(Expressions, "outcome", held)
    refusals: list[StatusError] = []

    def create() -> None:
        with pytest.raises(StatusError) as refused:
            api.create(config_map("m", None, **{f"key-{number}": "" for number in range(150)}))
        refusals.append(refused.value)

    writing = threading.Thread(target=create, daemon=True)
    writing.start()
    assert begun.wait(PATIENCE_SECONDS)
    assert api.get("ConfigMap", "params")["data"] == {"a": "2"}
    may_end.set()
    writing.join(PATIENCE_SECONDS)
    assert [each.status["details"]["causes"][0]["message"][-5:] for each in refusals] == ["not 1"]


def test_variables_that_grow_without_bound_refuse_the_write(server: SmallServer) -> None:
    grown = {"name": "v0", "expression": "'0123456789'"}
    variables = [grown] + [
        {
            "name": f"v{number}",
            "expression": f"'%s%s%s%s'.format([{', '.join([f'variables.v{number - 1}'] * 4)}])",
        }
        for number in range(1, 30)
    ]
    install(server, "variables.v29.size() > 0", variables=variables)
    error = refusal(server, config_map())
    assert error.code == 422
    assert "operation cancelled: actual cost limit exceeded" in error.status["message"]


def test_variables_that_concatenate_lists_cost_no_memory(server: SmallServer) -> None:
    variables = [{"name": "v0", "expression": "[1, 2]"}] + [
        {"name": f"v{number}", "expression": f"variables.v{number - 1} + variables.v{number - 1}"}
        for number in range(1, 41)
    ]
    install(server, f"variables.v40.size() == {2**41}", variables=variables)
    server.request("POST", MAPS, config_map())
