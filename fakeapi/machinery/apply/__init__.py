"""Field ownership: who set which field, and what an apply may change.

Follows sigs.k8s.io/structured-merge-diff and k8s.io/apimachinery `pkg/util/managedfields`. The way in is
`fakeapi.machinery.apply.manager.FieldManager`.
"""
