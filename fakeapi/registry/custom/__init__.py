"""Custom resources: the kinds that CustomResourceDefinitions add while a server runs.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver` (customresource_handler.go),
`pkg/registry/customresource` and `pkg/controller`. While a definition is established, each of its served
versions is a `Resource`. The modules:

- `specification`: a parsed definition
- `conditions`: the status that upstream's controllers set on a definition
- `definitions`: updates status, catalogue and finalizer after each write of a definition
- `kind`, `resource`, `reading`, `conversion`, `strategies`, `columns`, `scale`: serve the objects of a
definition
"""
