"""Evaluates checked CEL expressions, with the errors of cel-go and the runtime cost that Kubernetes counts.

This is an interpreter over `checker.Checked`, because no Python library has all that Kubernetes needs.
cel-expr-python has neither Kubernetes' functions nor values typed by a schema, and accepts no functions
written in Python. cel-python and the bindings of Rust's interpreter lack optionals, two-variable
comprehensions and the type checker. None of them counts cost, which limits expressions, or has the errors of
cel-go. Regular expressions are RE2's, from cel-expr-python.

- `values`: the values of expressions, their equality and order
- `plan`: turns an expression into a `program.Program`, closures that count cost as they run
- `planned`, `attributes`, `calls`, `loops`, `aggregates`: closures of constants and variables, selections,
calls, comprehensions, and of lists and maps
- `functions/`: implementations of calls, by overload; `matching`: whether arguments fit an overload; `cost`:
costs of calls

Follows cel-go `interpreter` and `common/types`.
"""
