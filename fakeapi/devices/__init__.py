"""Simulated DRA drivers: their devices as data, the state of the devices, and how calls fail on purpose."""
