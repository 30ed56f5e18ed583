"""CEL expressions as Kubernetes compiles them: parsed, checked against types, and weighed.

`Compiler` (in `compiler`) is the entry. The grammar and the macros are those of cel-expr-python, which is
loaded with the first expression; types, functions, literals and costs follow cel-go and k8s.io/apiserver
`pkg/cel`, since Kubernetes declares things that the library cannot be told.
"""
