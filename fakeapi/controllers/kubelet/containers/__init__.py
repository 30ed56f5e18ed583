"""Containers of pods: the interface of container runtimes for the kubelet, and two implementations."""
