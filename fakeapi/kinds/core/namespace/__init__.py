"""The kind core/v1 Namespace."""
