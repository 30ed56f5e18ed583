"""Compares the authorization of generated requests by `--authorization rbac` and by kube-apiserver."""
