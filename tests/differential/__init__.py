"""Tools that send the same requests to fakeapi and to Kubernetes' own servers, and print the differences."""
