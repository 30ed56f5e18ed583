"""Parts that the controllers of workloads share: owners, pods, template hashes and revisions."""
