// Decides whether a condition of an object needs attention.

// Matches types of conditions that need attention if they are True. Other types need attention if they are False.
const BAD_IF_TRUE = /Pressure$|Unavailable$|Failure$|FailureTarget$|Failed$|Remaining$|Disrupted|DisruptionTarget$/;

/** @param {{type: string, status: string}} condition */
export function needsAttention({ type, status }) {
  return status === "Unknown" || (status === "True") === BAD_IF_TRUE.test(type);
}
