"""The scheduler: binds pods to nodes and allocates their claims, like kube-scheduler's default profile."""
