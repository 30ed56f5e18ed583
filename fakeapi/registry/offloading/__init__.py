"""Runs long parts of a request in a thread. Repeats parts that first need a webhook or a compilation."""
