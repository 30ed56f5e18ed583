"""Containers of pods: the interface through which the kubelet runs them, and its implementations."""
