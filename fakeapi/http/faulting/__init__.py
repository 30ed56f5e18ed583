"""The effects of armed faults on requests and watches."""
