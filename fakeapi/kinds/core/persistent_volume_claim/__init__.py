"""PersistentVolumeClaim."""
