"""Declarative validation: rules that Kubernetes generates from the markers in its Go types."""
