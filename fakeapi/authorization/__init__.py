"""Authorizers: RBAC, and the permissions of kubelets. Also the impersonation of users."""
