"""The parts of a Resource: the definition of its kind, strategies, versions, columns and scale."""
