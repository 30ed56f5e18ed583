"""Validators that kinds of several API groups share, in one module for each thing that they validate."""
