// The story of a ResourceClaim, told with @kubernetes/client-node; the server is the one of $KUBECONFIG.
//
// Prints each chapter when it is through. `node story.mjs [HELPER]`

import assert from 'node:assert/strict';

import {
  ApisApi, ApiException, KubeConfig, KubernetesObjectApi, makeInformer, PatchStrategy, ResourceV1Api, setHeaderOptions,
} from '@kubernetes/client-node';

const name = 'told';
const namespace = 'default';
const apiVersion = 'resource.k8s.io/v1';
const path = `/apis/${apiVersion}/namespaces/${namespace}/resourceclaims`;
const patienceMilliseconds = 30_000;

const config = new KubeConfig();
config.loadFromDefault();
const claims = config.makeApiClient(ResourceV1Api);
const objects = KubernetesObjectApi.makeApiClient(config);

const { groups } = await config.makeApiClient(ApisApi).getAPIVersions();
assert.equal(groups.find((group) => group.name === 'resource.k8s.io').preferredVersion.groupVersion, apiVersion);
const { resources } = await claims.getAPIResources();
assert(resources.some((resource) => resource.name === 'resourceclaims'));
console.log('discover');

// The informer keeps what it saw, and wakes who waits for it.
const seen = [];
let wake = () => {};
const informer = makeInformer(config, path, () => claims.listNamespacedResourceClaim({ namespace }));
for (const verb of ['add', 'update', 'delete']) {
  informer.on(verb, (claim) => {
    seen.push([verb, claim]);
    wake();
  });
}
informer.on('error', (error) => {
  if (error.name !== 'AbortError') throw error; // stopping it ends its watch so
});
await informer.start();

async function expect(verb, fits = () => true) {
  const late = setTimeout(() => {
    throw new Error(`no ${verb} seen, but ${seen.map(([found]) => found)}`);
  }, patienceMilliseconds);
  while (!seen.some(([found, claim]) => found === verb && fits(claim))) {
    await new Promise((resolve) => {
      wake = resolve;
    });
  }
  clearTimeout(late);
}

const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] } };
const created = await claims.createNamespacedResourceClaim({
  namespace,
  body: { apiVersion, kind: 'ResourceClaim', metadata: { name, finalizers: ['example.com/story'] }, spec },
});
assert.equal(created.spec.devices.requests[0].exactly.allocationMode, 'ExactCount');
assert(created.metadata.creationTimestamp instanceof Date);
console.log('create');

await expect('add');
assert.equal(informer.get(name, namespace).metadata.uid, created.metadata.uid);
console.log('watch');

// Two writers have read the same; the second is told, reads again and wins.
const read = () => claims.readNamespacedResourceClaim({ name, namespace });
const replace = (claim, label) => {
  claim.metadata.labels = { ...claim.metadata.labels, [label]: 'won' };
  return claims.replaceNamespacedResourceClaim({ name, namespace, body: claim });
};
const [first, second] = [await read(), await read()];
await replace(first, 'first');
await assert.rejects(replace(second, 'second'), (error) => error instanceof ApiException && error.code === 409);
const merged = await replace(await read(), 'second');
assert.deepEqual(merged.metadata.labels, { first: 'won', second: 'won' });
await expect('update', (claim) => claim.metadata.labels?.second === 'won');
console.log('conflict');

// A client of one API sends JSON patches unless told otherwise, the one of all objects strategic merge patches.
await claims.patchNamespacedResourceClaim({
  name, namespace, body: [{ op: 'remove', path: '/metadata/labels/first' }],
});
const patched = await objects.patch({
  apiVersion, kind: 'ResourceClaim', metadata: { name, namespace, labels: { patched: 'yes' } },
});
assert.deepEqual(patched.metadata.labels, { second: 'won', patched: 'yes' });
const removed = await claims.patchNamespacedResourceClaim(
  { name, namespace, body: { metadata: { labels: { second: null } } } },
  setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
);
assert.deepEqual(removed.metadata.labels, { patched: 'yes' });
console.log('patch');

const applied = await claims.patchNamespacedResourceClaim(
  {
    name, namespace, fieldManager: 'javascript', force: true,
    body: { apiVersion, kind: 'ResourceClaim', metadata: { name, labels: { applied: 'yes' } } },
  },
  setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
);
assert(applied.metadata.managedFields.some(({ manager, operation }) => manager === 'javascript' && operation === 'Apply'));
await expect('update', (claim) => claim.metadata.labels?.applied === 'yes');
console.log('apply');

const deleting = await claims.deleteNamespacedResourceClaim({ name, namespace });
assert(deleting.metadata.deletionTimestamp);
await claims.patchNamespacedResourceClaim({
  name, namespace, body: [{ op: 'remove', path: '/metadata/finalizers' }],
});
await expect('delete');
await assert.rejects(read(), (error) => error.code === 404 && JSON.parse(error.body).reason === 'NotFound');
console.log('delete');
await informer.stop();
