"""Long random tests for cases that nobody foresaw: `make torture`. See `tests.torture.run`."""
