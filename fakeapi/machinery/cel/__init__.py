"""Compiles CEL expressions as Kubernetes does: parses, checks types and estimates the cost.

Other packages call the functions of `compiler`. cel-expr-python, loaded with the first expression, provides
the grammar and the macros. Types, functions, literals and costs follow cel-go and k8s.io/apiserver `pkg/cel`,
because cel-expr-python cannot represent Kubernetes' declarations.
"""
