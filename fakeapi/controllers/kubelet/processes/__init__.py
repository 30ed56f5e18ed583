"""Containers as local processes: the container runtime for the option `run`."""
