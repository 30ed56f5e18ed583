"""Converts a CustomResourceDefinition to upstream's internal form.

In this form, `schema`, `subresources`, `additionalPrinterColumns` and `selectableFields` are fields of the
spec if they are equal in all versions.

Follows `Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec` of
k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/v1`. Upstream validates this form. For a
CustomResourceDefinition with one version, schema errors therefore have paths below `spec.validation`.
"""

from dataclasses import dataclass, field
from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.parsed_schemas import SCHEMAS
from fakeapi.machinery.structural.schema import Schema
from fakeapi.registry.model.semantic_equality import semantically_equal

SHARED = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")


@dataclass(frozen=True, slots=True)
class InternalSpec:
    """The spec of a CustomResourceDefinition in upstream's internal form.

    - `spec`: the spec in v1
    - `version`: the name of the first version
    - `shared`: the fields in SHARED that are set, and equal in all versions
    - `versions`: the versions without the fields that are equal in all versions
    """

    spec: Object
    version: str
    shared: Object
    versions: tuple[Object, ...]
    _parsed: dict[int, Schema] = field(default_factory=dict, repr=False)

    def schema_of(self, holder: Object) -> Schema | None:
        """Returns the parsed schema in `holder`; None if `holder` has no schema.

        `holder`: `shared`, or an item of `versions`. Raises SchemaTooDeep if the schema is nested too deeply.
        """
        props = (holder.get("schema") or {}).get("openAPIV3Schema")
        if props is None:
            return None
        if id(props) not in self._parsed:
            self._parsed[id(props)] = SCHEMAS.parse(props)
        return self._parsed[id(props)]

    @property
    def schemas(self) -> list[Schema]:
        """The parsed schemas of all versions. A schema that all versions share occurs once.

        Raises SchemaTooDeep if a schema is nested too deeply.
        """
        schemas = (self.schema_of(holder) for holder in (self.shared, *self.versions))
        return [schema for schema in schemas if schema is not None]

    def has(self, name: str) -> bool:
        """Whether any item of `versions` has a non-empty field `name`. Ignores the fields in `shared`."""
        return any(version.get(name) for version in self.versions)


def internal_spec(spec: Object) -> InternalSpec:
    """Converts a v1 spec to the internal form. The result shares lists and dicts with `spec`."""
    versions: list[Object] = spec.get("versions") or []
    if not versions:
        return InternalSpec(spec, "", {}, ())
    first = versions[0]
    alike = [
        name for name in SHARED if all(_same(version.get(name), first.get(name)) for version in versions)
    ]
    return InternalSpec(
        spec,
        first["name"],
        {name: first[name] for name in alike if first.get(name) is not None},
        tuple({name: value for name, value in version.items() if name not in alike} for version in versions),
    )


def _same(one: Any, other: Any) -> bool:
    return semantically_equal(one or None, other or None)
