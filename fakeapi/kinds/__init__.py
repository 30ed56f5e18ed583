"""Definitions of Kubernetes' own kinds: a folder for each API group, a module for each kind.

The folder is named after the first label of the group: `resource` for resource.k8s.io. The core group has the
folder `core`. The package of a group lists its definitions in the tuple KINDS. In the core group, KINDS maps
resource names to the names of definitions, so that a server imports a definition only on first use. Kinds
without a module of their own get a generic definition.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from fakeapi.kinds.generic import generic_definition
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.releases import Kind


def definition_of(kind: Kind) -> KindDefinition:
    """Returns the definition of a kind from the folder of its API group, or a generic definition."""
    for definition in _definitions(kind.group, kind.resource):
        if definition.covers(kind):
            return definition
    return generic_definition(kind)


_NAMED_OTHERWISE = {"": "core", "internal.apiserver.k8s.io": "apiserverinternal"}


def _folder(group: str) -> str:
    """Returns the name of the folder for an API group; "" for groups that do not belong to Kubernetes."""
    if group in _NAMED_OTHERWISE:
        return _NAMED_OTHERWISE[group]
    label, _, domain = group.partition(".")
    return label if not domain or domain.endswith("k8s.io") else ""


@cache
def _definitions(group: str, resource: str) -> Sequence[KindDefinition]:
    """Returns the definitions that may cover a resource; none for a group without definitions."""
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
