"""Snapshots: all objects of a cluster at one moment, kept, restored, saved to files and compared."""
