"""core/v1 ServiceAccount and its tokens."""
