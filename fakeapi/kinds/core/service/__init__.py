"""core/v1 Service: its validation, and the allocation of its addresses and ports."""
