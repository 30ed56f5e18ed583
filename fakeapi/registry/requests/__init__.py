"""What a request says: body, options, names, selectors and resource versions."""
