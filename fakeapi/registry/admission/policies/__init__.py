"""What admission policies share: which writes they are about, their parameters, their expressions.

Follows k8s.io/apiserver `pkg/admission/plugin/policy`.
"""
