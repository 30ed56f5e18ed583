"""Limits on the cost and the memory of CEL expressions.

Cost is counted in cel-go's units. The limits with an upstream name follow k8s.io/apiserver
`pkg/apis/cel/config.go` and k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`. Limits of
device selectors differ between releases: `fakeapi.releases.limits` has them.
"""

EVALUATION_COST_MAX = 1_000_000
"""Cost limit of one evaluation (PerCallLimit)."""

OBJECT_COST_MAX = 10_000_000
"""Cost limit of all rules of one custom object (RuntimeCELCostBudget)."""

POLICY_COST_MAX = 10_000_000
"""Cost limit of all expressions of one policy for one write (RuntimeCELCostBudget)."""

CONDITIONS_COST_MAX = POLICY_COST_MAX // 4
"""Cost limit of all match conditions of a policy or webhook (RuntimeCELCostBudgetMatchConditions)."""

RULE_COST_MAX = 10_000_000
"""Limit on the estimated cost of one rule for all values of one object (StaticEstimatedCostLimit)."""

SCHEMA_COST_MAX = 100_000_000
"""Limit on the estimated cost of all rules of a schema (StaticEstimatedCRDCostLimit)."""

EVALUATION_MEMORY_MAX = 64 * 1024 * 1024
"""Memory limit of one evaluation in bytes; an evaluation over it ends like one over its cost limit."""

DEVICE_MEMORY_MAX = 8 * 1024 * 1024
"""Memory limit in bytes for evaluating a selector on one device.

Other expressions have a higher limit, but selectors are evaluated on many devices.
"""

POLICY_MEMORY_MAX = 2 * EVALUATION_MEMORY_MAX
"""Memory limit in bytes of all expressions of one policy for one write, including their variables."""

EVENT_LOOP_COST_MAX = 20_000
"""Cost limit of a step on the event loop: about 20 ms, more than most objects need.

A step over the limit starts again in a thread.
"""

THREAD_COST_MAX = 20 * EVENT_LOOP_COST_MAX
"""Cost limit of a step in the queue for short steps.

A step over the limit starts again in the queue for long steps, because it may take ten seconds.
"""

EVENT_LOOP_CHARACTERS_MAX = 20 * 1024
"""Most characters of expressions that a step on the event loop compiles; a thread compiles the others."""
