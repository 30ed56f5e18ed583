"""Controllers that remove the protection finalizers of deleted objects that are no longer in use."""
