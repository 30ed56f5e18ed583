"""Searches stories that provoke error messages; see `search.py`."""
