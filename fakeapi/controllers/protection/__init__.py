"""Controllers that remove the protection finalizers of deleted objects once they are not in use."""
