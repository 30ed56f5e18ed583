"""Shared parts of admission policies: matching, parameters and expressions.

Follows k8s.io/apiserver `pkg/admission/plugin/policy`.
"""
