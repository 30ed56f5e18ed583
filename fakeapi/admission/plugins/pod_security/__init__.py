"""PodSecurity: the labels of a namespace determine how privileged its pods may be.

Follows k8s.io/pod-security-admission of each release.
"""
