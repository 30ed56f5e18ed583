"""A definition in the form that the server validates: what all versions have alike stands in the spec.

Follows `Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec` of
k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/v1`. It is why errors of a definition with one version
name `spec.validation`.
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
    """`shared` is what all versions have alike, without what is absent; `versions` have the rest. `version`
    is the name of the first one.
    """

    spec: Object
    version: str
    shared: Object
    versions: tuple[Object, ...]
    _parsed: dict[int, Schema] = field(default_factory=dict, repr=False)

    def schema_of(self, holder: Object) -> Schema | None:
        """The schema in `shared` or in a version. Raises SchemaTooDeep."""
        props = (holder.get("schema") or {}).get("openAPIV3Schema")
        if props is None:
            return None
        if id(props) not in self._parsed:
            self._parsed[id(props)] = SCHEMAS.parse(props)
        return self._parsed[id(props)]

    @property
    def schemas(self) -> list[Schema]:
        """All schemas, each once. Raises SchemaTooDeep."""
        found = (self.schema_of(each) for each in (self.shared, *self.versions))
        return [each for each in found if each is not None]

    def has(self, name: str) -> bool:
        """Whether any version has a part of its own."""
        return any(each.get(name) for each in self.versions)


def internal_spec(spec: Object) -> InternalSpec:
    """The internal form of a canonical spec, which it shares parts with."""
    versions: list[Object] = spec.get("versions") or []
    if not versions:
        return InternalSpec(spec, "", {}, ())
    first = versions[0]
    alike = [name for name in SHARED if all(_same(each.get(name), first.get(name)) for each in versions)]
    return InternalSpec(
        spec,
        first["name"],
        {name: first[name] for name in alike if first.get(name) is not None},
        tuple({name: value for name, value in each.items() if name not in alike} for each in versions),
    )


def _same(one: Any, other: Any) -> bool:
    return semantically_equal(one or None, other or None)
