"""Assembles registry, kinds, admission and authorization into the API server of one cluster.

Follows k8s.io/kubernetes `pkg/controlplane`.
"""
