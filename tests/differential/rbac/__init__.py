"""Compares how `--authorization rbac` and kube-apiserver authorize generated requests."""
