import { PatchStrategy, ResourceV1Api, setHeaderOptions } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Driver, DRIVER, READY } from '../src/driver.js';
import { fault, kubeConfig, requests, reset } from './fakeapi.js';

const namespace = 'default';
const claims = kubeConfig().makeApiClient(ResourceV1Api);
let driver;

beforeEach(async () => {
  await reset();
  driver = new Driver(kubeConfig());
  await driver.start();
});

afterEach(() => driver.stop());

describe('the driver', () => {
  it.each([0, 1, 3])('writes the status once after %i conflicts', async (conflicts) => {
    if (conflicts > 0) await fault('conflict', 'update resourceclaims/status', { times: conflicts });
    await createAllocatedClaim('gpu');
    await waitUntilReady('gpu');
    // The driver handles one event after the other. When the later claim is ready, the driver has seen its own write to
    // the first claim.
    await createAllocatedClaim('later');
    await waitUntilReady('later');

    const updates = await requests('update resourceclaims/status default/gpu');
    expect(updates.map(({ code }) => code)).toEqual([...Array(conflicts).fill(409), 200]);
  });
});

/** Creates a claim, and allocates a device of the driver to it, as the scheduler does. */
async function createAllocatedClaim(name) {
  const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: DRIVER } }] } };
  await claims.createNamespacedResourceClaim({ namespace, body: { metadata: { name }, spec } });
  const results = [{ request: 'gpu', driver: DRIVER, pool: 'node', device: 'gpu-0' }];
  await claims.patchNamespacedResourceClaimStatus(
    { name, namespace, body: { status: { allocation: { devices: { results } } } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
}

/** Waits until a device of the claim has the condition Ready. */
async function waitUntilReady(name) {
  await vi.waitFor(
    async () => {
      const claim = await claims.readNamespacedResourceClaim({ name, namespace });
      const conditions = (claim.status.devices ?? []).flatMap((device) => device.conditions ?? []);
      expect(conditions).toContainEqual(expect.objectContaining({ type: READY, status: 'True' }));
    },
    { timeout: 20_000, interval: 20 },
  );
}
