"""Containers as local processes: the runtime behind the option `run`."""
