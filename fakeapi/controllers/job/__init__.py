"""The controllers of Jobs: they run Jobs to completion, and delete finished Jobs after their TTL."""
