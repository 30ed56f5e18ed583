"""core/v1 Pod: its definition and the modules that the definition uses."""
