"""Checks that a pattern can match a request for a served resource, to detect misspelled names."""

from collections.abc import Iterable

from fakeapi.journal.pattern import PatternError, RequestPattern
from fakeapi.machinery.suggestions import did_you_mean, nearest
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.releases.resource_releases import releases_with


class OtherReleaseError(PatternError):
    """Raised for a pattern with a resource that only other releases have."""


def check_pattern(pattern: RequestPattern, catalogue: Catalogue) -> None:
    """Raises PatternError if a pattern names a group, resource or subresource that is not served.

    Also raises PatternError if the named resource is served without the verbs of the pattern.

    The message suggests the name that was probably meant, or names the releases that have the resource. For a
    resource of another release, the error is an OtherReleaseError.
    """
    name, subresource = pattern.resource_parts
    resources = [resource for resource in catalogue.resources if pattern.group in (None, resource.kind.group)]
    if pattern.group is not None and not resources:
        groups = {resource.kind.group for resource in catalogue.resources}
        raise PatternError(f"no group {pattern.group!r} is served{did_you_mean(pattern.group, groups)}")
    if name and name != "*":
        resources = _named(name, pattern.group, resources)
    if subresource and subresource != "*":
        known = {each for resource in resources for each in resource.subresources}
        resources = [resource for resource in resources if subresource in resource.subresources]
        if not resources:
            hint = did_you_mean(subresource, known)
            raise PatternError(f"no resource {name!r} with a subresource {subresource!r} is served{hint}")
    if name and not any(_serves(resource, subresource, pattern.verbs) for resource in resources):
        raise PatternError(f"{pattern.resource} is not served with {', '.join(pattern.verbs)}")


def _named(name: str, group: str | None, resources: list[Resource]) -> list[Resource]:
    named = [resource for resource in resources if resource.kind.resource == name]
    if not named:
        where = f" in {group}" if group else ""
        if releases := releases_with(name, group):
            raise OtherReleaseError(f"no resource {name!r} is served{where}; {_serving(releases)}")
        near = _meant(name, resources)
        hint = f"; did you mean {near}?" if near else ""
        raise PatternError(f"no resource {name!r} is served{where}{hint}")
    return named


def _serving(releases: list[str]) -> str:
    """Returns a text such as "Kubernetes 1.27 to 1.31 have it"."""
    first, last = releases[0], releases[-1]
    return f"Kubernetes {first} has it" if first == last else f"Kubernetes {first} to {last} have it"


def _meant(name: str, resources: Iterable[Resource]) -> str:
    """Returns the plural name for a kind, a singular or a short name, or the most similar plural name.

    Returns "" if no name is similar.
    """
    others: dict[str, str] = {}
    for resource in resources:
        kind = resource.kind
        for other in (kind.kind.lower(), kind.singular, *kind.short_names):
            others.setdefault(other, kind.resource)
    return others.get(name.lower()) or nearest(name, set(others.values()))


def _serves(resource: Resource, subresource: str, verbs: tuple[str, ...]) -> bool:
    if not verbs:
        return True
    if not subresource:
        return bool(set(verbs) & set(resource.kind.verbs))
    every = resource.subresources
    chosen = every.values() if subresource == "*" else [every[subresource]]
    return any(set(verbs) & set(served.verbs) for served in chosen)
