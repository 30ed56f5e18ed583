"""The kind core/v1 PersistentVolumeClaim."""
