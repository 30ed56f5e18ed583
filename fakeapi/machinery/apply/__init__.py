"""Server-side apply and field ownership: which manager set which field.

Follows sigs.k8s.io/structured-merge-diff and k8s.io/apimachinery `pkg/util/managedfields`. Other packages use
`fakeapi.machinery.apply.manager.FieldManager`.
"""
