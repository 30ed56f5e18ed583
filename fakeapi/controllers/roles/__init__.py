"""The controller that combines the rules of ClusterRoles."""
