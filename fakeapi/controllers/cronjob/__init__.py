"""The controller of CronJobs."""
