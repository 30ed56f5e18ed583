"""PodSecurity: the labels of a namespace say how privileged its pods may be.

Follows k8s.io/pod-security-admission as each release has it.
"""
