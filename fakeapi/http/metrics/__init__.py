"""The path /metrics: counts requests, and writes the counts in the text format of Prometheus.

Follows k8s.io/apiserver `pkg/endpoints/metrics`. Names, labels and buckets equal kube-apiserver's.
"""
