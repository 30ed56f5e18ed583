"""Applies armed faults to requests and watches."""
