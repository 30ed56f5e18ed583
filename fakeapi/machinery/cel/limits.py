"""Limits on the cost and the memory of CEL expressions.

Costs are in cel-go's cost units. The limits with an upstream name follow k8s.io/apiserver
`pkg/apis/cel/config.go` and k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`. Limits of
device selectors differ between releases: `fakeapi.releases.limits` has them.
"""

EVALUATION_COST_MAX = 1_000_000
"""Cost limit of one evaluation (PerCallLimit)."""

OBJECT_COST_MAX = 10_000_000
"""Cost limit of all CEL rules for one custom object (RuntimeCELCostBudget)."""

POLICY_COST_MAX = 10_000_000
"""Cost limit of all expressions of one policy for one write (RuntimeCELCostBudget)."""

CONDITIONS_COST_MAX = POLICY_COST_MAX // 4
"""Cost limit of all match conditions of a policy or webhook (RuntimeCELCostBudgetMatchConditions)."""

RULE_COST_MAX = 10_000_000
"""Limit on the estimated cost of one CEL rule, in total for one object (StaticEstimatedCostLimit)."""

SCHEMA_COST_MAX = 100_000_000
"""Limit on the estimated cost of all CEL rules of a schema (StaticEstimatedCRDCostLimit)."""

EVALUATION_MEMORY_MAX = 64 * 1024 * 1024
"""Memory limit of one evaluation in bytes. Over this limit, the evaluation fails as if it cost too much."""

DEVICE_MEMORY_MAX = 8 * 1024 * 1024
"""Memory limit in bytes for evaluating a selector on one device.

The limit is lower than for other expressions, because selectors are evaluated on many devices.
"""

POLICY_MEMORY_MAX = 2 * EVALUATION_MEMORY_MAX
"""Memory limit in bytes of all expressions of one policy for one write, including their variables."""

EVENT_LOOP_COST_MAX = 20_000
"""Cost limit of evaluating expressions on the event loop: about 20 ms, more than most objects need.

Over the limit, the server starts the evaluation again in a thread.
"""

THREAD_COST_MAX = 20 * EVENT_LOOP_COST_MAX
"""Cost limit of evaluating expressions in the thread queue for short evaluations.

Over the limit, the server starts the evaluation again in the queue for long evaluations, which may take ten
seconds.
"""

EVENT_LOOP_CHARACTERS_MAX = 20 * 1024
"""Maximum number of characters of expressions compiled at once on the event loop.

A thread compiles further expressions.
"""
