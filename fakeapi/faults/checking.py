"""Checks that something served can match a rule, so that a fault with a slip of the pen is not silent."""

from difflib import get_close_matches

from fakeapi.faults.rules import Rule, RuleError
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource

_ON_OBJECTS = {"get", "create", "update", "patch", "delete"}


def check_served(rule: Rule, catalogue: Catalogue) -> None:
    """Raises RuleError for a resource, a subresource or a verb that is not served."""
    pattern = rule.match.pattern()
    name, subresource = pattern.resource_parts
    found = [each for each in catalogue.resources if pattern.group in (None, each.kind.group)]
    if pattern.group is not None and not found:
        raise RuleError(f"no group {pattern.group!r} is served")
    if name and name != "*":
        found = _named(name, pattern.group, found)
    if subresource and subresource != "*":
        found = [each for each in found if subresource in each.subresources]
        if not found:
            raise RuleError(f"no resource {name!r} with a subresource {subresource!r} is served")
    if name and not any(_serves(each, subresource, pattern.verbs) for each in found):
        raise RuleError(f"{pattern.resource} is not served with {', '.join(pattern.verbs)}")
    if (rule.match.labels or rule.match.body) and pattern.verbs and not _ON_OBJECTS & set(pattern.verbs):
        raise RuleError(f"labels and body choose requests of one object, not {', '.join(pattern.verbs)}")


def _named(name: str, group: str | None, resources: list[Resource]) -> list[Resource]:
    found = [each for each in resources if each.kind.resource == name]
    if not found:
        near = get_close_matches(name, {each.kind.resource for each in resources}, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise RuleError(f"no resource {name!r} is served{f' in {group}' if group else ''}{hint}")
    return found


def _serves(resource: Resource, subresource: str, verbs: tuple[str, ...]) -> bool:
    if not verbs:
        return True
    if not subresource:
        return bool(set(verbs) & set(resource.kind.verbs))
    every = resource.subresources
    chosen = every.values() if subresource == "*" else [every[subresource]]
    return any(set(verbs) & set(each.verbs) for each in chosen)
