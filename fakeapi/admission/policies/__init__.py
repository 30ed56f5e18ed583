"""The shared parts of admission policies: matching, parameters, expressions.

Follows k8s.io/apiserver `pkg/admission/plugin/policy`.
"""
