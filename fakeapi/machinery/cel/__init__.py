"""Compiles CEL expressions as Kubernetes does: parses, checks types and estimates the cost.

`Compiler` (in `compiler`) is the entry. The grammar and the macros are those of cel-expr-python, which is
loaded with the first expression; types, functions, literals and costs follow cel-go and k8s.io/apiserver
`pkg/cel`, since Kubernetes declares things that the library cannot be told.
"""
