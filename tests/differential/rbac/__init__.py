"""Generated requests of many users: who is refused by `--authorization rbac`, and who by kube-apiserver."""
