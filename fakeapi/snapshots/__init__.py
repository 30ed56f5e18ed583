"""Snapshots: capture, keep, restore, save and compare all objects of a cluster."""
