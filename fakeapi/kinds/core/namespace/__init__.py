"""core/v1 Namespace."""
