"""Runs long steps of a request in a thread. Repeats steps that need a webhook or a compilation."""
