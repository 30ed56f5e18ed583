"""Long random tests (`make torture`) for cases that no other test covers; see `tests.torture.run`."""
