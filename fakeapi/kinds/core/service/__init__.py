"""The kind core/v1 Service, and the allocation of cluster IPs and node ports."""
