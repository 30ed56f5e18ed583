"""Simulated DRA drivers as data: their devices, device state, and injected failures of kubelet calls."""
