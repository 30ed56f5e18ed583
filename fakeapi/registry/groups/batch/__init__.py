"""The group batch: work that ends, and its schedules."""

from fakeapi.registry.groups.batch.cronjob import CRON_JOB
from fakeapi.registry.groups.batch.job import JOB

KINDS = (
    CRON_JOB,
    JOB,
)
