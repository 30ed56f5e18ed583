"""Compares the explanations of `fakeapi explain` with the decisions of kube-scheduler, node by node."""
