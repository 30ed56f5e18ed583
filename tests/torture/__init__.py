"""Long tests that look for what the others do not foresee: `make torture`. See `tests.torture.run`."""
