"""Controllers that remove protection finalizers from deleted objects that are no longer in use."""
