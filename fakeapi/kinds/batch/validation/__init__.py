"""Validation of jobs and cron jobs.

Follows k8s.io/kubernetes `pkg/apis/batch/validation`.
"""
