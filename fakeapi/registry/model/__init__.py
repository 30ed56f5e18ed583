"""What a resource is: its definition, strategy, versions, columns and scale."""
