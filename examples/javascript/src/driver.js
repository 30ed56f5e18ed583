import { ApiException, makeInformer, ResourceV1Api } from '@kubernetes/client-node';

/** The driver whose devices are reported. */
export const DRIVER = 'gpu.example.com';

/** The type of the condition that is written. */
export const READY = 'Ready';

const ATTEMPTS = 5;
const RESTART_MILLISECONDS = 100;

/** Watches ResourceClaims, and reports allocated devices as ready in their status. */
export class Driver {
  #claims;
  #informer;
  #queue = Promise.resolve();
  #stopped = false;

  constructor(config) {
    this.#claims = config.makeApiClient(ResourceV1Api);
    const list = () => this.#claims.listResourceClaimForAllNamespaces();
    this.#informer = makeInformer(config, '/apis/resource.k8s.io/v1/resourceclaims', list);
    for (const event of ['add', 'update']) {
      this.#informer.on(event, (claim) => this.#enqueue(claim));
    }
    this.#informer.on('error', () => this.#restart());
  }

  start() {
    return this.#informer.start();
  }

  /** Stops the driver after the writes that it has begun. */
  async stop() {
    this.#stopped = true;
    await this.#informer.stop();
    await this.#queue;
  }

  /** Handles one event after the other. */
  #enqueue({ metadata: { namespace, name } }) {
    this.#queue = this.#queue
      .then(() => this.#stopped || reportReady(this.#claims, namespace, name))
      .catch((error) => console.error('Reporting devices failed:', error));
  }

  #restart() {
    if (this.#stopped) return;
    setTimeout(() => {
      if (!this.#stopped) this.start().catch(() => this.#restart());
    }, RESTART_MILLISECONDS);
  }
}

/** Writes the condition Ready for each allocated device of the driver, and tries again after a conflict. */
export async function reportReady(claims, namespace, name) {
  for (let attempt = 1; ; attempt++) {
    try {
      const claim = await claims.readNamespacedResourceClaim({ namespace, name });
      if (!setReady(claim)) return;
      await claims.replaceNamespacedResourceClaimStatus({ namespace, name, body: claim });
      return;
    } catch (error) {
      if (!(error instanceof ApiException)) throw error;
      if (error.code === 404) return;
      if (error.code !== 409 || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Sets the condition Ready for each allocated device of the driver. Returns whether the claim changed. */
function setReady(claim) {
  let changed = false;
  for (const allocated of claim.status?.allocation?.devices?.results ?? []) {
    if (allocated.driver !== DRIVER) continue;
    const device = deviceStatus(claim.status, allocated);
    if (device.conditions.some(({ type, status }) => type === READY && status === 'True')) continue;
    device.conditions = [
      ...device.conditions.filter(({ type }) => type !== READY),
      { type: READY, status: 'True', reason: 'Prepared', message: '', lastTransitionTime: new Date() },
    ];
    changed = true;
  }
  return changed;
}

/** Returns the status of an allocated device. Adds an empty one if there is none. */
function deviceStatus(status, { driver, pool, device }) {
  status.devices ??= [];
  let known = status.devices.find((each) => each.driver === driver && each.pool === pool && each.device === device);
  if (!known) {
    known = { driver, pool, device };
    status.devices.push(known);
  }
  known.conditions ??= [];
  return known;
}
