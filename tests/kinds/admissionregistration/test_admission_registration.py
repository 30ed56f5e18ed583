"""Validation of admission webhooks, admission policies, and the bindings of admission policies."""

import copy
from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, canonical, created, refusals, refused_change, resource_of

RULE = {"apiGroups": ["*"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
HOOK = {
    "name": "hook.example.com",
    "clientConfig": {"url": "https://hook.example.com/x"},
    "rules": [RULE],
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}
MATCHES = {"resourceRules": [RULE]}
APPLIED = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}


def resource(name: str, release: str = "1.33") -> Resource:
    return resource_of(release, "admissionregistration.k8s.io", "v1", name)


def hooks(release: str = "1.33") -> Resource:
    return resource("validatingwebhookconfigurations", release)


def policies(release: str = "1.33") -> Resource:
    return resource("validatingadmissionpolicies", release)


def mutations() -> Resource:
    return resource("mutatingadmissionpolicies", "1.36")


def webhooks(*changes: Body) -> Body:
    return {"webhooks": [{**copy.deepcopy(HOOK), **each} for each in changes or ({},)]}


def service(**parts: Any) -> Body:
    return {"clientConfig": {"service": {"name": "s", "namespace": "n", **parts}}}


def condition(expression: str, name: str = "c") -> Body:
    return {"matchConditions": [{"name": name, "expression": expression}]}


def policy(**spec: Any) -> Body:
    checks = [{"expression": "object.spec.x < 5"}]
    return {"spec": {"matchConstraints": MATCHES, "validations": checks, **spec}}


def checked(expression: str, **more: Any) -> Body:
    return policy(validations=[{"expression": expression}], **more)


def mutating(expression: str, **more: Any) -> Body:
    mutation = {**APPLIED, "applyConfiguration": {"expression": expression}}
    return {
        "spec": {
            "matchConstraints": MATCHES,
            "reinvocationPolicy": "Never",
            "mutations": [mutation],
            **more,
        }
    }


@pytest.mark.parametrize(
    ("change", "place", "text"),
    [
        ({"name": "a.b"}, "name", "should be a domain with at least three segments separated by dots"),
        ({"clientConfig": {}}, "clientConfig", "exactly one of url or service is required"),
        ({"clientConfig": {"url": "http://x"}}, "clientConfig.url", "\"http\": 'https' is the only allowed"),
        ({"clientConfig": {"url": "https:///x"}}, "clientConfig.url", '"": host must be specified'),
        ({"clientConfig": {"url": "https://u@x"}}, "clientConfig.url", '"u": user information is not'),
        (
            {"clientConfig": {"url": "https://x?a=1"}},
            "clientConfig.url",
            "query parameters are not",
        ),
        (service(namespace=""), "clientConfig.service.name", "Required value: service name is required"),
        (service(port=0), "clientConfig.service.port", "port is not valid"),
        (service(path="ab"), "clientConfig.service.path", "must start with a '/'"),
        (service(path="/a//b"), "clientConfig.service.path", "segment[1] may not be empty"),
        ({"sideEffects": "Some"}, "sideEffects", 'supported values: "None", "NoneOnDryRun"'),
        ({"timeoutSeconds": 31}, "timeoutSeconds", "the timeout value must be between 1 and 30 seconds"),
        (
            {"admissionReviewVersions": ["v9"]},
            "admissionReviewVersions",
            "must include at least one of v1",
        ),
        ({"rules": [{**RULE, "scope": "Odd"}]}, "rules[0].scope", '"*", "Cluster", "Namespaced"'),
        (
            {"rules": [{**RULE, "operations": ["*", "CREATE"]}]},
            "rules[0].operations",
            '[]admissionregistration.OperationType{"*", "CREATE"}: if \'*\' is present',
        ),
        (
            {"rules": [{**RULE, "resources": ["pods/*", "pods/status"]}]},
            "rules[0].resources[1]",
            "if 'pods/*' is present, must not specify pods/status",
        ),
        (condition("object.x"), "matchConditions[0].expression", "must evaluate to bool but got dyn"),
        (condition("params.x == 1"), "matchConditions[0].expression", "undeclared reference to 'params'"),
        (condition("true", ""), "matchConditions[0].name", "Required value"),
    ],
)
def test_what_is_wrong_with_a_webhook_is_said(change: Body, place: str, text: str) -> None:
    [(field, message)] = refusals(hooks(), webhooks(change))
    assert field == f"webhooks[0].{place}"
    assert text in message


def test_good_webhooks_have_no_errors() -> None:
    assert refusals(hooks(), webhooks(service(path="/a/b"), {"name": "b.example.com"})) == []
    assert refusals(hooks(), webhooks({}, {})) == [
        ("webhooks[1].name", 'Duplicate value: "hook.example.com"')
    ]


def test_an_update_of_a_webhook_is_a_new_generation() -> None:
    old = created(hooks(), webhooks())
    changed = (
        hooks().strategy_for("").prepare_update(canonical(hooks(), webhooks({"timeoutSeconds": 5})), old)
    )
    assert (old["metadata"]["generation"], changed["metadata"]["generation"]) == (1, 2)


def test_conditions_that_an_update_leaves_alone_are_not_compiled() -> None:
    broken = webhooks(condition("1 +"))
    assert refused_change(hooks(), broken, broken) == []
    assert refused_change(hooks(), webhooks(), broken)[0][0] == "webhooks[0].matchConditions[0].expression"


@pytest.mark.parametrize(
    ("body", "place", "text"),
    [
        (policy(failurePolicy="Odd"), "failurePolicy", 'supported values: "Fail", "Ignore"'),
        (policy(matchConstraints={"resourceRules": []}), "matchConstraints.resourceRules", "Required value"),
        (
            policy(paramKind={"apiVersion": "a/b/c", "kind": "K"}),
            "paramKind.apiVersion",
            "unexpected Group",
        ),
        (
            policy(paramKind={"apiVersion": "v1", "kind": "1"}),
            "paramKind.kind",
            "may have mixed case",
        ),
        (checked(""), "validations[0].expression", "Required value: expression is not specified"),
        (checked("object.x"), "validations[0].expression", "must evaluate to bool but got dyn"),
        (checked("variables.x"), "validations[0].expression", "undeclared reference to 'variables'"),
        (checked("request.nothing == 1"), "validations[0].expression", "undefined field 'nothing'"),
        (checked("authorizer.path('/') == 1"), "validations[0].expression", "found no matching overload"),
        (
            checked("variables.b", variables=[{"name": "a", "expression": "true"}]),
            "validations[0].expression",
            "undefined field 'b'",
        ),
        (
            checked("variables.a", variables=[{"name": "a", "expression": "1"}]),
            "validations[0].expression",
            "must evaluate to bool but got int",
        ),
        (
            policy(variables=[{"name": "in", "expression": "1"}]),
            "variables[0].name",
            'Invalid value: "in": name is not a valid CEL identifier',
        ),
        (
            policy(auditAnnotations=[{"key": "a", "valueExpression": "1"}]),
            "auditAnnotations[0].valueExpression",
            "must evaluate to one of [string null_type] but got int",
        ),
        (
            policy(validations=[{"expression": "true", "messageExpression": "authorizer.path('/')"}]),
            "validations[0].messageExpression",
            "undeclared reference to 'authorizer'",
        ),
        (
            policy(validations=[{"expression": "true", "message": "a\nb"}]),
            "validations[0].message",
            "message must not contain line breaks",
        ),
        (
            policy(validations=[{"expression": "true", "reason": "Odd"}]),
            "validations[0].reason",
            '"Forbidden", "Invalid", "RequestEntityTooLarge"',
        ),
    ],
)
def test_what_is_wrong_with_a_policy_is_said(body: Body, place: str, text: str) -> None:
    [(field, message)] = refusals(policies(), body)
    assert field == f"spec.{place}"
    assert text in message


@pytest.mark.parametrize(
    "body",
    [
        checked(
            "variables.a && variables.b > 1",
            variables=[
                {"name": "b", "expression": "size(object.x)"},
                {"name": "a", "expression": "variables.b < 5"},
            ],
        ),
        checked("params.max > 1", paramKind={"apiVersion": "v1", "kind": "ConfigMap"}),
        checked("authorizer.group('').resource('pods').check('get').allowed()"),
        checked("namespaceObject.metadata.labels['a'] == request.userInfo.username"),
        policy(auditAnnotations=[{"key": "a", "valueExpression": "'a'"}]),
    ],
)
def test_a_good_policy_has_no_errors(body: Body) -> None:
    assert refusals(policies(), body) == []


def test_up_to_1_31_a_wrong_result_is_not_named() -> None:
    [(_, text)] = refusals(policies("1.31"), checked("object.x"))
    assert text == 'Invalid value: "object.x": must evaluate to bool'


@pytest.mark.parametrize(
    ("body", "place", "text"),
    [
        (mutating("Object{a: Object.b{c: 1}}", mutations=[]), "mutations", "must contain at least one item"),
        (
            mutating("{}"),
            "mutations[0].applyConfiguration.expression",
            "Object but got map(dyn, dyn)",
        ),
        (mutating("Object{}", reinvocationPolicy=""), "reinvocationPolicy", "Required value"),
        (
            mutating("Object{}", matchConstraints={"resourceRules": [{**RULE, "operations": ["DELETE"]}]}),
            "matchConstraints.resourceRules.operations",
            '"DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
        ),
        (
            mutating("Object{}", mutations=[{"patchType": "JSONPatch", "jsonPatch": {"expression": "[1]"}}]),
            "mutations[0].jsonPatch.expression",
            "must evaluate to list(JSONPatch) but got list(int)",
        ),
    ],
)
def test_what_is_wrong_with_a_mutating_policy_is_said(body: Body, place: str, text: str) -> None:
    [(field, message)] = refusals(mutations(), body)
    assert field == f"spec.{place}"
    assert text in message


def test_mutations_write_objects_and_patches_down() -> None:
    assert refusals(mutations(), mutating("Object{spec: Object.spec{x: 1, y: object.a}}")) == []
    patch = "[JSONPatch{op: 'add', path: '/a', value: 1}]"
    patches = [{"patchType": "JSONPatch", "jsonPatch": {"expression": patch}}]
    assert refusals(mutations(), mutating("", mutations=patches)) == []


@pytest.mark.parametrize(
    ("spec", "place", "text"),
    [
        ({"policyName": ""}, "policyName", "Required value"),
        ({"validationActions": []}, "validationActions", "at least one validation action is required"),
        ({"validationActions": ["Deny", "Deny"]}, "validationActions[1]", 'Duplicate value: "Deny"'),
        (
            {"validationActions": ["Deny", "Warn"]},
            "validationActions",
            '[]admissionregistration.ValidationAction{"Deny", "Warn"}: must not contain both',
        ),
        (
            {"paramRef": {"parameterNotFoundAction": "Deny"}},
            "paramRef",
            "one of name or selector must be",
        ),
    ],
)
def test_what_is_wrong_with_a_binding_is_said(spec: Body, place: str, text: str) -> None:
    body = {"spec": {"policyName": "p", "validationActions": ["Deny"], **spec}}
    [(field, message)] = refusals(resource("validatingadmissionpolicybindings"), body)
    assert field == f"spec.{place}"
    assert text in message
