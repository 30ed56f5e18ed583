"""Validates CustomResourceDefinitions.

Follows k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`.
"""
