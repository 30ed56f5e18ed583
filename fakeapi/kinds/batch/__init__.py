"""The group batch: work that ends, and its schedules."""

from fakeapi.kinds.batch.cronjob import CRON_JOB
from fakeapi.kinds.batch.job import JOB

KINDS = (
    CRON_JOB,
    JOB,
)
