"""The controller that writes the status of PodDisruptionBudgets."""
