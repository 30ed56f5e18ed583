"""The scheduler: allocates claims and binds pods to nodes, like kube-scheduler's default profile."""
