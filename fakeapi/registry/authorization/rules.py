"""Evaluates RBAC rules: whether a rule allows a request, and whether rules cover other rules.

Follows k8s.io/kubernetes `pkg/apis/rbac/v1/evaluation_helpers.go`, k8s.io/component-helpers
`auth/rbac/validation` and `pkg/registry/rbac/validation`. Rules are PolicyRules as JSON.
"""

from collections.abc import Iterable, Iterator, Sequence

from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.authorization.attributes import AccessAttributes

ALL = "*"
_MEMBERS = (
    ("apiGroups", "APIGroups"),
    ("resources", "Resources"),
    ("nonResourceURLs", "NonResourceURLs"),
    ("resourceNames", "ResourceNames"),
    ("verbs", "Verbs"),
)


def rule_allows(rule: Object, wanted: AccessAttributes) -> bool:
    """Whether a PolicyRule allows the request `wanted`."""
    verbs = rule.get("verbs") or ()
    if ALL not in verbs and wanted.verb not in verbs:
        return False
    if not wanted.is_resource:
        return any(_covers_path(url, wanted.path, every=ALL) for url in rule.get("nonResourceURLs") or ())
    groups, names = rule.get("apiGroups") or (), rule.get("resourceNames")
    if ALL not in groups and wanted.group not in groups:
        return False
    resources = rule.get("resources") or ()
    if not any(_allows_resource(resource, wanted) for resource in resources):
        return False
    return not names or wanted.name in names


def _allows_resource(resource: str, wanted: AccessAttributes) -> bool:
    if resource in (ALL, wanted.combined_resource):
        return True
    return bool(wanted.subresource) and resource == f"*/{wanted.subresource}"


def _covers_path(pattern: str, path: str, every: str = "") -> bool:
    if pattern in (path, every):
        return True
    return pattern.endswith("*") and path.startswith(pattern.rstrip("*"))


def uncovered(owned: Sequence[Object], wanted: Iterable[Object]) -> list[Object]:
    """Returns the parts of the `wanted` PolicyRules that no `owned` PolicyRule covers.

    Each part is a PolicyRule with one verb, and with one resource or URL path.
    """
    return [
        part
        for rule in wanted
        for part in _parts(rule)
        if not any(_rule_covers(owner, part) for owner in owned)
    ]


def _parts(rule: Object) -> Iterator[Object]:
    for group in rule.get("apiGroups") or ():
        for resource in rule.get("resources") or ():
            for verb in rule.get("verbs") or ():
                part = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
                names = rule.get("resourceNames") or ()
                if not names:
                    yield part
                for name in names:
                    yield {**part, "resourceNames": [name]}
    for path in rule.get("nonResourceURLs") or ():
        for verb in rule.get("verbs") or ():
            yield {"nonResourceURLs": [path], "verbs": [verb]}


def _rule_covers(owner: Object, part: Object) -> bool:
    names = owner.get("resourceNames") or ()
    wanted_names = part.get("resourceNames") or ()
    return (
        _holds(owner.get("verbs"), part["verbs"])
        and _holds(owner.get("apiGroups"), part.get("apiGroups", ()))
        and all(
            _holds_resource(owner.get("resources") or (), resource) for resource in part.get("resources", ())
        )
        and (not names or (bool(wanted_names) and set(wanted_names) <= set(names)))
        and all(
            any(_covers_path(url, path) for url in owner.get("nonResourceURLs") or ())
            for path in part.get("nonResourceURLs", ())
        )
    )


def _holds(owned: Sequence[str] | None, wanted: Iterable[str]) -> bool:
    values = owned or ()
    return ALL in values or set(wanted) <= set(values)


def _holds_resource(owned: Sequence[str], resource: str) -> bool:
    if ALL in owned or resource in owned:
        return True
    _, slash, subresource = resource.partition("/")
    return bool(slash) and f"*/{subresource}" in owned


def compact_texts(parts: Iterable[Object]) -> list[str]:
    """Formats PolicyRules for an error message; returns the texts sorted, without duplicates.

    Each rule in `parts` has one resource or URL path. Rules for resources share one text if they differ only
    in their verbs.
    """
    together: dict[tuple[str, ...], Object] = {}
    texts: set[str] = set()
    for part in parts:
        if "nonResourceURLs" in part:
            texts.add(_text(part))
            continue
        key = (part["apiGroups"][0], part["resources"][0], *part.get("resourceNames", ()))
        if key in together:
            together[key]["verbs"] = [*together[key]["verbs"], *part["verbs"]]
        else:
            together[key] = dict(part)
    return sorted(texts | {_text(rule) for rule in together.values()})


def _text(rule: Object) -> str:
    members = (f"{label}:{quoted_list(rule[name])}" for name, label in _MEMBERS if rule.get(name))
    return "{" + ", ".join(members) + "}"


def quoted_list(values: Iterable[str]) -> str:
    """Formats a list of strings as Go's %q prints a slice, for example `["get" "list"]`."""
    return "[" + " ".join(map(quote, values)) + "]"
