"""The path /metrics: counts requests, and writes the counts in the text format of Prometheus.

Follows k8s.io/apiserver `pkg/endpoints/metrics`: the names, the labels and the buckets are those of
kube-apiserver.
"""
