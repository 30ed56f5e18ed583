"""Validators that kinds of several groups share, a noun a module."""
