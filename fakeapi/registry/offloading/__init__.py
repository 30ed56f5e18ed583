"""Runs long steps of a request in a thread; repeats steps that need a webhook's answer or a compilation."""
