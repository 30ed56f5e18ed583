"""Valid objects of the kinds in the differential test, and the kinds that the test omits."""

from collections.abc import Iterable, Mapping
from typing import Any

from fakeapi.releases import Kind
from tools.sample_bases import BASES

_POD_SPEC = {"containers": [{"name": "main", "image": "x"}]}
_POLICY = {
    "matchConstraints": {
        "resourceRules": [
            {
                "apiGroups": ["none.example.com"],
                "apiVersions": ["v1"],
                "resources": ["none"],
                "operations": ["CREATE"],
            }
        ]
    },
    "validations": [{"expression": "object.spec.replicas < 5"}],
}

MORE_BASES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "": {
        "pods": {"spec": _POD_SPEC, "status": {"phase": "Running"}},
        "services": {"spec": {"selector": {"app": "a"}, "ports": [{"port": 80}]}, "status": {}},
        "events": {
            "involvedObject": {"kind": "Pod", "name": "a", "apiVersion": "v1"},
            "reason": "Started",
            "message": "started",
            "type": "Normal",
            "count": 1,
            "source": {"component": "kubelet"},
        },
    },
    "events.k8s.io": {
        "events": {
            "eventTime": "2025-01-01T00:00:00.000000Z",
            "regarding": {"kind": "Pod", "name": "a"},
            "reason": "Started",
            "action": "Starting",
            "reportingController": "example.com/a",
            "reportingInstance": "a",
            "type": "Normal",
        }
    },
    "admissionregistration.k8s.io": {
        "validatingadmissionpolicies": {"spec": _POLICY, "status": {}},
    },
}  # fmt: skip
"""Bases that `tools.sample_bases` lacks, because its Go program does not validate these kinds."""

LEFT_OUT: Mapping[str, str] = {
    "apiservices": "an APIService changes which server answers the requests for its group",
    "bindings": "a Binding is not stored; pods/binding covers it",
    "componentstatuses": "shows the health of the machine's own processes",
    "customresourcedefinitions": "definitions have their own stories",
    "mutatingadmissionpolicies": "a policy may change the objects of other stories",
    "mutatingadmissionpolicybindings": "a binding may change the objects of other stories",
    "mutatingwebhookconfigurations": "a configuration may refuse the writes of other stories",
    "validatingadmissionpolicybindings": "a binding may refuse the writes of other stories",
    "validatingwebhookconfigurations": "a configuration may refuse the writes of other stories",
    "servicecidrs": "a ServiceCIDR changes the addresses of all services",
    "resourcequotas": "no controller fills the status, so that all writes of the namespace are refused",
}
"""Resources that the test omits, with the reasons."""


def base_of(kind: Kind) -> Mapping[str, Any] | None:
    """Returns the fields of a valid object without its metadata; None if no such object is defined for the
    kind.
    """
    for table in (MORE_BASES, BASES):
        fields = table.get(kind.group, {}).get(kind.resource)
        if fields is not None:
            return fields
    return None


SUBRESOURCES = ("status", "scale")
"""The subresources that stories use."""


def never_sent(kinds: Iterable[Kind]) -> dict[str, str]:
    """Returns the resources and subresources that stories never use, with the reasons."""
    reasons: dict[str, str] = {}
    for kind in kinds:
        if kind.resource in LEFT_OUT:
            reasons[kind.resource] = LEFT_OUT[kind.resource]
        elif base_of(kind) is None:
            stored = "get" in kind.verbs
            reasons[kind.resource] = "has no base object" if stored else "is answered, but never stored"
        else:
            others = sorted({each.name for each in kind.subresources} - {*SUBRESOURCES})
            reasons |= {
                f"{kind.resource}/{name}": "stories use only the subresources status and scale"
                for name in others
            }
    return reasons


def driven_kinds(kinds: list[Kind]) -> list[Kind]:
    """Returns the kinds to test: kinds with a base object, without the omitted kinds."""
    return [kind for kind in kinds if kind.resource not in LEFT_OUT and base_of(kind) is not None]
