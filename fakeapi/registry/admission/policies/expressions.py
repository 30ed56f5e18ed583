"""Expressions of one policy about one write, and what they may use.

Follows k8s.io/apiserver `pkg/admission/plugin/cel`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fakeapi.machinery.cel.evaluation import Failed, Outcome, Unsupported, Value, evaluate
from fakeapi.machinery.golang.aggregates import aggregate
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.objects import ClusterObjects
from fakeapi.registry.admission.plugins.webhooks.matching import variables_of
from fakeapi.registry.admission.plugins.webhooks.versioned_write import VersionedWrite, plain
from fakeapi.registry.resource import Resource

_USES = re.compile(r"\bvariables\s*\.\s*(?:\?\s*)?([A-Za-z_]\w*)")
_SHOWN_OF_NAMESPACES = (
    "name",
    "generateName",
    "namespace",
    "labels",
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "resourceVersion",
    "finalizers",
)


class Expressions:
    """Evaluates expressions of a policy. Each of its variables is evaluated once, when it is first used."""

    def __init__(self, known: Mapping[str, Any], variables: Iterable[Mapping[str, str]]) -> None:
        self._known = known
        self._texts = {each["name"]: each["expression"] for each in variables}
        self._outcomes: dict[str, Outcome] = {}

    def conditions(self, conditions: Iterable[Mapping[str, str]]) -> Outcome:
        """Whether all match conditions hold. One that does not decides, whatever others fail with."""
        unsupported: Outcome | None = None
        failures: list[str] = []
        for condition in conditions:
            match self.outcome(condition["expression"]):
                case Value(value) as outcome if value is not True:
                    return outcome
                case Failed(reason):
                    failures.append(f"expression '{condition['expression']}' resulted in error: {reason}")
                case Unsupported() as outcome:
                    unsupported = unsupported or outcome
        return unsupported or (Failed(aggregate(failures)) if failures else Value(value=True))

    def outcome(self, text: str) -> Outcome:
        """What an expression comes to."""
        values: dict[str, Any] = {}
        for name in dict.fromkeys(_USES.findall(text)):
            outcome = self._variable(name)
            if isinstance(outcome, Unsupported):
                return outcome
            if isinstance(outcome, Failed):
                return Failed(f'composited variable "{name}" fails to evaluate: {outcome.reason}')
            values[name] = outcome.value
        return evaluate(text, {**self._known, "variables": values})

    def _variable(self, name: str) -> Outcome:
        if name not in self._texts:
            return Failed(f"no such key: {name}")
        if name not in self._outcomes:
            self._outcomes[name] = Failed("it uses itself")
            self._outcomes[name] = self.outcome(self._texts[name])
        return self._outcomes[name]


def expressions_of(
    spec: Object, params: Object | None, write: VersionedWrite, resource: Resource, objects: ClusterObjects
) -> Expressions:
    """The expressions of a policy with one set of parameters, about a write in a version of its resource."""
    known = variables_of(write, resource)
    namespace = None
    if resource.kind.namespaced:
        namespace = objects.get("", "namespaces", "", write.attributes.namespace)
    known["namespaceObject"] = None if namespace is None else _shown_namespace(namespace)
    if spec.get("paramKind") is not None:
        known["params"] = plain(params)
    return Expressions(known, spec.get("variables") or ())


def _shown_namespace(namespace: Object) -> Any:
    """A namespace with what expressions may see of it."""
    metadata = {
        name: namespace["metadata"][name] for name in _SHOWN_OF_NAMESPACES if name in namespace["metadata"]
    }
    return plain({"metadata": metadata, "spec": namespace["spec"], "status": namespace["status"]})
