"""ServiceAccount and its tokens."""
