"""Assembles the API server of one cluster from the packages registry, kinds, admission and authorization.

Follows k8s.io/kubernetes `pkg/controlplane`.
"""
