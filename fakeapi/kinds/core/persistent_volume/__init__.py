"""core/v1 PersistentVolume."""
