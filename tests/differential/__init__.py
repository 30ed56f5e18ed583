"""Tools that send the same requests to this server and to Kubernetes' own, and print the differences."""
