"""The kubelet of a node: calls DRA drivers and reports pod statuses, but runs no containers."""
