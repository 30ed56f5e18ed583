"""Controllers that remove protection finalizers from unused objects after their deletion."""
