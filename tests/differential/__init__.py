"""Tools that send the same requests to fakeapi and to Kubernetes, and compare the responses."""
