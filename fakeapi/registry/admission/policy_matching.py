"""Which writes the rules of a policy or a binding are about.

Follows k8s.io/apiserver `pkg/admission/plugin/policy/matching` and `pkg/admission/plugin/webhook/predicates`.
"""

from collections.abc import Mapping
from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.admission.objects import ClusterObjects
from fakeapi.registry.validation.label_matching import compiled

ALL = "*"
EQUIVALENT = "Equivalent"


def matches(matched: Mapping[str, Any] | None, attributes: Attributes, objects: ClusterObjects) -> bool:
    """Whether a write is one that the match resources are about; None is about every write."""
    if matched is None:
        return True
    if not _matches_labels(matched, attributes, objects):
        return False
    excluded, rules = matched.get("excludeResourceRules") or (), matched.get("resourceRules") or ()
    if any(_matches_rule(rule, matched, attributes, objects) for rule in excluded):
        return False
    return not rules or any(_matches_rule(rule, matched, attributes, objects) for rule in rules)


def _matches_labels(matched: Mapping[str, Any], attributes: Attributes, objects: ClusterObjects) -> bool:
    namespaces = compiled(matched.get("namespaceSelector") or {})
    if namespaces is not None and not namespaces.empty:
        labels = _namespace_labels(attributes, objects)
        if labels is not None and not namespaces.matches(labels):
            return False
    selector = compiled(matched.get("objectSelector") or {})
    if selector is None or selector.empty:
        return True
    shown = [each for each in (attributes.obj, attributes.old) if each is not None]
    return any(selector.matches(_labels(each)) for each in shown)


def _namespace_labels(attributes: Attributes, objects: ClusterObjects) -> Mapping[str, str] | None:
    """The labels of the namespace of a write, which is the object itself where it is one; None without."""
    kind = attributes.resource.kind
    if (kind.group, kind.resource) == ("", "namespaces"):
        return _labels(attributes.obj or attributes.old or {})
    return objects.namespace_labels(attributes.namespace) if kind.namespaced else None


def _labels(obj: Object) -> dict[str, str]:
    labels: dict[str, str] = obj.get("metadata", {}).get("labels") or {}
    return labels


def _matches_rule(
    rule: Mapping[str, Any], matched: Mapping[str, Any], attributes: Attributes, objects: ClusterObjects
) -> bool:
    kind = attributes.resource.kind
    names = rule.get("resourceNames") or ()
    if names and attributes.name not in names:
        return False
    if not {ALL, attributes.operation.value} & set(rule.get("operations") or ()):
        return False
    if not {ALL, kind.group} & set(rule.get("apiGroups") or ()):
        return False
    scope = rule.get("scope") or ALL
    if scope != ALL and (scope == "Namespaced") != kind.namespaced:
        return False
    return _matches_version(rule, matched, attributes, objects) and _matches_resource(rule, attributes)


def _matches_version(
    rule: Mapping[str, Any], matched: Mapping[str, Any], attributes: Attributes, objects: ClusterObjects
) -> bool:
    kind, versions = attributes.resource.kind, rule.get("apiVersions") or ()
    if ALL in versions or kind.version in versions:
        return True
    if (matched.get("matchPolicy") or EQUIVALENT) != EQUIVALENT:
        return False
    return any(objects.find(kind.group, version, kind.resource) is not None for version in versions)


def _matches_resource(rule: Mapping[str, Any], attributes: Attributes) -> bool:
    resource, subresource = attributes.resource.kind.resource, attributes.subresource
    for text in rule.get("resources") or ():
        wanted, slash, part = text.partition("/")
        if wanted in (ALL, resource) and (part in (ALL, subresource) if slash else not subresource):
            return True
    return False
