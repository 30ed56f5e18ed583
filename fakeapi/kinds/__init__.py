"""The kinds that differ from the generic one: a folder a group, a module a kind.

A group's folder is its name with underscores for dots and dashes, `core` for the group without a name; its
package lists the definitions of its kinds as KINDS. A large group of which a server may need little, such as
the core group, maps its resources to the names of their definitions instead, which are imported one by one.
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


@cache
def _definitions(group: str, resource: str) -> Sequence[KindDefinition]:
    """The definitions of a group that can be the resource's."""
    name = f"{__name__}.{group.replace('.', '_').replace('-', '_') or 'core'}"
    found = find_spec(name)
    if found is None or found.submodule_search_locations is None:
        return ()
    kinds: Sequence[KindDefinition] | Mapping[str, str] = import_module(name).KINDS
    if not isinstance(kinds, Mapping):
        return kinds
    if resource not in kinds:
        return ()
    module, _, attribute = kinds[resource].rpartition(".")
    definition: KindDefinition = getattr(import_module(f"{name}.{module}"), attribute)
    return (definition,)
