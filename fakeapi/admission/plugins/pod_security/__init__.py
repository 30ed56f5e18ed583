"""PodSecurity: restricts the privileges of pods, with the levels in the labels of their namespace.

Follows k8s.io/pod-security-admission of each release.
"""
