// Follows one stream of events for the whole page, and reads data again after events.

import { control, events, Refused } from "./api.js";
import { useCallback, useEffect, useRef, useState } from "./preact.js";
import { NO_ATTENTION } from "./text.js";

const REFRESH_MS = 400;
// A view pauses for this many times the duration of its last reading and drawing.
const IDLE_SHARE = 6;
const MOST_A_SECOND = 100;
const RETRY_MS = 2000;
const STATE_MS = 1000;
const PENDING_MS = 2000;

/** @typedef {{type: string, requests?: number, objects?: number, resource?: string, group?: string}} LiveEvent */

/** @type {Set<(event: LiveEvent) => void>} */
const listeners = new Set();
/** @type {Set<() => void>} */
const reconnecting = new Set();

/** @param {(event: LiveEvent) => void} listener */
function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Follows the events of the server while the tab is visible. A browser opens few connections to one host, so a
 * hidden tab closes its connection.
 */
export async function follow() {
  for (;;) {
    await visible();
    const leave = new AbortController();
    const hide = () => document.hidden && leave.abort();
    document.addEventListener("visibilitychange", hide);
    try {
      await events({ objects: "true", most: String(MOST_A_SECOND) }, dispatch, leave.signal);
    } catch {
      // The navigation shows that the server does not answer.
    }
    document.removeEventListener("visibilitychange", hide);
    await new Promise((done) => setTimeout(done, RETRY_MS));
    for (const again of reconnecting) {
      again();
    }
  }
}

function visible() {
  if (!document.hidden) {
    return Promise.resolve();
  }
  return new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
}

// Few objects of these resources exist. Users change them to remove the reason why a pod waits.
const REMEDIES = new Set(["resourcequotas", "deviceclasses", "resourceclaimtemplates"]);

/** Whether an event is about an object that many explanations read, and that users change to help a pod. */
export const isRemedy = (/** @type {LiveEvent} */ event) => REMEDIES.has(event.resource ?? "");

/** @param {LiveEvent} event */
function dispatch(event) {
  for (const listener of listeners) {
    listener(event);
  }
}

/**
 * Whether an event can change a view.
 *
 * @param {LiveEvent} event
 * @param {string[]} types "object", "request"
 * @param {((event: LiveEvent) => boolean) | undefined} only a condition for events of these types
 */
function concerns(event, types, only) {
  if (event.type === "reset") {
    return true;
  }
  if (event.type === "lost") {
    return types.some((type) => event[`${type}s`]);
  }
  return types.includes(event.type) && (!only || only(event));
}

/** The function that handles a response 401. main.js sets the function. */
export const onError = { call: (/** @type {unknown} */ _error) => {} };

/**
 * Reads data now, after each change of `inputs`, and after events of `types`. After an event, waits for `least`
 * milliseconds, or for IDLE_SHARE times the duration of the last reading and drawing if that is longer.
 *
 * @template Data
 * @param {(old: Data | undefined) => Promise<Data>} read
 * @param {unknown[]} inputs
 * @param {{types?: string[], only?: (event: LiveEvent) => boolean, paused?: boolean, least?: number}} [how]
 * @returns {{data: Data | undefined, error: Error | undefined, reload: () => Promise<void>}}
 */
export function useLive(read, inputs, { types = ["object"], only, paused = false, least = REFRESH_MS } = {}) {
  const [data, setData] = useState(/** @type {Data | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {Error | undefined} */ (undefined));
  const state = useRef({ turn: 0, due: false, last: /** @type {Data | undefined} */ (undefined), took: 0 });

  const load = useCallback(async () => {
    const turn = ++state.current.turn;
    const begun = performance.now();
    state.current.due = false;
    try {
      const fresh = await read(state.current.last);
      if (turn === state.current.turn) {
        state.current.last = fresh;
        setData(fresh);
        setError(undefined);
      }
    } catch (problem) {
      if (turn === state.current.turn) {
        const shown = /** @type {Error} */ (problem);
        setError(shown);
        if (problem instanceof Refused && problem.code === 401) {
          onError.call(problem);
        }
      }
    }
    requestAnimationFrame(() => {
      state.current.took = performance.now() - begun;
    });
  }, inputs);

  useEffect(() => {
    state.current.last = undefined;
    setData(undefined);
    load();
    return () => {
      state.current.turn += 1;
    };
  }, inputs);

  const wasPaused = useRef(false);
  useEffect(() => {
    if (paused) {
      wasPaused.current = true;
      return undefined;
    }
    if (wasPaused.current) {
      wasPaused.current = false;
      load();
    }
    let timer = 0;
    const again = () => {
      if (!state.current.due) {
        state.current.due = true;
        timer = window.setTimeout(load, Math.max(least, IDLE_SHARE * Math.min(state.current.took, 5000)));
      }
    };
    const stop = listen((event) => concerns(event, types, only) && again());
    reconnecting.add(again);
    return () => {
      stop();
      reconnecting.delete(again);
      clearTimeout(timer);
      state.current.due = false;
    };
  }, [...inputs, paused]);

  return { data, error, reload: load };
}

/** @returns {{state: any, connected: boolean}} the server's state, read every second */
export function useServer() {
  const [server, setServer] = useState({ state: /** @type {any} */ (null), connected: true });
  useEffect(() => {
    let timer = 0;
    const tell = async () => {
      if (!document.hidden) {
        try {
          const [state, clock] = [await control("GET", "/state"), await control("GET", "/clock")];
          Object.assign(time, { server: clock.seconds, local: Date.now() / 1000, frozen: clock.frozen });
          setServer({ state: { ...state, clock }, connected: true });
        } catch (problem) {
          setServer((old) => ({ ...old, connected: problem instanceof Refused }));
        }
      }
      timer = window.setTimeout(tell, STATE_MS);
    };
    tell();
    return () => clearTimeout(timer);
  }, []);
  return server;
}

/** The resources of workloads that can lack pods, and of the events that say why. */
export const WORKLOADS = ["deployments", "replicasets", "statefulsets", "daemonsets", "jobs", "events"];
const counting = new Set(["pods", "resourceclaims", "namespaces", ...WORKLOADS]);

/** Returns the numbers of objects that wait or need attention. Reads them at most once in PENDING_MS. */
export function usePending() {
  const { data } = useLive(() => control("GET", "/pending"), [], { only: (event) => counting.has(event.resource ?? ""), least: PENDING_MS });
  return data ?? NO_ATTENTION;
}

const time = { server: Date.now() / 1000, local: Date.now() / 1000, frozen: false };

/** @returns {number} the server's time in seconds since the epoch */
export function serverNow() {
  return time.frozen ? time.server : time.server + Date.now() / 1000 - time.local;
}
