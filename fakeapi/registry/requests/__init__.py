"""Parts of a request: body, options, names, selectors and resource versions."""
