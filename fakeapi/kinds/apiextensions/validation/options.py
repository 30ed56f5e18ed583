"""Options of validation: a new definition must be valid, an update may keep some old faults."""

from dataclasses import dataclass, field

from fakeapi.kinds.apiextensions.internal_form import InternalSpec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.definition_validation import Strictness


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Strictness of validation; the default values are for a new definition.

    `unchanged` names the versions with an unchanged schema. `old` and `old_spec` are None for a new
    definition.
    """

    strictness: Strictness = field(default_factory=Strictness)
    requires_schemas: bool = True
    requires_known_review: bool = True
    unchanged: frozenset[str] = frozenset()
    old: Object | None = None
    old_spec: InternalSpec | None = None
