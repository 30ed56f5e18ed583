"""The kubelet of a node: calls DRA drivers and reports pod statuses, but does not run containers."""
