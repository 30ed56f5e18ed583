"""NodeRestriction: limits the writes of kubelets."""
