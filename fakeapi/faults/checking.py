"""Checks that the rule of a fault can match a served resource, to detect misspelled names."""

from difflib import get_close_matches

from fakeapi.faults.rules import Rule, RuleError
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

_ON_OBJECTS = {"get", "create", "update", "patch", "delete"}


def check_served(rule: Rule, catalogue: Catalogue) -> None:
    """Raises RuleError if a rule names a group, resource, subresource or verb that the server does not serve.

    Also raises RuleError for `labels` or `body` with verbs that do not concern one object, such as list.
    """
    pattern = rule.match.pattern()
    name, subresource = pattern.resource_parts
    resources = [resource for resource in catalogue.resources if pattern.group in (None, resource.kind.group)]
    if pattern.group is not None and not resources:
        raise RuleError(f"no group {pattern.group!r} is served")
    if name and name != "*":
        resources = _named(name, pattern.group, resources)
    if subresource and subresource != "*":
        resources = [resource for resource in resources if subresource in resource.subresources]
        if not resources:
            raise RuleError(f"no resource {name!r} with a subresource {subresource!r} is served")
    if name and not any(_serves(resource, subresource, pattern.verbs) for resource in resources):
        raise RuleError(f"{pattern.resource} is not served with {', '.join(pattern.verbs)}")
    if (rule.match.labels or rule.match.body) and pattern.verbs and not _ON_OBJECTS & set(pattern.verbs):
        raise RuleError(f"labels and body select requests for one object, not {', '.join(pattern.verbs)}")


def _named(name: str, group: str | None, resources: list[Resource]) -> list[Resource]:
    named = [resource for resource in resources if resource.kind.resource == name]
    if not named:
        near = get_close_matches(name, {resource.kind.resource for resource in resources}, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise RuleError(f"no resource {name!r} is served{f' in {group}' if group else ''}{hint}")
    return named


def _serves(resource: Resource, subresource: str, verbs: tuple[str, ...]) -> bool:
    if not verbs:
        return True
    if not subresource:
        return bool(set(verbs) & set(resource.kind.verbs))
    every = resource.subresources
    chosen = every.values() if subresource == "*" else [every[subresource]]
    return any(set(verbs) & set(served.verbs) for served in chosen)
