"""The lifecycle of pods on a node: which containers start, stop and restart, and the statuses of pods."""
