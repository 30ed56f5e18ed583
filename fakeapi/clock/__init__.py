"""Clocks: the time of day, timers, and a clock that tests freeze and move."""
