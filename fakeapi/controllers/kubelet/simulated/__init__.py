"""Simulated DRA drivers: registers them with the kubelets, and publishes their ResourceSlices."""
