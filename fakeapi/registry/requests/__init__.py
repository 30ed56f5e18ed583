"""Parses and checks the parts of a request: body, options, names, selectors and resource versions."""
