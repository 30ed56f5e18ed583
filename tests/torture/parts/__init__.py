"""The parts of `make torture`, one module for each part.

A part has a docstring, whose first line describes it, and a function `run`. `run` takes a `Budget` and
returns figures, a dict from names to numbers. It works until the time of the budget is over. It raises
`Finding` with the facts that a reader needs to repeat it, and `Unavailable` if the machine lacks something.
"""
