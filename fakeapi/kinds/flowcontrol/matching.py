"""Decides whether a FlowSchema applies to a request.

Follows k8s.io/apiserver `pkg/util/flowcontrol/rule.go`.
"""

from collections.abc import Sequence
from typing import Any

from fakeapi.kinds.flowcontrol.policy_rules import ALL
from fakeapi.machinery.json_types import Object
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.identity.users import User

_ACCOUNTS = "system:serviceaccount:"


def precedes(schema: Object) -> tuple[int, str]:
    """Returns the sort key of a FlowSchema: the first FlowSchema that applies to a request classifies it."""
    return schema["spec"]["matchingPrecedence"], schema["metadata"]["name"]


def applies(schema: Object, request: AccessAttributes) -> bool:
    """Whether a rule of the FlowSchema has the user of the request, and its resource or path."""
    return any(_rule_applies(rule, request) for rule in schema["spec"].get("rules") or ())


def _rule_applies(rule: dict[str, Any], request: AccessAttributes) -> bool:
    if not any(_is_subject(subject, request.user) for subject in rule.get("subjects") or ()):
        return False
    if request.is_resource:
        return any(_has_resource(each, request) for each in rule.get("resourceRules") or ())
    return any(_has_path(each, request) for each in rule.get("nonResourceRules") or ())


def _is_subject(subject: dict[str, Any], user: User) -> bool:
    match subject:
        case {"kind": "User", "user": {"name": name}}:
            return name in (ALL, user.name)
        case {"kind": "Group", "group": {"name": name}}:
            return name == ALL or name in user.groups
        case {"kind": "ServiceAccount", "serviceAccount": {"namespace": namespace, "name": name}}:
            prefix = f"{_ACCOUNTS}{namespace}:"
            return user.name.startswith(prefix) if name == ALL else user.name == f"{prefix}{name}"
    return False


def _has_resource(rule: dict[str, Any], request: AccessAttributes) -> bool:
    if not (
        _contains(rule.get("verbs"), request.verb)
        and _contains(rule.get("resources"), request.combined_resource)
        and _contains(rule.get("apiGroups"), request.group)
    ):
        return False
    if not request.namespace:
        return bool(rule.get("clusterScope"))
    return _contains(rule.get("namespaces"), request.namespace)


def _has_path(rule: dict[str, Any], request: AccessAttributes) -> bool:
    return _contains(rule.get("verbs"), request.verb) and any(
        path in (ALL, request.path) or request.path.startswith(f"{path.removesuffix('*').removesuffix('/')}/")
        for path in rule.get("nonResourceURLs") or ()
    )


def _contains(names: Sequence[str] | None, name: str) -> bool:
    """Whether a list has a name, or only the name `*`."""
    return names is not None and (name in names or list(names) == [ALL])
