"""Code that ValidatingAdmissionPolicies and MutatingAdmissionPolicies share: matching, parameters, CEL.

Follows k8s.io/apiserver `pkg/admission/plugin/policy`.
"""
