"""The documents about the server itself: health, version, what is served, and OpenAPI."""
