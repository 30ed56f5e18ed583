"""Explains why a claim or pod waits, why a pod got its node, and why an object is not deleted.

Works on the objects of one moment, of this server or of a real cluster, and asks the scheduler's own filters
and the allocator's own search.
"""
