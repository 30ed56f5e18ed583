"""NodeRestriction: limits the writes of each kubelet to its own cluster node and pods."""
