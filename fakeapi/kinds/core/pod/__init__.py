"""The kind Pod: its definition, and what its definition is made of."""
