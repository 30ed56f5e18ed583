"""The group batch: jobs and cron jobs."""

from fakeapi.kinds.batch.cronjob import CRON_JOB
from fakeapi.kinds.batch.job import JOB

KINDS = (
    CRON_JOB,
    JOB,
)
