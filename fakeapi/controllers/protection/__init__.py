"""Controllers that remove the protection finalizers of objects that are being deleted and not in use."""
