"""Custom resources: the kinds that CustomResourceDefinitions add while a server runs.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver` (customresource_handler.go),
`pkg/registry/customresource` and `pkg/controller`. A definition becomes a `Resource` for each of its served
versions, as long as it is established:

- `specification`: a stored definition, read once
- `conditions`: what upstream's controllers say of a definition in its status
- `definitions`: follows every write of a definition: status, catalogue, finalizer
- `kind`, `resource`, `reading`, `conversion`, `strategies`, `columns`, `scale`: how its objects are served
"""
