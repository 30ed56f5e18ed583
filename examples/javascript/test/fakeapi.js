// A client of the fakeapi server that fakeapi-setup.js has started.

import { KubeConfig } from '@kubernetes/client-node';
import { inject } from 'vitest';

const url = inject('fakeapi');

/** Returns the configuration of an administrator. */
export function kubeConfig() {
  const config = new KubeConfig();
  // The client refuses plain HTTP unless skipTLSVerify is set.
  config.loadFromClusterAndUser({ name: 'fakeapi', server: url, skipTLSVerify: true }, { name: 'fakeapi' });
  return config;
}

/**
 * Injects a fault. `conflict` with the target `update resourceclaims/status` and `{ times: 1 }` answers the next update
 * of a claim's status with 409 Conflict.
 */
export async function fault(name, target, options = {}) {
  await control('POST', '/faults', { [name]: { target, ...options } });
}

/**
 * Returns the recorded requests that match a pattern `VERB [RESOURCE[/SUBRESOURCE] [NAMESPACE/NAME]]`, such as `update
 * resourceclaims/status default/gpu`, oldest first. Each has a `code`, and the `text` shows it in one line.
 */
export async function requests(pattern) {
  const [verb, resource = '', object = '/'] = pattern.split(' ');
  const [namespace, name] = object.split('/');
  const query = new URLSearchParams({ verb, resource, namespace, name, last: '10000' });
  const journal = await control('GET', `/requests?${query}`);
  return journal.requests;
}

/** Deletes all objects, faults and recorded requests, as in a new cluster. Watches end. */
export async function reset() {
  await control('POST', '/reset');
}

/** Sends a request to the control API. Its OpenAPI document is at /_fakeapi/openapi.json. */
async function control(method, path, body) {
  const response = await fetch(`${url}/_fakeapi${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return text && JSON.parse(text);
}
