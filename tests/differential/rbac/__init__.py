"""Compares `--authorization rbac` with kube-apiserver's authorization of generated requests."""
