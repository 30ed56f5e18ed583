"""The model of a resource: its definition, strategy, versions, columns and scale."""
