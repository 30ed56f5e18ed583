"""Structural schemas: the OpenAPI v3 schemas of CustomResourceDefinitions, and what they mean for objects.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema` and `pkg/apiserver/validation`, and
k8s.io/kube-openapi `pkg/validation`. Pure functions over plain dicts; what differs between releases comes in
as `rules.SchemaRules`. `schema.parse_schema` reads a schema once; the other modules walk it:

- `pruning`, `nulls`, `defaulting`, `object_meta`: what a server makes of a new object, in upstream's order
- `validation`, `list_types`, `object_meta`: what it refuses
- `apply_types`: the type that server-side apply follows
- `definition_validation`: what is wrong with a schema itself
- `openapi`: how a kind's schema is published
"""
