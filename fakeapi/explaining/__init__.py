"""Explains why a claim or pod waits, why a pod got its node, and why an object is not deleted.

Reads the objects of this server or of a real cluster at one moment. Calls the same scheduler filters and
allocator search as the scheduler of this project.
"""
