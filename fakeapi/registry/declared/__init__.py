"""Declarative validation: rules that Kubernetes generates from the `+k8s:` markers in its Go types."""
