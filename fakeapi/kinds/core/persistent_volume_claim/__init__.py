"""core/v1 PersistentVolumeClaim."""
