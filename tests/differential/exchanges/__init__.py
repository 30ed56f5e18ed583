"""Compares fakeapi with a real kube-apiserver: both get the same random requests for all built-in kinds."""
