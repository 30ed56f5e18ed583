"""The scheduler: puts pods on nodes and allocates their claims, as kube-scheduler's default profile does."""
