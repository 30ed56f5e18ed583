"""Authorizers: RBAC, node authorization, and impersonation."""
