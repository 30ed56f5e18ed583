"""Validates HorizontalPodAutoscalers.

Follows k8s.io/kubernetes `pkg/apis/autoscaling/validation`.
"""
