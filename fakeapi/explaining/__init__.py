"""Explains why a claim or pod waits, why a pod got its node, and why an object is not deleted.

Reads the objects of this server or of a real cluster at one moment. Uses the filters and the allocator of
this project's scheduler.
"""
