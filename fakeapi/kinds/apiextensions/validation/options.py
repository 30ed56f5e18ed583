"""Options for validating CustomResourceDefinitions. Updates may keep some invalid stored values."""

import msgspec

from fakeapi.kinds.apiextensions.internal_form import InternalSpec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.definition_validation import Strictness


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Options for validating a CustomResourceDefinition. The default values are for a create.

    - `strictness`: how strictly the schemas are checked
    - `requires_schemas`: whether every version must have a schema
    - `requires_known_review`: whether `conversionReviewVersions` must contain v1 or v1beta1
    - `unchanged`: names of the versions whose schema the update does not change
    - `old`: the stored definition; None on create
    - `old_spec`: the internal form of the stored spec; None on create
    """

    strictness: Strictness = msgspec.field(default_factory=Strictness)
    requires_schemas: bool = True
    requires_known_review: bool = True
    unchanged: frozenset[str] = frozenset()
    old: Object | None = None
    old_spec: InternalSpec | None = None
