"""Contains the parts of `make torture`, one module for each part.

The first line of a module's docstring describes the part. Its function `run` takes a `Budget` and works until
the time of the budget is over. It returns a dict of named counts. It raises `Finding` with the facts that a
reader needs to repeat the failure, and `Unavailable` if the machine lacks a required program.
"""
