// Starts a fakeapi server, a fake Kubernetes API server, before the tests, and stops it after them.
//
// The file needs the program fakeapi: `uv tool install 'fakeapi-k8s[all]'` or `pipx install 'fakeapi-k8s[all]'`. The
// variable FAKEAPI names another program.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MILLISECONDS = 20_000;

export default async function setup(project) {
  const folder = await mkdtemp(join(tmpdir(), 'fakeapi-'));
  const readyFile = join(folder, 'ready.json');
  const program = process.env.FAKEAPI ?? 'fakeapi';
  const server = spawn(program, ['serve', '--end-with-parent', '--port', '0', '--ready-file', readyFile], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = () => server.kill();
  process.once('exit', kill);
  let failure;
  server.once('error', ({ message }) => {
    failure = `${message}; install it as docs/javascript.md of fakeapi says, add its folder to PATH, or name the program in FAKEAPI`;
  });
  server.once('exit', (code) => (failure = `the server exited with ${code}`));

  const { url } = await ready(readyFile, () => failure);
  project.provide('fakeapi', url);

  return async () => {
    process.off('exit', kill);
    const exited = once(server, 'exit');
    if (server.kill()) await exited;
    await rm(folder, { recursive: true });
  };
}

/**
 * Waits for the ready file, and returns its content. The server writes the whole file at once. Throws when `failure`
 * returns a text.
 */
async function ready(file, failure) {
  const deadline = Date.now() + START_MILLISECONDS;
  while (Date.now() < deadline) {
    try {
      return JSON.parse(await readFile(file, 'utf8'));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    if (failure()) throw new Error(`fakeapi: ${failure()}`);
    await sleep(5);
  }
  throw new Error(`fakeapi did not start within ${START_MILLISECONDS} ms`);
}
