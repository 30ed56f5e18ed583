"""core/v1 Service, and the allocation of its addresses and ports."""
