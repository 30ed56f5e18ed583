"""Controllers that remove the protection finalizers of deleted objects when these are no longer in use."""
