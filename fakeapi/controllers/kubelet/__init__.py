"""The kubelet of a node: calls DRA drivers and reports the status of pods. It runs no containers."""
