"""Reads nodes, ResourceSlices, claims and pods, and derives the states of devices and claims."""
