"""The kind core/v1 Node."""
