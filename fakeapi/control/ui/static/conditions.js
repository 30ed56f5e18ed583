// Which conditions of an object need attention.

// Types of conditions whose status True needs attention; for other types, it is the status False.
const BAD_IF_TRUE = /Pressure$|Unavailable$|Failure$|FailureTarget$|Failed$|Remaining$|Disrupted|DisruptionTarget$/;

/** @param {{type: string, status: string}} condition */
export function needsAttention({ type, status }) {
  return status === "Unknown" || (status === "True") === BAD_IF_TRUE.test(type);
}
