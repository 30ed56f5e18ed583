"""Node."""
