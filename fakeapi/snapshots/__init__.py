"""Snapshots of all objects of a cluster, which tests can restore, save and compare."""
