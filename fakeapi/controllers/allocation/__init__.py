"""Allocates devices to claims by structured parameters, for one node at a time.

Follows k8s.io/dynamic-resource-allocation `structured` of each release. Objects are in the layout of
resource.k8s.io/v1. This package never sends requests to the API server.
"""
