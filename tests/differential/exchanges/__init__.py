"""Compares fakeapi with a real kube-apiserver. Both get the same random requests for all built-in kinds."""
