"""The kinds that differ from the generic one: a folder a group, a module a kind.

A group's folder is the first label of its name: `resource` for resource.k8s.io, `core` for the group without
a name. Its package lists the definitions of its kinds as KINDS. The core group maps its resources to the
names of their definitions, which are imported one by one, because a server may need few of them.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from fakeapi.kinds.generic import generic_definition
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.releases import Kind


def definition_of(kind: Kind) -> KindDefinition:
    """The definition of a kind from its group's folder, or the generic one."""
    for definition in _definitions(kind.group, kind.resource):
        if definition.covers(kind):
            return definition
    return generic_definition(kind)


_NAMED_OTHERWISE = {"": "core", "internal.apiserver.k8s.io": "apiserverinternal"}


def _folder(group: str) -> str:
    """The name of a group's folder; empty for groups that are not Kubernetes' own."""
    if group in _NAMED_OTHERWISE:
        return _NAMED_OTHERWISE[group]
    label, _, domain = group.partition(".")
    return label if not domain or domain.endswith("k8s.io") else ""


@cache
def _definitions(group: str, resource: str) -> Sequence[KindDefinition]:
    """The definitions of a group that can be the resource's."""
    folder = _folder(group)
    name = f"{__name__}.{folder}"
    spec = find_spec(name) if folder else None
    if spec is None or spec.submodule_search_locations is None:
        return ()
    kinds: Sequence[KindDefinition] | Mapping[str, str] = getattr(import_module(name), "KINDS", ())
    if not isinstance(kinds, Mapping):
        return kinds
    if resource not in kinds:
        return ()
    module, _, attribute = kinds[resource].rpartition(".")
    definition: KindDefinition = getattr(import_module(f"{name}.{module}"), attribute)
    return (definition,)
