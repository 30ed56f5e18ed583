"""The parts of `make torture`, a module each.

A part has a docstring, whose first line says what it does, and a function `run` from a `Budget` to figures, a
dict from names to numbers. It works until the budget is used up, raises `Finding` with what a reader needs to
repeat it, and `Unavailable` if the machine lacks what it needs.
"""
