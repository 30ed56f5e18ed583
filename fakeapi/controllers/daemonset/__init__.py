"""The controller of DaemonSets."""
