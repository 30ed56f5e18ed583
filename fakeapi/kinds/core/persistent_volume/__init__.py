"""PersistentVolume."""
