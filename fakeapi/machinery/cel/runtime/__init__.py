"""Evaluates type-checked CEL expressions, with cel-go's errors and the runtime cost that Kubernetes counts.

This package interprets `checker.Checked`, because no Python library implements everything that Kubernetes
needs. cel-expr-python lacks Kubernetes' functions and values with an OpenAPI schema, and does not accept
functions written in Python. cel-python and the Python bindings of the Rust interpreter lack optionals,
two-variable comprehensions and the type checker. None of these libraries counts the cost that limits
expressions, or has cel-go's errors. Regular expressions are RE2 patterns, evaluated by cel-expr-python.

- `values`: the values of expressions, their equality and order
- `plan`: turns an expression into a `program.Program`: closures that count cost as they run
- `planned`: closures for constants and variables
- `attributes`: closures for selections
- `calls`: closures for calls
- `loops`: closures for comprehensions
- `aggregates`: constructors of lists and maps
- `functions/`: implementations of calls, by overload
- `matching`: whether arguments fit an overload
- `cost`: the cost of calls

Follows cel-go `interpreter` and `common/types`.
"""
