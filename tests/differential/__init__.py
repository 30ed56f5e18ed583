"""Tools that ask this server and Kubernetes' own the same, and print what they answer differently."""
