"""Declarative validation: rules that Kubernetes generates of the markers of its types."""
