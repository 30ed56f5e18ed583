"""Validates parts that several kinds of apps share.

Follows k8s.io/kubernetes `pkg/apis/apps/validation`.
"""
