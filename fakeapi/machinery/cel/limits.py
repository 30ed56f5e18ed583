"""Limits on the cost and the memory of CEL expressions.

Costs are in cel-go's cost units. The limits with an upstream name follow k8s.io/apiserver
`pkg/apis/cel/config.go` and k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`. Limits of
device selectors differ between releases: `fakeapi.releases.limits` contains these limits.
"""

EVALUATION_COST_MAX = 1_000_000
"""Cost limit of one evaluation, in CEL cost units (PerCallLimit)."""

OBJECT_COST_MAX = 10_000_000
"""Cost limit of all CEL rules for one custom object, in CEL cost units (RuntimeCELCostBudget)."""

POLICY_COST_MAX = 10_000_000
"""Cost limit of all expressions of one policy for one write, in CEL cost units (RuntimeCELCostBudget)."""

CONDITIONS_COST_MAX = POLICY_COST_MAX // 4
"""Cost limit of all match conditions of a policy or webhook, in CEL cost units.

Upstream's name is RuntimeCELCostBudgetMatchConditions.
"""

RULE_COST_MAX = 10_000_000
"""Limit on the estimated cost of one CEL rule for one object, in CEL cost units.

Upstream's name is StaticEstimatedCostLimit.
"""

SCHEMA_COST_MAX = 100_000_000
"""Limit on the estimated cost of all CEL rules of a schema, in CEL cost units.

Upstream's name is StaticEstimatedCRDCostLimit.
"""

EVALUATION_MEMORY_MAX = 64 * 1024 * 1024
"""Memory limit of one evaluation, in bytes. The error is the same as for exceeding the cost limit."""

DEVICE_MEMORY_MAX = 8 * 1024 * 1024
"""Memory limit in bytes for evaluating a selector on one device.

The limit is lower than for other expressions, because selectors are evaluated on many devices.
"""

POLICY_MEMORY_MAX = 2 * EVALUATION_MEMORY_MAX
"""Memory limit in bytes of all expressions of one policy for one write, including their variables."""

EVENT_LOOP_COST_MAX = 20_000
"""Cost limit for evaluating the expressions of a write on the event loop, in CEL cost units.

Evaluating 20,000 cost units takes about 20 ms. If the evaluation exceeds the limit, the server starts the
evaluation again in a thread.
"""

THREAD_COST_MAX = 20 * EVENT_LOOP_COST_MAX
"""Cost limit for evaluating expressions of a write in the queue for short evaluations, in CEL cost units.

If the evaluation exceeds the limit, the server starts the evaluation again in the queue for long evaluations.
A long evaluation may take ten seconds. Each queue has one thread at a time.
"""

EVENT_LOOP_CHARACTERS_MAX = 20 * 1024
"""Maximum number of characters of expressions compiled at once on the event loop.

A thread compiles further expressions.
"""
