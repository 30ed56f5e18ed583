"""Clocks: sources of time, timers and random names, and a clock that tests can freeze and move."""
