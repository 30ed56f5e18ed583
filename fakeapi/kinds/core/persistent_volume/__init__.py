"""The kind core/v1 PersistentVolume."""
