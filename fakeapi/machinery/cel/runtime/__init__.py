"""Evaluates checked CEL expressions, with the errors of cel-go and the runtime cost that Kubernetes counts.

An interpreter of its own over `checker.Checked`, because no library for Python does what Kubernetes relies
on: cel-expr-python knows neither Kubernetes' functions nor values that are typed by a schema, and takes no
functions written in Python; cel-python and the bindings of Rust's interpreter lack optionals, two-variable
comprehensions and the types' checker too; none of them counts cost, which decides what is refused, or words
its errors as cel-go does. Regular expressions are RE2's, of cel-expr-python.

- `values`: what expressions are about, equality and order
- `plan`: an expression → a `program.Program`, closures that count cost as they go
- `planned`, `attributes`, `calls`, `loops`, `aggregates`: closures of constants and variables, selections,
calls, comprehensions, and of lists and maps
- `functions/`: implementations of calls, by overload; `matching`: whether arguments fit an overload; `cost`:
what calls cost

Follows cel-go `interpreter` and `common/types`.
"""
