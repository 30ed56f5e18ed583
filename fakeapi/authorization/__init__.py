"""RBAC, node authorization, and impersonation."""
