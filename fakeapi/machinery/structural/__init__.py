"""Structural schemas: the OpenAPI v3 schemas of CustomResourceDefinitions, and their effect on objects.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema` and `pkg/apiserver/validation`, and
k8s.io/kube-openapi `pkg/validation`. `rules.SchemaRules` has the differences between releases.
`schema.parse_schema` parses a schema; the other modules use the result:

- `pruning`, `nulls`, `defaulting`, `object_meta`: change a new object, in upstream's order
- `validation`, `list_types`, `object_meta`: validate an object
- `apply_types`: creates the type for server-side apply
- `definition_validation`: validates a schema itself
- `openapi`: publishes the schema of a kind
"""
