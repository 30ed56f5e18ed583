"""Validates Jobs and CronJobs.

Follows k8s.io/kubernetes `pkg/apis/batch/validation`.
"""
