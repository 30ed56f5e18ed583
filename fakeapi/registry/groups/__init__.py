"""The kinds that differ from the generic one: a folder a group, a module a kind.

A group's folder is its name with underscores for dots and dashes, `core` for the group without a name; its
package lists the definitions of its kinds as KINDS.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from fakeapi.registry.definition import KindDefinition
from fakeapi.registry.groups.generic import generic_definition
from fakeapi.releases import Kind


def definition_of(kind: Kind) -> KindDefinition:
    """The definition of a kind from its group's folder, or the generic one."""
    for definition in _definitions(kind.group):
        if definition.covers(kind):
            return definition
    return generic_definition(kind)


@cache
def _definitions(group: str) -> Sequence[KindDefinition]:
    name = f"{__name__}.{group.replace('.', '_').replace('-', '_') or 'core'}"
    found = find_spec(name)
    if found is None or found.submodule_search_locations is None:
        return ()
    kinds: Sequence[KindDefinition] = import_module(name).KINDS
    return kinds
