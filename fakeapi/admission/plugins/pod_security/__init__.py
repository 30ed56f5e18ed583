"""PodSecurity: restricts the privileges of pods, as the labels of their namespace say.

Follows k8s.io/pod-security-admission of each release.
"""
