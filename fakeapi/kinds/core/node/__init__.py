"""core/v1 Node."""
