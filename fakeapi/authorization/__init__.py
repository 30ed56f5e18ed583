"""Authorizers: RBAC and the permissions of kubelets. Also impersonation of users."""
