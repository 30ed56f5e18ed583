"""Runs long parts of a request in a thread, and repeats parts after a webhook call or a compilation."""
