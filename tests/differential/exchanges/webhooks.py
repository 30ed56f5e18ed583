"""Webhook configurations, and stories about the objects that their webhooks review.

All webhooks call one HTTPS endpoint. The path of a webhook's URL is the rule of its answer: `/m/label` or
`/1/deny`. The number of a validating webhook lets its answer arrive after the answers of lower numbers.
"""

from random import Random
from typing import Any

from tests.differential.exchanges.bases import SUBRESOURCES
from tests.differential.exchanges.stories import Request, Story, StoryWriter
from tests.differential.exchanges.subjects import Subject
from tests.differential.exchanges.waiting import refused_in
from tests.differential.exchanges.webhook_answers import MUTATING, PROBE, VALIDATING, WRONG
from tests.differential.exchanges.webhook_endpoint import AUTHORITY, OTHER_AUTHORITY, URL

REVIEWED = (
    "configmaps",
    "pods",
    "deployments",
    "horizontalpodautoscalers",
    "resourceclaims",
    "deviceclasses",
    "priorityclasses",
    "leases",
    "jobs",
    "serviceaccounts",
    "namespaces",
)
"""The resources of the stories about webhooks."""

_GROUP = "/apis/admissionregistration.k8s.io/v1"
_KINDS = {
    "mutatingwebhookconfigurations": "MutatingWebhookConfiguration",
    "validatingwebhookconfigurations": "ValidatingWebhookConfiguration",
}
_WEBHOOKS_MAX = 3
_CONDITIONS = (
    "request.userInfo.username != 'nobody'",
    "object.metadata.name != 'b'",
    "object.data.x == 'a'",
    "request.operation != 'UPDATE'",
    "oldObject == null",
    "!has(object.metadata.annotations)",
    "request.?dryRun.orValue(false)",
    "authorizer.group('').resource('configmaps').check('get').allowed()",
    "request.resource.group == 'apps' || request.namespace.startsWith('q')",
)


class Webhooks:
    """The webhook configurations of a story, one or two. Their webhooks review only objects of the story."""

    def __init__(self, random: Random, subject: Subject, number: int) -> None:
        self._random = random
        self._subject = subject
        self._label = f"q{number}"
        resources = random.choice([[name] for name in _KINDS] + [list(_KINDS)] * 2)
        self._names = {resource: f"{resource[0]}-q{number}.example.com" for resource in resources}

    def requests(self, collection: str) -> Story:
        """Returns the requests that create the configurations and wait until kube-apiserver applies them."""
        created = [
            {"method": "POST", "target": f"{_GROUP}/{resource}", "body": self._configuration(resource)}
            for resource in self._names
        ]
        return [*created, *(self._probe(collection, resource) for resource in self._names)]

    def deletions(self) -> Story:
        """Returns the requests that delete the configurations; their responses are not compared."""
        return [
            {"method": "DELETE", "target": f"{_GROUP}/{resource}/{name}", "silent": True}
            for resource, name in self._names.items()
        ]

    def _probe(self, collection: str, resource: str) -> Request:
        """Returns a request that is repeated until kube-apiserver calls the webhooks of a configuration."""
        metadata = {"name": f"p-{self._label}", "labels": {PROBE: resource, "story": self._label}}
        return refused_in(collection, {**self._subject.valid(), "metadata": metadata})

    def _configuration(self, resource: str) -> dict[str, Any]:
        count = self._random.randint(1, _WEBHOOKS_MAX)
        webhooks = [self._webhook(resource, index) for index in range(count)]
        rule = {"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["CREATE"]}
        probe = {
            "name": f"{PROBE}.{self._names[resource]}",
            "rules": [rule],
            "clientConfig": {"url": f"{URL}/{PROBE}", "caBundle": AUTHORITY},
            "objectSelector": {"matchLabels": {PROBE: resource, "story": self._label}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        return {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": _KINDS[resource],
            "metadata": {"name": self._names[resource]},
            "webhooks": [*webhooks, probe],
        }

    def _webhook(self, resource: str, index: int) -> dict[str, Any]:
        choice, chance = self._random.choice, self._random.random
        mutates = resource.startswith("mutating")
        webhook: dict[str, Any] = {
            "name": f"{'abc'[index]}.{self._names[resource]}",
            "rules": [self._rule() for _ in range(choice([1, 1, 1, 2]))],
            "clientConfig": self._client("m" if mutates else str(index), mutates=mutates),
            "objectSelector": self._object_selector(),
            "sideEffects": choice(["None", "NoneOnDryRun"]),
            "admissionReviewVersions": choice([["v1"], ["v1"], ["v1beta1", "v1"], ["v7", "v1beta1"]]),
        }
        if webhook["clientConfig"]["url"].endswith("/slow"):
            webhook["timeoutSeconds"] = 1
        elif chance() < 0.3:
            webhook["timeoutSeconds"] = choice([3, 10, 30])
        if chance() < 0.4:
            webhook["failurePolicy"] = choice(["Ignore", "Ignore", "Fail"])
        if chance() < 0.5:
            webhook["matchPolicy"] = choice(["Exact", "Equivalent"])
        if self._subject.namespaced and chance() < 0.3:
            webhook["namespaceSelector"] = self._namespace_selector()
        if chance() < 0.3:
            conditions = self._random.sample(_CONDITIONS, choice([1, 1, 2]))
            webhook["matchConditions"] = [
                {"name": f"c{place}", "expression": text} for place, text in enumerate(conditions)
            ]
        if mutates and chance() < 0.4:
            webhook["reinvocationPolicy"] = choice(["IfNeeded", "IfNeeded", "Never"])
        return webhook

    def _client(self, place: str, *, mutates: bool) -> dict[str, str]:
        """Returns a clientConfig. Most webhooks answer well; some answer wrongly, and few do not answer."""
        chance = self._random.random()
        fails_first = place in ("m", "0")  # these failures arrive before all answers
        if chance < 0.03 and fails_first:
            return {"url": f"{URL}/{place}/allow", "caBundle": OTHER_AUTHORITY}
        if chance < 0.04 and fails_first:
            return {"url": f"https://127.0.0.1:1/{place}/allow", "caBundle": AUTHORITY}
        if chance < 0.05:
            return {"url": f"{URL}/{place}/slow", "caBundle": AUTHORITY}
        if chance < 0.2:
            rule = self._random.choice(sorted(WRONG))
        elif chance < 0.4 or not mutates:
            rule = self._random.choice([*sorted(VALIDATING), "allow", "allow", "warn", "audit"])
        else:
            rule = self._random.choice([*sorted(MUTATING), "label", "label", "other-label"])
        return {"url": f"{URL}/{place}/{rule}", "caBundle": AUTHORITY}

    def _rule(self) -> dict[str, Any]:
        choice, resource = self._random.choice, self._subject.resource
        group, _, version = self._subject.api_version.rpartition("/")
        parts = [f"{resource}/{name}" for name in self._subject.subresources if name in SUBRESOURCES]
        rule: dict[str, Any] = {
            "apiGroups": choice([[group], [group], ["*"], [group, "none.example.com"]]),
            "apiVersions": choice([[version], [version], ["*"], ["v1"], ["v1beta1"], ["v2", "v1beta2"]]),
            "resources": choice([[resource], [resource], [resource, *parts], [f"{resource}/*"], ["*/*"]]),
            "operations": choice([["*"], ["*"], ["CREATE", "UPDATE"], ["CREATE"], ["DELETE"], ["UPDATE"]]),
        }
        if self._random.random() < 0.2:
            rule["scope"] = choice(["*", "Namespaced", "Cluster"])
        return rule

    def _object_selector(self) -> dict[str, Any]:
        """Returns a selector for the objects of the story without the probes."""
        absent = {"key": PROBE, "operator": "DoesNotExist"}
        selector: dict[str, Any] = {"matchLabels": {"story": self._label}, "matchExpressions": [absent]}
        if self._random.random() < 0.2:
            applied = {"key": "applied", "operator": self._random.choice(["Exists", "DoesNotExist"])}
            selector["matchExpressions"].append(applied)
        elif self._random.random() < 0.1:
            selector["matchExpressions"].append({"key": "mutated", "operator": "NotIn", "values": ["yes"]})
        return selector

    def _namespace_selector(self) -> dict[str, Any]:
        name = self._random.choice([self._label, self._label, "default"])
        return {"matchLabels": {"kubernetes.io/metadata.name": name}}


def webhook_story(random: Random, subject: Subject, number: int) -> Story:
    """Returns a story about a kind whose objects webhooks review.

    kube-apiserver reads the latest object before each write: with an older object of its cache, it would
    call the webhooks twice.
    """
    webhooks = Webhooks(random, subject, number)
    writer = StoryWriter(random, subject, number)
    requests = [
        request if request["method"] in ("GET", "POST") else {**request, "refreshed": writer.collection}
        for request in writer.write()
    ]
    return [*webhooks.requests(writer.collection), *requests, *webhooks.deletions()]
