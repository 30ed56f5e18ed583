"""Builds the API server of one cluster from registry, kinds, admission and authorization.

Follows k8s.io/kubernetes `pkg/controlplane`.
"""
