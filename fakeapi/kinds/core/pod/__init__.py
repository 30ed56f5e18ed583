"""The kind core/v1 Pod."""
