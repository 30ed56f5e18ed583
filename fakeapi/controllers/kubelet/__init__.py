"""The kubelet of a node: calls DRA drivers, runs containers in container runtimes, and reports pod
statuses.
"""
