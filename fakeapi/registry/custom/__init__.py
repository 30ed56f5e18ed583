"""Custom resources: the kinds that CustomResourceDefinitions add while a server runs.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver` (customresource_handler.go),
`pkg/registry/customresource` and `pkg/controller`. While a CRD is established, each of its served versions is
a `Resource`. The modules:

- `specification`: parses a CRD.
- `conditions`: computes the status that upstream's controllers set on a CRD.
- `definitions`: updates status, catalogue and finalizer after each write of a CRD.
- `kind`, `resource`, `reading`, `conversion`, `strategies`, `columns`, `scale`: serve the objects of a CRD.
"""
