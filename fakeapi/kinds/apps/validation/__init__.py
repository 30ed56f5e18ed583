"""Validates label selectors, rolling updates and StatefulSets of the group apps.

Follows k8s.io/kubernetes `pkg/apis/apps/validation`.
"""
