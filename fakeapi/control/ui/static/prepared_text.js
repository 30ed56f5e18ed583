// Describes the claims that a simulated driver has prepared.

import { counted } from "./text.js";

/**
 * Returns the number of claims that a driver has prepared, and their states if these have another name in the view Claims.
 *
 * @param {{preparedClaims: number, preparedStates: Record<string, number>}} driver
 */
export function preparedText({ preparedClaims, preparedStates }) {
  const text = `the driver has prepared ${counted(preparedClaims, "claim")}`;
  const { prepared = 0, ...others } = preparedStates;
  const names = { deleting: "being deleted" };
  const parts = Object.entries({ ...(prepared ? { "in use by running pods": prepared } : {}), ...others }).map(([state, number]) => `${number.toLocaleString("en")} ${names[state] ?? state}`);
  return Object.keys(others).length ? `${text}: ${parts.join(", ")}` : text;
}
