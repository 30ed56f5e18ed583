"""The server parses the schema of a CustomResourceDefinition once, for validation and for serving."""

from copy import deepcopy

from fakeapi.kinds.apiextensions.internal_form import internal_spec
from fakeapi.machinery.structural.parsed_schemas import SCHEMAS

PROPS = {"type": "object", "title": "parsed once"}
SPEC = {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": PROPS}}]}


def test_each_validation_of_a_definition_uses_the_schema_that_is_parsed_already() -> None:
    (schema,) = internal_spec(SPEC).schemas
    assert internal_spec(deepcopy(SPEC)).schemas[0] is schema
    assert SCHEMAS.parse(PROPS) is schema
