"""Validators and table cells that kinds of several API groups share."""
