"""Structural schemas: the OpenAPI v3 schemas of CustomResourceDefinitions, and their effect on objects.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema` and `pkg/apiserver/validation`, and
k8s.io/kube-openapi `pkg/validation`. Pure functions over plain dicts; `rules.SchemaRules` holds the
differences between releases. `schema.parse_schema` reads a schema once; the other modules walk it:

- `pruning`, `nulls`, `defaulting`, `object_meta`: change a new object as the server does, in upstream's order
- `validation`, `list_types`, `object_meta`: validate an object
- `apply_types`: makes the type that server-side apply follows
- `definition_validation`: validates a schema itself
- `openapi`: publishes the schema of a kind
"""
