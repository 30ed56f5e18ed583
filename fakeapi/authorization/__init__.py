"""Authorizers: RBAC and nodes, and who may impersonate whom."""
