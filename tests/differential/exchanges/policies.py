"""ValidatingAdmissionPolicies with bindings and parameters, and stories about the validated objects."""

from random import Random
from typing import Any

from tests.differential.exchanges.stories import Request, Story, StoryWriter
from tests.differential.exchanges.subjects import Subject
from tests.differential.exchanges.waiting import refused_in

_GROUP = "/apis/admissionregistration.k8s.io/v1"
PROBE = "probe"
"""The label of the object that waits for a policy: each policy refuses it."""

_EXPRESSIONS = (
    "!('applied' in object.metadata.?labels.orValue({}))",
    "object.metadata.name.startsWith('a')",
    "!has(object.data) || object.data.size() < 2",
    "!has(object.data) || !object.data.exists(k, k == 'b')",
    "oldObject == null || !has(oldObject.data) || object.data == oldObject.data",
    "request.operation != 'UPDATE'",
    "request.operation == 'DELETE' || object.metadata.labels['story'] != ''",
    "request.dryRun != true",
    "!has(object.immutable)",
    "variables.labels.size() < 2",
    "variables.named == 'a'",
    "authorizer.group('').resource('configmaps').check('get').allowed()",
    "namespaceObject.metadata.name.startsWith('q')",
    "object.data['missing'] == 'a'",
    "params == null || !has(params.data) || params.data['most'] == '1'",
    "has(object.metadata.annotations)",
)
_MESSAGES: tuple[dict[str, str], ...] = (
    {},
    {},
    {"message": "must be right"},
    {"messageExpression": "'refused ' + string(object.metadata.name)"},
    {"messageExpression": "object.data['missing']", "message": "fallback"},
    {"reason": "Forbidden"},
    {"reason": "RequestEntityTooLarge", "message": "too large"},
    {"reason": "Unauthorized"},
)
_CONDITIONS = ("request.userInfo.username != 'nobody'", "object.metadata.name != 'b'", "object.data.x == 'a'")
_ACTIONS = (["Deny"], ["Deny"], ["Deny"], ["Warn"], ["Warn", "Audit"], ["Deny", "Audit"])


class Policy:
    """A ValidatingAdmissionPolicy of one story, and its binding. It validates only the story's namespace."""

    def __init__(self, random: Random, subject: Subject, number: int) -> None:
        self._random = random
        self._subject = subject
        self._namespace = f"q{number}"
        self.name = f"policy-q{number}.example.com"
        self._has_parameter = random.random() < 0.3

    def requests(self) -> Story:
        """Returns the requests that create the policy, its parameter and its binding."""
        kind = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": self.name}}
        policy = {**kind, "kind": "ValidatingAdmissionPolicy", "spec": self._spec()}
        binding = {**kind, "kind": "ValidatingAdmissionPolicyBinding", "spec": self._binding()}
        return [
            *([self._parameter()] if self._has_parameter and self._random.random() < 0.8 else []),
            {"method": "POST", "target": f"{_GROUP}/validatingadmissionpolicies", "body": policy},
            {"method": "POST", "target": f"{_GROUP}/validatingadmissionpolicybindings", "body": binding},
        ]

    def deletions(self) -> Story:
        """Returns the requests that delete the policy and its binding; their responses are not compared."""
        return [
            {"method": "DELETE", "target": f"{_GROUP}/{resource}/{self.name}", "silent": True}
            for resource in ("validatingadmissionpolicybindings", "validatingadmissionpolicies")
        ]

    def probe(self, collection: str) -> Request:
        """Returns a request that is repeated until kube-apiserver applies the policy."""
        metadata = {"name": "probe", "labels": {PROBE: "true"}}
        return refused_in(collection, {**self._subject.valid(), "metadata": metadata})

    def _parameter(self) -> Request:
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "parameters"},
            "data": {"most": self._random.choice("12")},
        }
        return {"method": "POST", "target": f"/api/v1/namespaces/{self._namespace}/configmaps", "body": body}

    def _spec(self) -> dict[str, Any]:
        group, _, version = self._subject.api_version.rpartition("/")
        operations = self._random.choice([["*"], ["CREATE", "UPDATE"], ["CREATE"], ["CREATE", "DELETE"]])
        rule = {"apiGroups": [group], "apiVersions": [version], "resources": [self._subject.resource]}
        spec: dict[str, Any] = {
            "matchConstraints": {"resourceRules": [{**rule, "operations": operations}]},
            "validations": [
                {"expression": f"object == null || !('{PROBE}' in object.metadata.?labels.orValue({{}}))"},
                *(self._validation() for _ in range(self._random.choice([1, 1, 2, 3]))),
            ],
            "variables": [
                {"name": "labels", "expression": "object.metadata.?labels.orValue({})"},
                {"name": "named", "expression": "object.metadata.name.substring(0, 1)"},
            ],
        }
        if self._random.random() < 0.3:
            spec["failurePolicy"] = self._random.choice(["Fail", "Ignore"])
        if self._random.random() < 0.25:
            spec["matchConditions"] = [{"name": "c", "expression": self._random.choice(_CONDITIONS)}]
        if self._random.random() < 0.2:
            spec["auditAnnotations"] = [{"key": "a", "valueExpression": "'v ' + object.metadata.name"}]
        if self._has_parameter:
            spec["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
        return spec

    def _validation(self) -> dict[str, str]:
        return {"expression": self._random.choice(_EXPRESSIONS), **self._random.choice(_MESSAGES)}

    def _binding(self) -> dict[str, Any]:
        labels = {"kubernetes.io/metadata.name": self._namespace}
        spec: dict[str, Any] = {
            "policyName": self.name,
            "validationActions": self._random.choice(_ACTIONS),
            "matchResources": {"namespaceSelector": {"matchLabels": labels}},
        }
        if self._has_parameter:
            spec["paramRef"] = {
                **self._random.choice([{"name": "parameters"}, {"name": "parameters"}, {"selector": {}}]),
                "parameterNotFoundAction": self._random.choice(["Deny", "Allow"]),
            }
        return spec


def policy_story(random: Random, subject: Subject, number: int) -> Story:
    """Returns a story about a kind in a namespace with a policy."""
    policy = Policy(random, subject, number)
    writer = StoryWriter(random, subject, number)
    return [*policy.requests(), policy.probe(writer.collection), *writer.write(), *policy.deletions()]
