"""Limits on the cost and the memory of CEL expressions.

Costs are in cel-go's cost units. The limits with an upstream name follow k8s.io/apiserver
`pkg/apis/cel/config.go` and k8s.io/apiextensions-apiserver `pkg/apis/apiextensions/validation`. Limits of
device selectors differ between releases: `fakeapi.releases.limits` has them.
"""

EVALUATION_COST_MAX = 1_000_000
"""Limit of one evaluation in CEL cost units (PerCallLimit)."""

OBJECT_COST_MAX = 10_000_000
"""Limit of all CEL rules for one custom object, in CEL cost units (RuntimeCELCostBudget)."""

POLICY_COST_MAX = 10_000_000
"""Limit of all expressions of one policy for one write, in CEL cost units (RuntimeCELCostBudget)."""

CONDITIONS_COST_MAX = POLICY_COST_MAX // 4
"""Limit of all match conditions of a policy or webhook, in CEL cost units.

Upstream's name is RuntimeCELCostBudgetMatchConditions.
"""

RULE_COST_MAX = 10_000_000
"""Limit on the estimated cost of one CEL rule for one object, in CEL cost units
(StaticEstimatedCostLimit).
"""

SCHEMA_COST_MAX = 100_000_000
"""Limit on the estimated cost of all CEL rules of a schema, in CEL cost units.

Upstream's name is StaticEstimatedCRDCostLimit.
"""

EVALUATION_MEMORY_MAX = 64 * 1024 * 1024
"""Memory limit of one evaluation in bytes. Over this limit, the evaluation fails as if it cost too much."""

DEVICE_MEMORY_MAX = 8 * 1024 * 1024
"""Memory limit in bytes for evaluating a selector on one device.

The limit is lower than for other expressions, because selectors are evaluated on many devices.
"""

POLICY_MEMORY_MAX = 2 * EVALUATION_MEMORY_MAX
"""Memory limit in bytes of all expressions of one policy for one write, including their variables."""

EVENT_LOOP_COST_MAX = 20_000
"""Limit of evaluating expressions on the event loop, in CEL cost units: about 20 ms.

Most objects need less.

Over the limit, the server starts the evaluation again in a thread.
"""

THREAD_COST_MAX = 20 * EVENT_LOOP_COST_MAX
"""Limit of evaluating expressions in the thread queue for short evaluations, in CEL cost units.

Over the limit, the server starts the evaluation again in the queue for long evaluations, which may take ten
seconds.
"""

EVENT_LOOP_CHARACTERS_MAX = 20 * 1024
"""Maximum number of characters of expressions compiled at once on the event loop.

A thread compiles further expressions.
"""
