"""PodSecurity: limits the privileges of pods by the labels of their namespace.

Follows k8s.io/pod-security-admission of each release.
"""
